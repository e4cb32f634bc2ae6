//! Macros of descriptions, against xacro 2.1.1: `tests/data/xacro` contains files with macros and, beside each, the output
//! of that program.
use std::path::Path;

use morse_sim::scene::{
    load::LoadOptions,
    model::Scene,
    urdf::{self, Root},
    xacro,
};

use super::read;

fn data() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/xacro")
}

fn scene(name: &str, arguments: &[(&str, &str)]) -> Scene {
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    let options = LoadOptions {
        urdf: urdf::Options {
            root: Root::Fixed,
            xacro: xacro::Options {
                arguments: arguments.iter().map(own).collect(),
                ..xacro::Options::default()
            },
            ..urdf::Options::default()
        },
        ..LoadOptions::default()
    };
    let loaded = read(&data().join(name), &options);
    loaded
        .unwrap_or_else(|failed| panic!("{name}: {failed}"))
        .scene
}

#[test]
fn macros_become_what_xacro_makes_of_them() {
    let mut count = 0;
    for entry in std::fs::read_dir(data()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if let Some(stem) = name.strip_suffix(".urdf.xacro") {
            let expected = scene(&format!("{stem}.urdf"), &[]);
            assert_eq!(scene(&name, &[]), expected, "{name}");
            assert!(expected.frames().len() >= 2, "{name}");
            count += 1;
        }
    }
    assert!(count >= 32, "{count} files");
}

#[test]
fn arguments_come_from_the_command_line() {
    let given = [("arm", "false"), ("model", "big"), ("legs", "4")];
    let expected = scene("conditions_otherwise.urdf", &[]);
    assert_eq!(scene("conditions.urdf.xacro", &given), expected);
    assert_ne!(scene("conditions.urdf.xacro", &[]), expected);
}

#[test]
fn packages_and_the_environment_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::create_dir_all(root.join("away")).unwrap();
    std::fs::create_dir_all(root.join("here")).unwrap();
    let header = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'>";
    std::fs::write(
        root.join("away/part.xacro"),
        format!("{header}<link name='part'/></robot>"),
    )
    .unwrap();
    let text = "<xacro:include filename='$(find away)/part.xacro'/>\
        <joint name='$(optenv NAME j)' type='fixed'><parent link='part'/><child link='$(env CHILD)'/></joint>\
        <link name='c'/></robot>";
    let path = root.join("here/r.urdf.xacro");
    std::fs::write(&path, format!("{header}{text}")).unwrap();
    let mut options = LoadOptions::default();
    options.urdf.xacro.environment = [("CHILD".to_owned(), "c".to_owned())].into();
    let refused = read(&path, &options).unwrap_err().to_string();
    assert!(
        refused.contains("outside the allowed directories"),
        "no `package.xml`: {refused}"
    );
    options.urdf.packages.named = vec![("away".to_owned(), root.join("away"))];
    for include in ["$(find away)/part.xacro", "package://away/part.xacro"] {
        let text = text.replace("$(find away)/part.xacro", include);
        std::fs::write(&path, format!("{header}{text}")).unwrap();
        let scene = read(&path, &options).unwrap().scene;
        assert_eq!(scene.frame("c").unwrap().parent.as_deref(), Some("part"));
    }
}
