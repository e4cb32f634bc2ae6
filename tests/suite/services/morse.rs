//! MORSE's services, all 98 of them: the implemented ones, and the reasons for the others.
#![cfg(test)]
use std::collections::BTreeMap;

use morse_sim::{
    cli::{describe, exit},
    simulation::no_extensions,
};

/// One line per service: the component, its name, and `here`, `later` (the component does not exist here, or lacks some of
/// its services), `elsewhere` and its replacement, or `never` and the reason. A family in brackets stands for all its kinds.
const LIST: &str = include_str!("morse.txt");

/// Returns the services of each kind, by family and word, and those that all kinds have.
fn offered() -> BTreeMap<String, Vec<String>> {
    let args = describe::Args {
        all: true,
        json: true,
        ..describe::Args::default()
    };
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let code = describe::run(&args, &no_extensions, &mut out, &mut err);
    assert_eq!(code, exit::FINE);
    let mut offered = BTreeMap::new();
    for value in serde_json::Deserializer::from_slice(&out).into_iter::<serde_json::Value>() {
        let value = value.unwrap();
        let names = value["services"].as_array().unwrap().iter();
        let names: Vec<String> = names
            .map(|service| service["name"].as_str().unwrap().to_owned())
            .collect();
        let word = value["kind"].as_str().unwrap().to_owned();
        offered
            .entry(word)
            .or_insert_with(Vec::new)
            .extend(names.clone());
        let family = format!("({})", value["family"].as_str().unwrap());
        let common = offered.entry(family).or_insert_with(|| names.clone());
        common.retain(|name| names.contains(name));
    }
    offered
}

#[test]
fn each_service_of_morse_is_here_or_accounted_for() {
    let offered = offered();
    let has = |on: &str, service: &str| {
        offered
            .get(on)
            .is_some_and(|names| names.iter().any(|name| name == service))
    };
    let mut wrong = Vec::new();
    let mut count = BTreeMap::new();
    for line in LIST
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [on, service, state, why @ ..] = words.as_slice() else {
            panic!("{line}");
        };
        *count.entry(*state).or_insert(0) += 1;
        match *state {
            "here" if !has(on, service) => wrong.push(format!("missing: {on} {service}")),
            "never" if has(on, service) => wrong.push(format!("here after all: {on} {service}")),
            "never" | "elsewhere" if why.is_empty() => {
                wrong.push(format!("why not: {on} {service}"));
            }
            "here" | "later" | "elsewhere" | "never" => {}
            _ => panic!("{line}"),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count.values().sum::<usize>(), 98, "{count:?}");
}
