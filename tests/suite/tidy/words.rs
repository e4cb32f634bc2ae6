//! Words of code and documentation: standard terms, one word for one thing. `CONTRIBUTING.md` has the glossary.
use super::{Source, assert_clean, code::tokens, rust};

/// Names that the glossary replaces: the crate in which they are refused (empty for all), the name, and the standard term.
/// A name with an underscore at its end or beginning stands for all names that begin or end with it.
const NAMES: &[(&str, &str, &str)] = &[
    ("", "BEAT", "POLL_INTERVAL"),
    ("", "Found", "the noun"),
    ("", "_found", "the noun, without `found`"),
    ("", "found", "the quantity, actual, or the noun"),
    ("", "found_", "the noun, without `found`"),
    ("", "FAREWELL", "CLOSE_TIMEOUT"),
    ("plugins/web", "tidy", "reap"),
    ("", "PATIENCE", "TIMEOUT, with the noun of what ends"),
    ("", "PLACE", "POSITION"),
    ("", "PLACES", "POSITIONS"),
    (
        "",
        "Part",
        "Component, Segment, Entry, Fraction, or the noun",
    ),
    ("", "Place", "Position, Pose, Span, or the noun"),
    ("", "Places", "Positions, Indices"),
    ("", "hear", "read, receive"),
    ("", "nobody", "none"),
    (
        "",
        "part",
        "component, segment, field, entry, fraction, or the noun",
    ),
    (
        "",
        "parts",
        "components, segments, fields, entries, or the noun",
    ),
    ("", "place", "index, pose, position, span, or a verb"),
    ("", "places", "indices, poses, positions, spans"),
    ("", "somebody", "the noun"),
    ("", "told", "commanded, reported, notified"),
    ("", "nearness", "inverse_range"),
    ("", "movers", "integrators"),
    ("", "rivals", "arbitration"),
    ("", "unbearable", "over_limit"),
    ("plugins", "ask", "request, call"),
    ("plugins", "tell", "publish, send, set"),
    ("plugins", "way", "displacement, distance, direction"),
    ("plugins", "ways", "displacements, distances, directions"),
    ("plugins", "want", "require, expect"),
    ("plugins", "wants", "requires, expects"),
    ("src", "ask", "request, call"),
    ("src", "tell", "publish, print, set"),
    ("src", "way", "displacement, distance, direction"),
    ("src", "want", "require, expect"),
    ("src", "wants", "requires, expects"),
    ("plugins/mechanisms", "BOUNCE", "RESTITUTION_THRESHOLD"),
    (
        "plugins/mechanisms",
        "FASTEST_RETURN",
        "MAX_DEPENETRATION_VELOCITY",
    ),
    ("plugins/mechanisms", "KEPT", "TOLERANCE"),
    ("plugins/mechanisms", "Mover", "Integrator"),
    ("plugins/mechanisms", "RETURN", "BAUMGARTE"),
    ("plugins/mechanisms", "Resistance", "JointDynamics"),
    ("plugins/mechanisms", "Row", "ConstraintRow, JointRow"),
    ("plugins/mechanisms", "TOUCHING", "CONTACT_SLOP"),
    ("plugins/mechanisms", "Touch", "ContactRows"),
    ("plugins/mechanisms", "Work", "Workspace"),
    ("plugins/mechanisms", "conditions", "constraints"),
    ("plugins/mechanisms", "gather", "backward_pass"),
    ("plugins/mechanisms", "go_back", "back_substitute"),
    ("plugins/mechanisms", "guess", "newton_step"),
    ("plugins/mechanisms", "lag", "regularise_tangent"),
    ("plugins/mechanisms", "of_joints", "add_joint_rows"),
    ("plugins/mechanisms", "parts_of", "substep_count"),
    ("plugins/mechanisms", "place_ahead", "predict"),
    ("plugins/mechanisms", "place_of", "pose_of"),
    ("plugins/mechanisms", "press", "set_normal_compliance"),
    ("plugins/mechanisms", "pushes", "external_forces"),
    ("plugins/mechanisms", "rub", "project_onto_friction_cone"),
    ("plugins/mechanisms", "stiffen", "regularise"),
    ("plugins/mechanisms", "take_back", "rollback"),
    ("plugins/mechanisms", "tell_efforts", "store_efforts"),
    ("plugins/mechanisms", "tell_joints", "store_joint_impulses"),
    ("plugins/mechanisms", "who", "block, side"),
    ("plugins/geometry", "reach", "range_max, extent, radius"),
    ("plugins/physics", "reach", "range_max, extent, radius"),
    ("plugins/render", "reach", "range_max, extent, radius"),
    ("plugins/ros", "reach", "range_max, extent, radius"),
    ("plugins/sensors", "reach", "range_max, extent, radius"),
    ("plugins/viewer", "reach", "range_max, extent, radius"),
    ("plugins/description", "Choice", "Conditional"),
    ("plugins/description", "Marks", "Punctuation"),
    ("plugins/openr", "Cell", "ObjectRunner"),
    ("plugins/openr", "Clerk", "HandlerContext"),
    ("plugins/openr", "Desk", "EventQueue"),
    ("plugins/openr", "Office", "SchedulerFactory"),
    ("plugins/physics", "Lent", "CoupledBody"),
    ("plugins/physics", "Touch", "ContactPoint"),
    ("plugins/physics", "doubts", "lints"),
    ("plugins/physics", "gather", "collect_contacts"),
    ("plugins/physics", "heal", "recover_non_finite"),
    ("plugins/physics", "keep_up", "integrate_poses"),
    ("plugins/physics", "lent", "coupled"),
    ("plugins/physics", "pulled", "coupled"),
    ("plugins/physics", "stirred", "wake_requests"),
    ("plugins/physics", "take_up", "read_engine"),
];

/// Names of the pieces of meshes, of models on a robot, and of data of touch sensors.
const PARTS: &[&str] = &["Part", "part", "parts"];

/// Paths below which some of the names are in use.
const EXCEPTIONS: &[(&str, &[&str])] = &[
    ("plugins/api/src/world_view.rs", PARTS),
    ("plugins/compiled", PARTS),
    ("plugins/geometry", PARTS),
    ("plugins/lsp/src/simulation/names.rs", PARTS),
    ("plugins/physics", PARTS),
    ("plugins/render", PARTS),
    ("plugins/ros/src/contacts.rs", PARTS),
    ("plugins/sensors/src/contact.rs", PARTS),
    ("plugins/simulation_file", PARTS),
    ("plugins/viewer", PARTS),
    ("plugins/web/src/scene.rs", PARTS),
    ("src/simulation", PARTS),
    ("tests/fuzz", PARTS),
    ("tests/suite", &["parts"]),
    ("tools/bodies", PARTS),
];

/// Words of documentation for things that are no persons, with plain ones.
const WORDS: [(&str, &str); 17] = [
    ("ask", "request, call"),
    ("asks", "requests, calls"),
    ("hear", "receive"),
    ("heard", "received"),
    ("hears", "receives"),
    ("knows", "has, contains, stores"),
    ("likewise", "(repeat the noun)"),
    ("nobody", "no client, none"),
    ("somebody", "a client, something"),
    ("tell", "return, report, distinguish"),
    ("telling", "reporting"),
    ("tells", "returns, reports, true if"),
    ("told", "commanded, reported"),
    ("want", "require, expect"),
    ("wants", "requires, expects"),
    ("whoever", "whatever, the client that"),
    ("whom", "which client"),
];

/// First words of documentation that need another sentence to be understood.
const FIRST_WORDS: [&str; 3] = ["Of", "As", "Likewise"];

/// Returns true if a name is the one of an entry, or begins or ends with it.
fn is_named(name: &str, entry: &str) -> bool {
    name == entry
        || entry.ends_with('_') && name.starts_with(entry)
        || entry.starts_with('_') && name.ends_with(entry)
}

fn is_exception(path: &str, entry: &str) -> bool {
    let mut exceptions = EXCEPTIONS.iter();
    exceptions.any(|(scope, entries)| path.starts_with(scope) && entries.contains(&entry))
}

/// Identifiers that the glossary replaces.
fn names(file: &Source) -> Vec<String> {
    if file.path.ends_with("tidy/words.rs") {
        return Vec::new();
    }
    let violations = tokens(&file.text).into_iter().filter_map(|token| {
        let is_refused = |(scope, old, _): &&(&str, &str, &str)| {
            is_named(&token.text, old)
                && file.path.starts_with(scope)
                && !is_exception(&file.path, old)
        };
        let (_, _, new) = NAMES.iter().find(is_refused)?;
        Some(format!(
            "{}:{}: `{}`: write {new}",
            file.path, token.line, token.text
        ))
    });
    violations.collect()
}

/// Words of doc comments that are refused.
fn words(file: &Source) -> Vec<String> {
    let mut violations = Vec::new();
    let mut is_inside = false;
    for (number, line) in file.text.lines().enumerate() {
        let line = line.trim_start();
        let docs = line
            .strip_prefix("///")
            .or_else(|| line.strip_prefix("//!"));
        let Some(docs) = docs else {
            is_inside = false;
            continue;
        };
        let mut problem = |old: &str, new: &str| {
            violations.push(format!("{}:{}: “{old}”: {new}", file.path, number + 1));
        };
        let words: Vec<&str> = docs
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        for word in &words {
            let lower = word.to_lowercase();
            if let Some((old, new)) = WORDS.iter().find(|(old, _)| *old == lower) {
                problem(old, new);
            }
        }
        let first = words.first().filter(|_| !is_inside);
        if let Some(first) = first.filter(|first| FIRST_WORDS.contains(first)) {
            problem(first, "begin with the noun");
        }
        is_inside = true;
    }
    violations
}

#[test]
fn names_are_standard_terms() {
    assert_clean(&rust(), names);
    let planted = |text| names(&Source::planted("a.rs", text));
    assert_eq!(
        planted("let told = 1;\n// hear\nlet heard = \"hear\";\n"),
        ["a.rs:1: `told`: write commanded, reported, notified"]
    );
    let text = "let Place { place, placed } = \"place\"; // in place\n";
    assert_eq!(planted(text).len(), 2);
    let text = "fn founded() { let (found, found_at, is_found) = is_found_by(\"found\"); }\n";
    assert_eq!(planted(text).len(), 3);
    let parts = |path| names(&Source::planted(path, "let parts = mesh.parts;\n")).len();
    assert_eq!(
        (parts("a.rs"), parts("plugins/geometry/src/mesh.rs")),
        (2, 0)
    );
}

#[test]
fn documentation_is_plain() {
    assert_clean(&rust(), words);
    let planted = |text| words(&Source::planted("a.rs", text)).len();
    assert_eq!(planted("/// Tells whether it is on.\n"), 1);
    assert_eq!(planted("/// Of each link.\n/// Of which some move.\n"), 1);
    assert_eq!(planted("/// True if it is on.\n// Nobody knows.\n"), 0);
}
