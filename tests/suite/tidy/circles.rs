//! Cyclic dependencies: files of a crate that depend on each other cannot be read one after the other.
use std::collections::{BTreeMap, BTreeSet};

use super::{
    Source,
    code::{Token, paths, tokens},
    layers::resolved,
    sources,
};

/// Known cycles: files that form one subject in several files.
const KNOWN: [&str; 10] = [
    "actuators: armature::motion -> armature::reach",
    "geometry: mesh::gltf::file -> mesh::gltf::uri",
    "morse-sim: cli::pictures -> cli::render -> cli::run",
    "morse-sim: cli::test::attempt -> cli::test::verdicts",
    "physics: mass -> shapes",
    "render: appearance -> pixels -> projection -> render_scene -> shade -> shadow -> tile",
    "simulation_file: component -> object -> read",
    "simulation_file: fields -> reader",
    "viewer: bar -> camera -> gizmos -> pick",
    "viewer: occlusion -> window",
];

/// Dependencies: each file with the files that it names. A file and those in the folder of its name are one node.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// Returns the dependencies between the files of one crate.
fn arrows(files: &[(Vec<&str>, &Source)]) -> Arrows {
    let modules: BTreeSet<&[&str]> = files.iter().map(|(module, _)| module.as_slice()).collect();
    let mut arrows = Arrows::new();
    for (module, source) in files {
        let to = arrows.entry(module.join("::")).or_default();
        for named in paths(&code(&source.text)) {
            let Some(path) = resolved(module, &named) else {
                continue;
            };
            let known = (1..=path.len()).rev().map(|length| &path[..length]);
            let target = known.into_iter().find(|path| modules.contains(path));
            let is_near =
                |target: &[&str]| module.starts_with(target) || target.starts_with(module);
            if let Some(target) = target.filter(|target| !is_near(target)) {
                to.insert(target.join("::"));
            }
        }
    }
    arrows
}

/// Returns the tokens before a file's tests.
fn code(text: &str) -> Vec<Token> {
    let tests = text.find("#[cfg(test)]\nmod tests {");
    tokens(&text[..tests.unwrap_or(text.len())])
}

/// Returns the strongly connected components: files that can be reached from themselves, together with those that reach
/// back.
fn circles(arrows: &Arrows) -> Vec<Vec<String>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = arrows
        .keys()
        .map(|file| (file.as_str(), reached(arrows, file)))
        .collect();
    let mut circles: BTreeSet<Vec<String>> = BTreeSet::new();
    for (file, reached) in &reach {
        let back = |other: &&&str| reach.get(**other).is_some_and(|back| back.contains(file));
        let circle: Vec<String> = reached
            .iter()
            .filter(back)
            .map(|&file| file.to_owned())
            .collect();
        if !circle.is_empty() {
            circles.insert(circle);
        }
    }
    circles.into_iter().collect()
}

fn reached<'a>(arrows: &'a Arrows, from: &str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&str> = arrows
        .get(from)
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    while let Some(file) = next.pop() {
        if reached.insert(file) {
            next.extend(arrows.get(file).into_iter().flatten().map(String::as_str));
        }
    }
    reached
}

/// Returns the cycles of all crates.
fn all(files: &[Source]) -> Vec<String> {
    let mut crates: BTreeMap<&str, Vec<(Vec<&str>, &Source)>> = BTreeMap::new();
    for source in files {
        let Some((name, file)) = crate_and_path(&source.path) else {
            continue;
        };
        let module: Vec<&str> = file.trim_end_matches(".rs").split('/').collect();
        let module = match module.as_slice() {
            ["lib" | "main"] | [.., "tests"] => continue,
            [above @ .., "mod"] => above.to_vec(),
            whole => whole.to_vec(),
        };
        crates.entry(name).or_default().push((module, source));
    }
    crates
        .iter()
        .flat_map(|(name, files)| {
            let circles = circles(&arrows(files)).into_iter();
            circles.map(move |circle| format!("{name}: {}", circle.join(" -> ")))
        })
        .collect()
}

/// Returns the crate of a file, and its path there.
fn crate_and_path(path: &str) -> Option<(&str, &str)> {
    let others = path.strip_prefix("plugins/");
    match others.or(path.strip_prefix("tools/")) {
        Some(rest) => rest.split_once("/src/"),
        None => Some(("morse-sim", path.strip_prefix("src/")?)),
    }
}

#[test]
fn no_more_files_need_each_other() {
    let circles = all(&sources(&["src", "plugins", "tools"], &["rs"]));
    assert_eq!(circles, KNOWN, "{}", circles.join("\n"));
    let planted = |texts: &[(&str, &str)]| {
        let planted = |(path, text): &(&str, &str)| Source::planted(path, text);
        all(&texts.iter().map(planted).collect::<Vec<_>>())
    };
    let [a, b, c] = ["a", "b", "c"].map(|name| format!("plugins/x/src/{name}.rs"));
    let circles = planted(&[
        (&a, "use crate::b::B;"),
        (&b, "fn f(c: super::c::C) {}"),
        (&c, "use crate::{a::A, d::D};"),
    ]);
    assert_eq!(circles, ["x: a -> b -> c"]);
    let in_tests = "use crate::c::C;\n#[cfg(test)]\nmod tests { use crate::a::A; }";
    assert!(planted(&[(&a, "use crate::b::B;"), (&b, in_tests), (&c, "")]).is_empty());
}
