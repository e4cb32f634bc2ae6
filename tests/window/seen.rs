//! Tests of the window, on an X server without a screen.
#![cfg(test)]
use std::{
    path::{Path, PathBuf},
    process::{Output, Stdio},
};

use crate::{
    picture::Picture,
    require::left_out,
    screen::{Screen, program, wait_for},
};

/// A box falls beside a robot that drives; nothing else.
const SCENE: &str = r#"Simulation(
    environment: (rate: 60),
    scene: Some("world.robray"),
    robots: {
        "rover": (
            model: "robots/atrv.robray",
            sensors: { "pose": (kind: "pose"), "scan": (kind: "sick", mount: (translation: (0.4, 0, 0.5))) },
            actuators: { "keys": (kind: "keyboard") },
        ),
    },
)"#;

const WORLD: &str = r#"
frame floor { geometry { shape box; dimension [20, 20, 0.1]; color [0.55, 0.6, 0.55]; } translation [0, 0, -0.05]; }
frame crate { geometry { shape box; dimension [0.6, 0.6, 0.6]; color [0.9, 0.3, 0.15]; } translation [2, 1, 0.3]; }
"#;

fn scene(directory: &Path) -> PathBuf {
    std::fs::write(directory.join("world.robray"), WORLD).unwrap();
    let file = directory.join("scene.ron");
    std::fs::write(&file, SCENE).unwrap();
    file
}

/// Returns the state hash of a run that succeeded.
fn hash(output: &Output) -> String {
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{out}{err}");
    let summary: serde_json::Value = serde_json::from_str(out.trim()).unwrap();
    summary["state_hash"].as_str().unwrap().to_owned()
}

#[test]
fn it_shows_the_run_and_leaves_it_as_it_is() {
    let Some(screen) = Screen::start() else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    scene(directory);
    let arguments = ["scene.ron", "--until", "2s", "--json"];
    let alone = hash(&program(&arguments, directory).output().unwrap());
    let screenshots = [
        "--view-screenshot",
        "seen.png",
        "--view-screenshot",
        "again.png",
    ];
    let viewed = [&arguments[..], &["--view"], &screenshots].concat();
    let viewed = hash(&screen.program(&viewed, directory).output().unwrap());
    assert_eq!(viewed, alone, "a window changes nothing");
    let seen = Picture::read(&directory.join("seen.png"));
    assert_eq!((seen.width, seen.height), (1280, 800));
    let again = Picture::read(&directory.join("again.png"));
    assert!(again.pixels == seen.pixels, "both are of the same frame");
    // The bar with its texts, the tree, and the world between the panels.
    assert!(seen.colors(0, 0, 1280, 30) > 20, "the bar is empty");
    assert!(seen.colors(0, 40, 200, 300) > 20, "the tree is empty");
    let is_crate =
        |[red, green, blue]: &[u8; 3]| *red > 110 && *green < *red / 2 && *blue < *red / 2;
    let crates = seen.pixels.iter().filter(|pixel| is_crate(pixel)).count();
    assert!(crates > 500, "the red crate is not seen: {crates} pixels");
    check_against_reference(&seen, &directory.join("seen.png"), "window");
}

/// Checks that a picture differs little from a reference picture that was inspected by a person.
fn check_against_reference(seen: &Picture, file: &Path, name: &str) {
    let reference =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/pictures/{name}.png"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::copy(file, &reference).unwrap();
    }
    let apart = seen.apart(&Picture::read(&reference), 8);
    assert!(
        apart < 4.0,
        "{name}.png differs from the one that was looked at by {apart:.2} of 255"
    );
}

#[test]
fn keys_hold_the_run_and_drive() {
    let Some(screen) = Screen::start().filter(|_| Screen::has_keys()) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    scene(directory);
    let arguments = [
        "scene.ron",
        "--view",
        "--view-screenshot",
        "t=0.1s:begun.png",
        "--output",
        "csv:out",
    ];
    let mut command = screen.program(&arguments, directory);
    let mut running = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&directory.join("begun.png"));
    screen.focus();
    // Into the view, past the panels.
    screen.click(640, 780);
    screen.press("space");
    // The name of the picture contains the tick. A slow driver takes a while to draw, and to process keys.
    let mut last = shot(&screen, directory);
    let mut next = |is_it: &dyn Fn(&Path, &Path) -> bool| {
        (0..20).any(|_| {
            let now = shot(&screen, directory);
            is_it(&std::mem::replace(&mut last, now.clone()), &now)
        })
    };
    assert!(next(&|before, now| before == now), "time has not stopped");
    screen.press("space");
    assert!(next(&|before, now| before != now), "time has not gone on");
    running.kill().unwrap();
    running.wait().unwrap();
}

/// Takes a picture by a key, and removes its file.
fn shot(screen: &Screen, directory: &Path) -> PathBuf {
    taken(screen, directory).0
}

/// Takes a picture of the window; returns its name and content.
fn taken(screen: &Screen, directory: &Path) -> (PathBuf, Picture) {
    screen.press("F12");
    let is_it = |file: &PathBuf| file.to_string_lossy().contains("window-");
    for _ in 0..600 {
        std::thread::sleep(std::time::Duration::from_millis(100));
        let files = std::fs::read_dir(directory).unwrap();
        let mut files = files.map(|entry| entry.unwrap().path());
        if let Some(file) = files.find(is_it) {
            // The last byte follows soon.
            std::thread::sleep(std::time::Duration::from_millis(500));
            let picture = Picture::read(&file);
            std::fs::remove_file(&file).unwrap();
            return (file, picture);
        }
    }
    panic!("no picture was taken in a minute");
}

#[test]
fn out_of_sight_it_rests_and_comes_back() {
    let Some(screen) = Screen::start().filter(|_| Screen::has_keys()) else {
        return;
    };
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path();
    scene(directory);
    let arguments = [
        "scene.ron",
        "--rtf",
        "1",
        "--view",
        "--view-screenshot",
        "t=0.1s:begun.png",
    ];
    let mut command = screen.program(&arguments, directory);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut running = command.spawn().unwrap();
    wait_for(&directory.join("begun.png"));
    if drawing_takes(running.id()).is_none() {
        left_out(
            "screen",
            "llvmpipe does not draw: whether a window rests is not tried",
        );
    } else {
        let comes = |is_drawn| {
            (0..20)
                .any(|_| drawing_takes(running.id()).is_some_and(|time| is_drawn == (time > 0.0)))
        };
        assert!(comes(true), "nothing is drawn while it is seen");
        screen.move_to(3000, 3000);
        assert!(comes(false), "it is drawn although nobody sees it");
        screen.move_to(0, 0);
        assert!(comes(true), "it is not drawn any more");
    }
    screen.focus();
    screen.click(640, 780);
    let back = shot(&screen, directory);
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(back.to_string_lossy().contains("window-"), "{back:?}");
}

/// Returns the processor time in seconds that llvmpipe's threads use within the next two seconds; `None` without such
/// threads. See proc(5).
fn drawing_takes(process: u32) -> Option<f64> {
    let used = || -> Option<f64> {
        let threads = std::fs::read_dir(format!("/proc/{process}/task")).ok()?;
        let threads = threads.filter_map(|thread| Some(thread.ok()?.path()));
        let read = |file: PathBuf| std::fs::read_to_string(file).unwrap_or_default();
        let drawing: Vec<_> = threads
            .filter(|thread| read(thread.join("comm")).starts_with("llvmpipe"))
            .collect();
        // User and system time are the 12th and 13th after the name, a hundred a second.
        let seconds = |thread: PathBuf| -> f64 {
            let stat = read(thread.join("stat"));
            let fields = stat.rsplit(')').next().unwrap_or_default();
            let times = fields.split_whitespace().skip(11).take(2);
            times
                .filter_map(|time| time.parse::<f64>().ok())
                .sum::<f64>()
                / 100.0
        };
        (!drawing.is_empty()).then(|| drawing.into_iter().map(seconds).sum())
    };
    let before = used()?;
    std::thread::sleep(std::time::Duration::from_secs(2));
    Some(used()? - before)
}

#[test]
fn without_a_screen_it_says_so() {
    let directory = tempfile::tempdir().unwrap();
    scene(directory.path());
    let output = program(&["scene.ron", "--until", "1s", "--view"], directory.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("no window can be opened: there is no screen: neither DISPLAY nor WAYLAND_DISPLAY is set"), "{said}");
    assert!(said.contains("use `--serve` and a browser"), "{said}");
}

#[test]
fn a_screen_that_is_not_there_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    scene(directory.path());
    let mut command = program(&["scene.ron", "--until", "1s", "--view"], directory.path());
    let output = command.env("DISPLAY", ":77").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(
        said.contains("no window can be opened: the screen or its driver failed"),
        "{said}"
    );
}

#[test]
fn mistakes_in_a_scene_open_no_window() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("bad.ron"), "Simulation(robots: 3)").unwrap();
    let output = program(&["bad.ron", "--view"], directory.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
}

/// A rover at night, with a lamp and with objects that drive it.
fn at_night(directory: &Path, is_lit: bool) {
    std::fs::write(directory.join("world.robray"), WORLD).unwrap();
    let stick = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/sticks/rover/OPEN-R/MW/CONF");
    let conf = directory.join("stick/OPEN-R/MW/CONF");
    std::fs::create_dir_all(&conf).unwrap();
    for name in ["OBJECT.CFG", "CONNECT.CFG"] {
        std::fs::copy(stick.join(name), conf.join(name)).unwrap();
    }
    let scene = format!(
        r#"Simulation(
            environment: (rate: 60, light: (sun: (strength: 0), ambient: (strength: 0))),
            scene: "world.robray",
            robots: {{ "rover": (
                model: "robots/atrv.robray", at: (translation: (0, 0, 0.1), rpy: (0, 0, 0.46)),
                sensors: {{ "pose": (kind: "pose", outputs: {{ "objects": () }}) }},
                actuators: {{
                    "motion": (kind: "v_omega", inputs: ["objects"]),
                    "lamp": (kind: "light", emit: {is_lit}, energy: 2, size: 1.2, mount: (translation: (0.5, 0, 0.6))),
                }},
            ) }},
            middlewares: {{ "objects": (kind: "openr", directory: "stick") }},
        )"#
    );
    std::fs::write(directory.join("night.ron"), scene).unwrap();
}

#[test]
fn lamps_shine_on_the_scene() {
    let Some(screen) = Screen::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path();
    let reddish = [true, false].map(|is_lit| {
        at_night(directory, is_lit);
        let arguments = [
            "night.ron",
            "--until",
            "0.2s",
            "--view",
            "--view-screenshot",
            "seen.png",
        ];
        let ran = screen.program(&arguments, directory).output().unwrap();
        assert!(
            ran.status.success(),
            "{}",
            String::from_utf8_lossy(&ran.stderr)
        );
        let seen = Picture::read(&directory.join("seen.png"));
        let is_red = |[red, green, _]: &&[u8; 3]| *red > 60 && *green < *red / 2;
        seen.pixels.iter().filter(is_red).count()
    });
    assert!(
        reddish[0] > 300 && reddish[1] < reddish[0] / 10,
        "the crate: {reddish:?} pixels"
    );
}

#[test]
fn objects_and_their_links_are_seen() {
    let Some(screen) = Screen::start().filter(|_| Screen::has_keys()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let directory = folder.path();
    at_night(directory, true);
    let arguments = [
        "night.ron",
        "--view",
        "--view-screenshot",
        "t=0.1s:begun.png",
    ];
    let mut running = screen
        .program(&arguments, directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&directory.join("begun.png"));
    screen.focus();
    screen.click(640, 500);
    // Pixels of links whose observer is ready, and of others.
    let links = || {
        let (_, seen) = taken(&screen, directory);
        let close = |pixel: &[u8; 3], wanted: [u8; 3]| {
            let channels = pixel.iter().zip(wanted);
            channels
                .into_iter()
                .all(|(channel, wanted)| channel.abs_diff(wanted) < 12)
        };
        let is_link =
            |pixel: &&[u8; 3]| close(pixel, [90, 175, 120]) || close(pixel, [215, 165, 70]);
        seen.pixels.iter().filter(is_link).count()
    };
    let before = links();
    screen.press("F6");
    let is_seen = (0..20).any(|_| links() > before + 150);
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(is_seen, "{before} pixels before");
}
