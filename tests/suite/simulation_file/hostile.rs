//! Malicious files and arguments, and accidentally damaged ones.
use std::time::Duration;

use morse_sim::scene::{
    diagnostic::Sources,
    simulation::{check as check_simulation, load},
};

use super::vocabulary::Toy;
use super::{PATROL, read, scene, shown};

/// Reads hostile bytes: they must cause a message, quickly, without control characters.
fn endure(what: &str, bytes: &[u8]) {
    let (sender, receiver) = std::sync::mpsc::channel();
    let owned = bytes.to_vec();
    std::thread::Builder::new()
        .name(what.to_owned())
        .spawn(move || {
            let mut sources = Sources::default();
            let loaded = load("hostile.ron", &owned, &[], &Toy, &mut sources);
            let mut diagnostics = loaded.diagnostics;
            diagnostics.extend(check_simulation(&loaded.simulation, &scene(), &Toy));
            sender
                .send(shown(&diagnostics, &sources))
                .expect("somebody waits");
        })
        .expect("a thread");
    let text = receiver
        .recv_timeout(LONGEST)
        .unwrap_or_else(|failure| panic!("{what}: {failure}"));
    assert!(text.contains("error["), "{what}: nothing was said");
    let is_harmful = |c: char| c.is_control() && c != '\n' && c != '\t';
    assert!(!text.contains(is_harmful), "{what}: {text:?}");
    assert!(
        text.len() < 200_000,
        "{what}: {} bytes were said",
        text.len()
    );
}

/// Ten times the duration on a quiet machine.
const LONGEST: Duration = Duration::from_secs(20);

#[test]
fn hostile_files_get_an_answer() {
    let many = |text: &str, count: usize| text.repeat(count).into_bytes();
    let within = |start: &str, text: &str, count: usize, end: &str| {
        [start, &text.repeat(count), end].concat().into_bytes()
    };
    endure("open parentheses", &many("(", 100_000));
    endure("open brackets", &many("[", 100_000));
    endure("nested options", &many("Some(", 100_000));
    endure("nested fields", &many("a:(", 100_000));
    endure("nested maps", &many("{\"a\":", 100_000));
    endure("nested comments", &many("/*", 1_000_000));
    endure("closers", &many(")", 1_000_000));
    endure("quotes", &many("\"", 999_999));
    endure("apostrophes", &many("'", 999_999));
    endure("hashes", &many("r#", 1_000_000));
    endure("signs", &many("-", 1_000_000));
    endure(
        "digits",
        &within("(environment: (rate: ", "9", 1_000_000, "))"),
    );
    endure("one long word", &within("(", "a", 10_000_000, ": 1)"));
    endure("values", &within("(bodies: [", "1,", 5_000_000, "])"));
    endure(
        "values without commas",
        &within("(bodies: [", "1 ", 5_000_000, "])"),
    );
    endure("colons", &within("(a", ":", 5_000_000, ")"));
    endure("commas", &within("(", ",", 5_000_000, ")"));
    endure("unknown fields", &within("(", "a:1,", 400_000, ")"));
    endure("bad bytes", &[0xFF; 1_000_000]);
    endure("bytes of zero", &[0; 1_000_000]);
    endure("too large", &vec![b' '; 64 * 1024 * 1024 + 1]);
    endure("blanks", &vec![b' '; 64 * 1024 * 1024]);
    endure(
        "escapes",
        b"Simulation(\x1b[2J: \x1b]0;x\x07, scene: \"\x1b[31m)",
    );
}

#[test]
fn large_files_with_wrong_names_get_an_answer() {
    let robot = |n| {
        format!(
            r#""r{n}": (model: "m", repeat: (count: 9, pattern: circle(1)), services: ["x{n}"]),"#
        )
    };
    let robots: String = (0..60_000).map(robot).collect();
    let middleware = |n| format!(r#""m{n}": (kind: "text"),"#);
    let middlewares: String = (0..60_000).map(middleware).collect();
    let text = format!("(robots: {{ {robots} }}, middlewares: {{ {middlewares} }})");
    endure("names", text.as_bytes());
    let sensor = |n| format!(r#""s{n}": (kind: "gps", on: "s{}"),"#, (n + 1) % 100_000);
    let sensors: String = (0..100_000).map(sensor).collect();
    let text = format!(r#"(robots: {{ "r": (model: "m", sensors: {{ {sensors} }}) }})"#);
    endure("a long circle", text.as_bytes());
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..proptest::prelude::ProptestConfig::default()
    })]

    /// Reading a modified valid file does not panic, and accepted files are RON.
    #[test]
    fn damaged_files_do_no_damage(at in 0..PATROL.len(), length in 0..40_usize, put in r#"[\PC\x00-\x1f"'(){}\[\],:/*#]{0,6}"#) {
        let mut characters: Vec<char> = PATROL.chars().collect();
        let end = (at + length).min(characters.len());
        characters.splice(at..end, put.chars());
        let text: String = characters.into_iter().collect();
        let (loaded, sources) = read(&text, &["environment.seed=3"]);
        shown(&loaded.diagnostics, &sources);
        shown(&check_simulation(&loaded.simulation, &scene(), &Toy), &sources);
        if loaded.is_fine() {
            let options = ron::Options::default().with_default_extension(ron::extensions::Extensions::IMPLICIT_SOME);
            proptest::prop_assert!(options.from_str::<serde::de::IgnoredAny>(&text).is_ok(), "{text}");
        }
    }

    /// Any argument is either accepted or explained.
    #[test]
    fn arguments_of_any_form_are_answered(argument in r"(robots|environment|bodies)?(\.[a-z0-9\u{e9}]{0,3}){0,3}=?\PC{0,8}") {
        let (loaded, sources) = read(PATROL, &[&argument]);
        shown(&loaded.diagnostics, &sources);
    }
}
