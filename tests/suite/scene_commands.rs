//! `check`, `inspect` and `fmt`: their output, and their exit codes.
#![cfg(test)]
use std::path::{Path, PathBuf};

use morse_sim::{
    cli::{check, fmt, inspect},
    simulation::no_extensions,
};
use serde_json::Value;

struct Output {
    code: u8,
    out: String,
    err: String,
}

fn output(run: impl FnOnce(&mut Vec<u8>, &mut Vec<u8>) -> u8) -> Output {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = run(&mut out, &mut err);
    let [out, err] = [out, err].map(|bytes| String::from_utf8(bytes).unwrap());
    Output { code, out, err }
}

fn written(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

const ARM: &str = "frame base { translation [0, 0, 1]; frame arm { type revolute; axis [0, 0, 1];
    variable shoulder; frame hand { translation [1, 0, 0]; } } }";

#[test]
fn check_reports_every_file() {
    let folder = tempfile::tempdir().unwrap();
    // A moving body without a mass causes a warning.
    let heavy = ARM.replace("variable shoulder;", "variable shoulder; mass 1;");
    let good = written(folder.path(), "good.robray", &heavy);
    let bad = written(folder.path(), "bad.robray", "frame a { size 1; }");
    let args = |files, json| check::Args {
        files,
        json,
        ..check::Args::default()
    };

    let fine = args(vec![good.clone()], false);
    let fine = output(|out, err| check::run(&fine, &no_extensions, out, err));
    assert_eq!((fine.code, fine.err.as_str()), (0, ""));
    assert!(
        fine.out
            .ends_with("good.robray: fine (3 frames, 1 variable)\n"),
        "{}",
        fine.out
    );

    let both = args(vec![good.clone(), bad.clone()], false);
    let both = output(|out, err| check::run(&both, &no_extensions, out, err));
    assert_eq!(both.code, 2);
    assert!(both.err.contains("bad.robray:1:11"), "{}", both.err);

    let json = args(vec![good, bad], true);
    let json = output(|out, err| check::run(&json, &no_extensions, out, err));
    let report: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((json.code, json.err.as_str()), (2, ""));
    assert_eq!(report["ok"], false);
    assert_eq!(report["files"][0]["ok"], true);
    assert_eq!(report["files"][1]["diagnostics"][0]["line"], 1);
}

#[test]
fn warnings_are_errors_only_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(
        folder.path(),
        "a.robray",
        "frame a { parent nowhere; mass 1; }",
    );
    let mut args = check::Args {
        files: vec![path],
        ..check::Args::default()
    };
    assert_eq!(
        output(|out, err| check::run(&args, &no_extensions, out, err)).code,
        0
    );
    args.reading.strict = true;
    assert_eq!(
        output(|out, err| check::run(&args, &no_extensions, out, err)).code,
        2
    );
    args.reading.strict = false;
    args.reading.strict_amino = true;
    assert_eq!(
        output(|out, err| check::run(&args, &no_extensions, out, err)).code,
        2
    );
}

#[test]
fn inspect_shows_poses() {
    let folder = tempfile::tempdir().unwrap();
    let file = written(folder.path(), "arm.robray", ARM);
    let mut args = inspect::Args {
        file,
        ..inspect::Args::default()
    };
    let text = output(|out, err| inspect::run(&args, &no_extensions, out, err));
    assert_eq!(
        text.out,
        "frames: 3
  base
      local     t [0, 0, 1]  q [0, 0, 0, 1]
      absolute  t [0, 0, 1]  q [0, 0, 0, 1]
    arm (revolute about [0, 0, 1], variable shoulder)
        local     t [0, 0, 0]  q [0, 0, 0, 1]
        absolute  t [0, 0, 1]  q [0, 0, 0, 1]
      hand
          local     t [1, 0, 0]  q [0, 0, 0, 1]
          absolute  t [1, 0, 1]  q [0, 0, 0, 1]
variables: 1
  shoulder = 0
allowed collisions: 0
"
    );
    args.json = true;
    args.at = vec![("shoulder".into(), std::f64::consts::PI)];
    let json = output(|out, err| inspect::run(&args, &no_extensions, out, err));
    let scene: Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(json.code, 0);
    assert_eq!(
        scene["absolute_at_zero"]["hand"]["t"],
        serde_json::json!([1.0, 0.0, 1.0])
    );
    assert_eq!(scene["absolute"]["hand"]["t"][0], -1.0);
    args.at = vec![("shuolder".into(), 1.0)];
    let unknown = output(|out, err| inspect::run(&args, &no_extensions, out, err));
    assert_eq!((unknown.code, unknown.out.as_str()), (2, ""));
    assert!(
        unknown.err.contains("did you mean `shoulder`?"),
        "{}",
        unknown.err
    );
}

#[test]
fn fmt_writes_only_what_changes() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path(), "a.robray", "frame   a{}");
    let mut args = fmt::Args {
        files: vec![path.clone()],
        check: true,
        ..fmt::Args::default()
    };
    assert_eq!(output(|out, err| fmt::run(&args, out, err)).code, 1);
    args.check = false;
    assert_eq!(output(|out, err| fmt::run(&args, out, err)).code, 0);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "frame a {}\n");
    args.check = true;
    assert_eq!(output(|out, err| fmt::run(&args, out, err)).code, 0);
    std::fs::write(&path, "frame {").unwrap();
    args.check = false;
    let wrong = output(|out, err| fmt::run(&args, out, err));
    assert_eq!(wrong.code, 2);
    assert!(wrong.err.contains("expected a name"), "{}", wrong.err);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "frame {");
}
