//! Values that are drawn at random: `between(10, 20)` or `one_of("a", "b")` instead of a value.
//!
//! They are replaced in the tree before anything is read from it. Each value has a random stream of its own, by its path and
//! the seed, so that it does not depend on the others.

use morse_api::random::Random;
use morse_diagnostics::Span;

use super::index::Recorder;
use super::problem::{Problems, error, quoted};
use super::tree::{Kind, Node};

/// A value that was drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawn {
    /// Path of the value, as `--set` takes it: `robots.rover.mass`.
    pub path: String,
    /// The value, as it can be written in the file.
    pub value: String,
}

/// Choice of values.
#[derive(Clone, Copy)]
enum Choice {
    /// At random, with a seed.
    Random(u64),
    /// The first bound or value of each, or the next one of those that have as many.
    Nth(usize),
}

/// Number of values that a `one_of` may always have, and maximum in a small file: a file is read once for each of them.
const VALUES: [usize; 2] = [64, 1000];

/// Number of nodes of all readings of a file, from which a `one_of` may have fewer values.
const MOST_NODES: usize = 4_000_000;

/// Draws the ranges of a tree, reads the tree, and returns the values that were drawn. `path` is the path of the tree in the
/// file. All bounds of ranges are read, so that mistakes in them do not depend on the seed.
pub(super) fn read_drawn<T>(
    root: &mut Node,
    (path, seed): (&[&str], u64),
    index: &mut Recorder,
    problems: &mut Problems,
    read: impl Fn(&Node, &mut Recorder, &mut Problems) -> T,
) -> (T, Vec<Drawn>) {
    let variants = variants(root);
    if variants == 0 {
        return (read(root, index, problems), Vec::new());
    }
    let [least, most] = VALUES;
    let most = (MOST_NODES / size(root)).clamp(least, most);
    let draw = |root: &mut Node, choice: Choice, problems: &mut Problems| {
        let mut search = Search {
            choice,
            most,
            path: path.iter().map(ToString::to_string).collect(),
            drawn: Vec::new(),
            problems,
        };
        search.look_at(root);
        search.drawn
    };
    for variant in 0..variants.min(most) {
        let mut root = root.clone();
        draw(&mut root, Choice::Nth(variant), problems);
        read(&root, &mut Recorder::default(), problems);
    }
    if problems.has_errors() {
        // Everything that is wrong has been reported.
        let mut again = Problems::new(false);
        draw(root, Choice::Nth(0), &mut again);
        return (read(root, index, &mut again), Vec::new());
    }
    let drawn = draw(root, Choice::Random(seed), problems);
    (read(root, index, problems), drawn)
}

/// Returns the number of variants that together contain all bounds and values of a tree; 0 without ranges.
fn variants(node: &Node) -> usize {
    let own = match named(node) {
        Some(("between", _)) => 2,
        Some((_, items)) => items.len().max(1),
        None => 0,
    };
    children(node).map(variants).fold(own, usize::max)
}

/// Returns the number of nodes of a tree.
fn size(node: &Node) -> usize {
    children(node).map(size).fold(1, usize::saturating_add)
}

/// Returns the name and the values of a range.
fn named(node: &Node) -> Option<(&str, &[Node])> {
    match &node.kind {
        Kind::Tuple(Some(name), items) if matches!(name.value.as_str(), "between" | "one_of") => {
            Some((&name.value, items))
        }
        _ => None,
    }
}

fn children(node: &Node) -> Box<dyn Iterator<Item = &Node> + '_> {
    match &node.kind {
        Kind::List(items) | Kind::Tuple(_, items) => Box::new(items.iter()),
        Kind::Struct(_, fields) => Box::new(fields.iter().map(|field| &field.value)),
        Kind::Map(entries) => Box::new(entries.iter().map(|(_, value)| value)),
        _ => Box::new(std::iter::empty()),
    }
}

struct Search<'a> {
    choice: Choice,
    /// Maximum number of values of a `one_of`.
    most: usize,
    path: Vec<String>,
    drawn: Vec<Drawn>,
    problems: &'a mut Problems,
}

impl Search<'_> {
    fn look_at(&mut self, node: &mut Node) {
        if named(node).is_some() {
            if let Some(value) = self.value(node) {
                *node = value;
                self.drawn.push(Drawn {
                    path: self.path.join("."),
                    value: text(node),
                });
            }
            return;
        }
        match &mut node.kind {
            Kind::List(items) | Kind::Tuple(_, items) => {
                for (index, item) in items.iter_mut().enumerate() {
                    self.step(index.to_string(), item);
                }
            }
            Kind::Struct(_, fields) => {
                for field in fields {
                    self.step(field.name.value.clone(), &mut field.value);
                }
            }
            Kind::Map(entries) => {
                for (key, value) in entries {
                    let name = key.as_word().unwrap_or_default().to_owned();
                    self.step(name, value);
                }
            }
            _ => {}
        }
    }

    fn step(&mut self, name: String, node: &mut Node) {
        self.path.push(name);
        self.look_at(node);
        self.path.pop();
    }

    /// Returns the value that replaces a range; `None` after an error.
    fn value(&mut self, node: &Node) -> Option<Node> {
        let (name, items) = named(node)?;
        if let Some(inner) = items.iter().find(|item| variants(item) > 0) {
            self.refuse(node, inner.span, "a range contains no other range");
            return None;
        }
        match (name, items) {
            ("between", [low, high]) => self.between(node, low, high),
            ("between", _) => {
                let message = "`between` has a least and a greatest value";
                self.refuse(node, node.span, message);
                None
            }
            (_, []) => {
                self.refuse(node, node.span, "`one_of` has at least one value");
                None
            }
            (_, items) if items.len() > self.most => {
                let message = format!(
                    "`one_of` has at most {} values in this file, not {}",
                    self.most,
                    items.len()
                );
                self.refuse(node, node.span, &message);
                None
            }
            (_, items) => {
                let index = match self.choice {
                    Choice::Random(_) => (self.random(1)[0] * items.len() as f64) as usize,
                    Choice::Nth(index) => index,
                };
                items.get(index.min(items.len() - 1)).cloned()
            }
        }
    }

    fn between(&mut self, node: &Node, low: &Node, high: &Node) -> Option<Node> {
        let count = low.items().map_or(1, <[Node]>::len);
        let value = blend(node.span, low, high, &self.random(count));
        if value.is_none() && is_numeric(low) && is_numeric(high) {
            let path = self.path.join(".");
            let message = format!(
                "{} needs a least and a greatest number, or two vectors of them",
                quoted(&path)
            );
            self.refuse(node, node.span, &message);
            return None;
        }
        match self.choice {
            // Bounds that are no numbers are read, and reported, where they are.
            Choice::Nth(index) => Some(real(if index == 0 { low } else { high })),
            Choice::Random(_) => value,
        }
    }

    fn random(&self, count: usize) -> Vec<f64> {
        match self.choice {
            Choice::Random(seed) => {
                let mut random = Random::new(seed, &self.path.join("."), "range");
                (0..count).map(|_| random.uniform()).collect()
            }
            Choice::Nth(_) => vec![0.0; count],
        }
    }

    /// Reports a range that has no value.
    fn refuse(&mut self, node: &Node, span: Span, message: &str) {
        let help =
            "write `between(10, 20)`, `between((0, -1, 0), (0, 1, 0))` or `one_of(\"a\", \"b\")`";
        let problem = error("simulation::range", span, message).help(help);
        self.problems.settle(problem, node.span);
    }
}

/// Returns true for a number, and for a vector.
fn is_numeric(bound: &Node) -> bool {
    let is_number = |node: &Node| number(node).is_some_and(f64::is_finite);
    is_number(bound)
        || bound
            .items()
            .is_some_and(|items| items.iter().all(is_number))
}

/// Returns the value at a fraction between two bounds; `None` if they are no numbers, or the first one is greater.
fn blend(span: Span, low: &Node, high: &Node, random: &[f64]) -> Option<Node> {
    let between = |low: &Node, high: &Node, random: f64| {
        let (low, high) = (number(low)?, number(high)?);
        let width = high - low;
        let is_range = width >= 0.0 && width.is_finite();
        let value = (low + width * random).min(high);
        is_range.then(|| Node::new(span, Kind::Float(value)))
    };
    let (Some(lows), Some(highs)) = (low.items(), high.items()) else {
        return between(low, high, *random.first()?);
    };
    if lows.len() != highs.len() {
        return None;
    }
    let bounds = lows.iter().zip(highs).zip(random);
    let values_between = bounds.map(|((low, high), random)| between(low, high, *random));
    Some(Node::new(
        span,
        Kind::Tuple(None, values_between.collect::<Option<_>>()?),
    ))
}

fn number(node: &Node) -> Option<f64> {
    match node.kind {
        Kind::Integer(value) => Some(value as f64),
        Kind::Float(value) => Some(value),
        _ => None,
    }
}

/// Returns a bound as a value of its range, whose numbers are real ones.
fn real(bound: &Node) -> Node {
    let kind = match (&bound.kind, number(bound), bound.items()) {
        (_, Some(number), _) => Kind::Float(number),
        (_, None, Some(items)) => Kind::Tuple(None, items.iter().map(real).collect()),
        (kind, None, None) => kind.clone(),
    };
    Node::new(bound.span, kind)
}

/// Returns a value as it is written in a file.
fn text(node: &Node) -> String {
    let list = |items: &[Node]| items.iter().map(text).collect::<Vec<_>>().join(", ");
    match &node.kind {
        Kind::Bool(value) => value.to_string(),
        Kind::Integer(value) => value.to_string(),
        Kind::Float(value) => format!("{value:?}"),
        Kind::Text(value) => format!("{value:?}"),
        Kind::Character(value) => format!("{value:?}"),
        Kind::Word(word) => word.clone(),
        Kind::List(items) => format!("[{}]", list(items)),
        Kind::Tuple(name, items) => {
            let name = name.as_ref().map_or("", |name| &name.value);
            format!("{name}({})", list(items))
        }
        Kind::Struct(name, fields) => {
            let name = name.as_ref().map_or("", |name| &name.value);
            let fields = fields.iter();
            let fields =
                fields.map(|field| format!("{}: {}", field.name.value, text(&field.value)));
            format!("{name}({})", fields.collect::<Vec<_>>().join(", "))
        }
        Kind::Map(entries) => {
            let entries = entries.iter();
            let entries = entries.map(|(key, value)| format!("{}: {}", text(key), text(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use morse_diagnostics::{Sources, Style, render};

    use super::super::load::load_seeded;
    use super::super::model::Simulation;

    const FILE: &str = r#"Simulation(
        environment: (seed: 4, gravity: (0, 0, between(-12, -8))),
        bodies: { "box": (mass: between(1, 5), friction: one_of(0.25, 0.5, 0.75)) },
        robots: { "rover": (model: "a.robray", at: (translation: between((-1, 2, 0), (1, 3, 0)))) },
    )"#;

    fn read(text: &str, seed: Option<u64>, set: &[&str]) -> Result<Simulation, String> {
        let mut sources = Sources::default();
        let set: Vec<String> = set.iter().map(ToString::to_string).collect();
        let loaded = load_seeded("a.ron", text.as_bytes(), &set, &(), &mut sources, seed);
        let problems = loaded.diagnostics.iter();
        let shown: String = problems
            .map(|problem| render(problem, &sources, Style::Plain))
            .collect();
        match shown.is_empty() {
            true => Ok(loaded.simulation),
            false => Err(shown),
        }
    }

    fn mass(simulation: &Simulation) -> f64 {
        let body = simulation.bodies.values().next();
        body.and_then(|body| body.mass.as_ref()).unwrap().value
    }

    #[test]
    fn values_are_within_their_ranges_and_depend_on_path_and_seed_only() {
        let (mut masses, mut frictions) = (Vec::new(), BTreeSet::new());
        for seed in 0..300 {
            let simulation = read(FILE, Some(seed), &[]).unwrap();
            let gravity = simulation.environment.gravity;
            assert!((-12.0..=-8.0).contains(&gravity.z) && gravity.x == 0.0);
            let position = simulation.robots.values().next().unwrap().at.translation;
            assert!(
                (-1.0..=1.0).contains(&position.x)
                    && (2.0..=3.0).contains(&position.y)
                    && position.z == 0.0
            );
            masses.push(mass(&simulation));
            let body = simulation.bodies.values().next().unwrap();
            frictions.insert(body.friction.unwrap().to_bits());
        }
        // The mean of 300 values has a standard deviation of 4 / √12 / √300 = 0.067.
        let mean = masses.iter().sum::<f64>() / 300.0;
        assert!((mean - 3.0).abs() < 0.2, "{mean}");
        assert_eq!(frictions.len(), 3);
        let other = FILE.replace("between(-12, -8)", "-9.81");
        let own = read(FILE, None, &[]).unwrap();
        assert_eq!(mass(&read(&other, None, &[]).unwrap()), mass(&own));
        assert_eq!(mass(&read(FILE, Some(4), &[]).unwrap()), mass(&own));
        assert_eq!(
            mass(&read(FILE, None, &["environment.seed=5"]).unwrap()),
            masses[5]
        );
    }

    #[test]
    fn drawn_values_can_be_set_again() {
        let drawn = read(FILE, None, &[]).unwrap();
        let paths: Vec<&str> = drawn
            .drawn
            .iter()
            .map(|drawn| drawn.path.as_str())
            .collect();
        assert_eq!(
            paths,
            [
                "environment.gravity.2",
                "bodies.box.mass",
                "bodies.box.friction",
                "robots.rover.at.translation"
            ]
        );
        let set = drawn.drawn.iter();
        let set: Vec<String> = set
            .map(|drawn| format!("{}={}", drawn.path, drawn.value))
            .collect();
        let set: Vec<&str> = set.iter().map(String::as_str).collect();
        let again = read(FILE, Some(99), &set).unwrap();
        assert!(again.drawn.is_empty());
        assert_eq!(again.bodies, drawn.bodies);
        assert_eq!(again.environment.gravity, drawn.environment.gravity);
        let pose = |simulation: &Simulation| simulation.robots.values().next().unwrap().at;
        assert_eq!(pose(&again), pose(&drawn));
    }

    #[test]
    fn all_values_are_checked_and_too_many_are_refused() {
        let values = |count: usize, last: &str| {
            let mut values: Vec<String> = (1..count).map(|number| number.to_string()).collect();
            values.push(last.to_owned());
            let values = values.join(", ");
            format!("Simulation(bodies: {{\"b\": (mass: one_of({values}))}})")
        };
        let masses: BTreeSet<_> = (0..3000)
            .map(|seed| mass(&read(&values(200, "200"), Some(seed), &[]).unwrap()).to_bits())
            .collect();
        // A value is left out with a probability of 3e-7.
        assert_eq!(masses.len(), 200);
        for count in [65, 1000] {
            assert!(read(&values(count, "7"), None, &[]).is_ok());
            for seed in 0..3 {
                let message = read(&values(count, "-7"), Some(seed), &[]).unwrap_err();
                assert!(message.contains("`mass` must be"), "{message}");
                assert_eq!(message.matches("error[").count(), 1, "{message}");
            }
        }
        let message = read(&values(1001, "7"), None, &[]).unwrap_err();
        assert!(message.contains("at most 1000 values in this file, not 1001"));
        assert_eq!(message.matches("error[").count(), 1, "{message}");
    }

    #[test]
    fn mistakes_in_ranges_are_shown_whatever_the_seed() {
        for (value, words) in [
            (
                "mass: between(-1, 5)",
                &["a.ron:1:41", "`mass` must be"][..],
            ),
            ("mass: between(1, 1e10)", &["1:44", "`mass` must be"]),
            (
                "mass: between(5, 1)",
                &["1:33", "a least and a greatest number"],
            ),
            (
                "mass: between(5)",
                &["`between` has a least and a greatest value"],
            ),
            ("mass: between(1, (2, 3))", &["or two vectors of them"]),
            (
                "mass: between(1, one_of(2, 3))",
                &["1:44", "a range contains no other range"],
            ),
            ("mass: one_of(1, 2, -3)", &["1:46", "`mass` must be"]),
            ("mass: one_of()", &["at least one value"]),
            ("mass: one_of(1, \"a\")", &["`mass` must be a number"]),
            ("kind: one_of(fixed, moving)", &["1:47", "moving"]),
            ("mas: between(1, 2)", &["did you mean `mass`"]),
            ("mass: between(1, 1e400)", &["finite"]),
        ] {
            for seed in 0..4 {
                let text = format!("Simulation(bodies: {{\"b\": ({value})}})");
                let message = read(&text, Some(seed), &[]).unwrap_err();
                for word in words {
                    assert!(message.contains(word), "{value}: {word}: {message}");
                }
                assert_eq!(message.matches("error[").count(), 1, "{value}: {message}");
            }
        }
    }
}
