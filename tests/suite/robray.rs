//! The scene language: accepted texts, their meaning, and lossless writing.
#![cfg(test)]
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use morse_sim::{
    cli::inspect::scene_as_json,
    scene::{
        load::{LoadOptions, Loaded, load, parse_str},
        robray::write,
    },
};
use serde_json::Value;

/// Returns the directory of other implementations' data, which is outside of the repository; tests that need it are skipped
/// where it is absent.
fn conformance_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared");
    let folder = std::env::var_os("MORSE_SIM_SHARED").map_or(beside, PathBuf::from);
    let folder = folder.join("robray");
    if folder.join("cases.json").is_file() {
        return Some(folder);
    }
    println!("skipped: no conformance data in {}", folder.display());
    None
}

fn json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn load_quietly(path: &Path) -> Result<Loaded, String> {
    load(path, &LoadOptions::default()).map_err(|failed| failed.to_string())
}

/// Writes the files of a case and loads the first of them.
fn load_case(case: &Value) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in case["files"].as_object().unwrap() {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text.as_str().unwrap()).unwrap();
    }
    load_quietly(&folder.path().join("main.robray"))
}

#[test]
fn every_case_is_accepted_or_refused() {
    let cases = json(Path::new(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/golden/robray_cases.json"
    )));
    let mut wrong = Vec::new();
    for case in cases.as_array().unwrap() {
        let result = load_case(case);
        if result.is_ok() != case["ok"].as_bool().unwrap() {
            wrong.push(format!("{}: {:?}", case["id"], result.map(|_| ())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cases_mean_what_the_first_implementation_says() {
    let Some(folder) = conformance_data() else {
        return;
    };
    let mut wrong = Vec::new();
    for case in json(&folder.join("cases.json"))["cases"]
        .as_array()
        .unwrap()
    {
        let result = check_case(case);
        wrong.extend(result.map_err(|why| format!("{}: {why}", case["id"])).err());
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn check_case(case: &Value) -> Result<(), String> {
    let result = load_case(case);
    if let Some(sane) = case.get("sane_value") {
        return check_sane_value(case, &result?, sane.as_f64().unwrap());
    }
    match case.get("ours").and_then(Value::as_str) {
        Some("either") => return Ok(()),
        Some(_) => return result.map(|_| ()),
        None => {}
    }
    if case["ok"] == false {
        return match result {
            Ok(_) => Err("accepted, but must be refused".into()),
            Err(_) => Ok(()),
        };
    }
    // The first implementation computes this power in single precision.
    let tolerance = if case["note"] == "2**(1/2)" {
        1e-7
    } else {
        1e-9
    };
    check_scene(&result?, &case["scene"], tolerance)
}

fn check_sane_value(case: &Value, loaded: &Loaded, sane: f64) -> Result<(), String> {
    let scene = scene_as_json(&loaded.scene, None);
    let frame = &scene["frames"][0];
    let id = case["id"].as_str().unwrap();
    let attribute = id.ends_with("-attr") || id.starts_with("numattr-") || id.starts_with("ge-");
    let value = if attribute {
        &frame["geometry"][0]["shape"]["radius"]
    } else {
        &frame["local"]["t"][0]
    };
    close(value, &Value::from(sane), 1e-9, "value")
}

#[test]
fn scenes_mean_what_the_first_implementation_says() {
    let Some(folder) = conformance_data() else {
        return;
    };
    for (name, expected) in json(&folder.join("expected.json"))["scenes"]
        .as_object()
        .unwrap()
    {
        let result = load_quietly(&folder.join("scenes").join(name));
        if expected["ok"] == true {
            let loaded = result.unwrap();
            check_scene(&loaded, &expected["scene"], 1e-9)
                .unwrap_or_else(|why| panic!("{name}: {why}"));
        } else {
            assert!(result.is_err(), "{name}");
        }
    }
}

/// Compares a scene with the expected one, and with itself after it has been written and read.
fn check_scene(loaded: &Loaded, expected: &Value, tolerance: f64) -> Result<(), String> {
    let scene = &loaded.scene;
    let mut expected = expected.clone();
    let ramp = expected
        .as_object_mut()
        .and_then(|object| object.remove("absolute_at_ramp"));
    let values: BTreeMap<String, f64> = scene
        .variables()
        .into_iter()
        .zip(1..)
        .map(|(name, number)| (name.to_owned(), 0.1 * f64::from(number)))
        .collect();
    let mut actual = scene_as_json(scene, Some(&values));
    let absolute = actual
        .as_object_mut()
        .and_then(|object| object.remove("absolute"));
    close(&actual, &expected, tolerance, "scene")?;
    if let (Some(actual), Some(expected)) = (absolute, ramp) {
        close(&actual, &expected, tolerance, "ramp")?;
    }
    let text = write(scene).map_err(|error| error.to_string())?;
    let options = LoadOptions::default();
    let again =
        parse_str(&text, "again", Path::new(""), &options).map_err(|failed| failed.to_string())?;
    let with_paths = |scene| scene_as_json(scene, None);
    if with_paths(&again.scene) == with_paths(scene) && again.scene.classes() == scene.classes() {
        Ok(())
    } else {
        Err(format!("written and read, it differs:\n{text}"))
    }
}

/// Compares numbers with the tolerance, and quaternions up to the sign; all else has to be equal.
fn close(actual: &Value, expected: &Value, tolerance: f64, path: &str) -> Result<(), String> {
    let differ = || Err(format!("{path}: found {actual}, expected {expected}"));
    match (actual, expected) {
        (Value::Number(one), Value::Number(other)) => {
            let difference = one.as_f64().unwrap() - other.as_f64().unwrap();
            if difference.abs() <= tolerance {
                Ok(())
            } else {
                differ()
            }
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let same = |sign: f64| {
                one.iter()
                    .zip(other)
                    .try_for_each(|(one, other)| match one.as_f64() {
                        Some(number) => close(&Value::from(sign * number), other, tolerance, path),
                        None => close(one, other, tolerance, path),
                    })
            };
            if path.ends_with(".q") && same(-1.0).is_ok() {
                return Ok(());
            }
            same(1.0)
        }
        (Value::Object(one), Value::Object(other))
            if one.len() == other.len() && one.keys().all(|key| other.contains_key(key)) =>
        {
            one.iter().try_for_each(|(key, value)| {
                close(value, &other[key], tolerance, &format!("{path}.{key}"))
            })
        }
        _ if actual == expected => Ok(()),
        _ => differ(),
    }
}
