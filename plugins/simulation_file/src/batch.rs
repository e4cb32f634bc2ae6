//! Batch files: many runs of a scenario or simulation, with a grid of values or drawn ones.

use morse_diagnostics::{Diagnostic, Sources};
use morse_scene::bounds::Bounds;

use super::expression::Term;
use super::fields::Fields;
use super::problem::{error, quoted};
use super::ranges::Number;
use super::reader::Reader;
use super::scenario::{LENGTH, TIMEOUT, number, read_file, term};
use super::span::Spanned;
use super::tree::{Kind, Node};

/// Maximum number of drawn combinations.
const MOST_DRAWN: u32 = 1_000_000;

/// Content of a batch file.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Scenario to run, relative to the batch file.
    pub scenario: Option<Spanned<String>>,
    /// Simulation file or scene to run instead, relative to the batch file, and the simulated time at which a run ends, s.
    pub simulation: Option<(Spanned<String>, f64)>,
    /// Wall-clock time after which a run fails, s.
    pub timeout: Option<f64>,
    /// Seeds, as `--seeds` takes them.
    pub seeds: Option<Spanned<String>>,
    /// Values of all runs: `path=value`.
    pub set: Vec<String>,
    /// Values of paths, each combination of which is run: `path=value`.
    pub grid: Vec<Vec<String>>,
    /// Combinations that are drawn.
    pub sample: Option<Sample>,
    /// Data to record at the end of a run, by name.
    pub record: Vec<(String, Spanned<Term>)>,
}

/// Combinations of values that are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number of combinations.
    pub count: u32,
    /// Seed of the draws.
    pub seed: u64,
    /// Distribution of each path.
    pub values: Vec<(String, Distribution)>,
}

/// Distribution of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// Uniform between two numbers, or the numbers of two vectors.
    Between(Vec<f64>, Vec<f64>),
    /// One of some values, with equal probabilities.
    OneOf(Vec<String>),
}

const BOUND: Number = Number {
    path: "between",
    bounds: Bounds::between(-1e12, 1e12),
    help: "in the unit of the value",
};

/// Reads a batch file; `name` is its name in messages.
///
/// # Errors
///
/// Returns all errors of the file in one pass.
pub fn read_batch(
    name: &str,
    bytes: &[u8],
    sources: &mut Sources,
) -> Result<Batch, Vec<Diagnostic>> {
    read_file((name, bytes), sources, "Batch", batch)
}

fn batch(reader: &mut Reader<'_>, root: &Node, text: &str) -> Option<Batch> {
    let mut fields = Fields::open(reader, root, "Batch")?;
    let scenario = fields.read(reader, "scenario", Reader::text);
    let file = fields.read(reader, "simulation", Reader::text);
    let length = fields.read(reader, "length", number(&LENGTH));
    let timeout = fields.read(reader, "timeout", number(&TIMEOUT));
    let simulation = match (&scenario, file, length) {
        (None, Some(file), Some(length)) => Some((file, length)),
        (Some(_), None, None) => None,
        _ => {
            let message = "a batch runs either a scenario, or a simulation for a time";
            let help =
                "write `scenario: \"drop.test.ron\"`, or `simulation: \"drop.ron\", length: 30`";
            let problem = error("simulation::missing-field", root.name_span(), message);
            reader.problems.push(problem.help(help));
            None
        }
    };
    let seeds = fields.read(reader, "seeds", Reader::text);
    let set = fields.read(reader, "set", |reader, node, name| {
        let items = reader.list(node, name).iter();
        let texts = items.filter_map(|item| reader.text(item, name));
        Some(texts.map(|text| text.value).collect::<Vec<_>>())
    });
    let grid = fields.read(reader, "grid", |reader, node, name| {
        let entries = reader.entries(node, name).into_iter();
        let values = entries.map(|(path, list)| values(reader, &path, list, text));
        Some(values.collect::<Vec<_>>())
    });
    let sample = fields.read(reader, "sample", |reader, node, name| {
        sample(reader, node, name, text)
    });
    let record = fields.read(reader, "record", |reader, node, name| {
        let entries = reader.entries(node, name).into_iter();
        let terms = entries.filter_map(|(name, node)| {
            let (term, span) = term(reader, node, &name)?;
            Some((name.value, Spanned::new(term, span)))
        });
        Some(terms.collect::<Vec<_>>())
    });
    fields.finish(reader);
    Some(Batch {
        scenario,
        simulation,
        timeout,
        seeds,
        set: set.unwrap_or_default(),
        grid: grid.unwrap_or_default(),
        sample,
        record: record.unwrap_or_default(),
    })
}

/// Reads the values of a path, as their texts.
fn values(reader: &mut Reader<'_>, path: &str, node: &Node, text: &str) -> Vec<String> {
    let Kind::List(items) = &node.kind else {
        return reader
            .refuse(node, path, "a list of values, such as `[60, 120]`")
            .unwrap_or_default();
    };
    if items.is_empty() {
        let message = format!("{} has no value, so there would be no run", quoted(path));
        reader
            .problems
            .push(error("simulation::wrong-type", node.span, message));
    }
    items
        .iter()
        .map(|item| format!("{path}={}", slice(item, text)))
        .collect()
}

fn slice<'t>(node: &Node, text: &'t str) -> &'t str {
    text.get(node.span.range()).unwrap_or_default()
}

fn sample(reader: &mut Reader<'_>, node: &Node, name: &str, text: &str) -> Option<Sample> {
    let mut fields = Fields::open(reader, node, name)?;
    let help = "add `count: 100`, the number of combinations";
    let count = fields.need(reader, "count", help, |reader, node, name| {
        reader.count(node, name, MOST_DRAWN)
    });
    let seed = fields.read(reader, "seed", Reader::whole);
    let help = "add `values: { \"robots.rover.mass\": between(10, 20) }`";
    let values = fields.need(reader, "values", help, |reader, node, name| {
        let entries = reader.entries(node, name).into_iter();
        let values = entries.filter_map(|(path, node)| {
            let distribution = distribution(reader, &path, node, text)?;
            Some((path.value, distribution))
        });
        Some(values.collect())
    });
    fields.finish(reader);
    Some(Sample {
        count: count?,
        seed: seed.unwrap_or_default(),
        values: values?,
    })
}

fn distribution(
    reader: &mut Reader<'_>,
    path: &str,
    node: &Node,
    text: &str,
) -> Option<Distribution> {
    let wanted = "`between(10, 20)` or `one_of(\"a\", \"b\")`";
    let Kind::Tuple(Some(name), items) = &node.kind else {
        return reader.refuse(node, path, wanted);
    };
    match (name.value.as_str(), items.as_slice()) {
        ("between", [low, high]) => {
            let (low, high) = (bound(reader, path, low)?, bound(reader, path, high)?);
            let is_range = low.len() == high.len() && low.iter().zip(&high).all(|(a, b)| a <= b);
            if is_range {
                return Some(Distribution::Between(low, high));
            }
            reader.refuse(
                node,
                path,
                "a least and a greatest number, or two vectors of them",
            )
        }
        ("one_of", [_, ..]) => {
            let values = items.iter().map(|item| slice(item, text).to_owned());
            Some(Distribution::OneOf(values.collect()))
        }
        _ => reader.refuse(node, path, wanted),
    }
}

fn bound(reader: &mut Reader<'_>, path: &str, node: &Node) -> Option<Vec<f64>> {
    match &node.kind {
        Kind::Tuple(None, items) | Kind::List(items) => items
            .iter()
            .map(|item| reader.number(item, path, &BOUND))
            .collect(),
        _ => Some(vec![reader.number(node, path, &BOUND)?]),
    }
}

#[cfg(test)]
mod tests {
    use morse_diagnostics::{Style, render};

    use super::*;

    fn read(text: &str) -> Result<Batch, String> {
        let mut sources = Sources::default();
        read_batch("a.batch.ron", text.as_bytes(), &mut sources).map_err(|problems| {
            let shown = problems.iter();
            shown
                .map(|problem| render(problem, &sources, Style::Plain))
                .collect()
        })
    }

    #[test]
    fn a_whole_file_is_read() {
        let batch = read(
            r#"Batch(
                simulation: "patrol.ron", length: 8, timeout: 60, seeds: "1..3", set: ["environment.gravity=(0, 0, -1.6)"],
                grid: { "environment.rate": [60, 120], "a.b": [(1, [2, "x, y"]), None] },
                sample: (count: 5, seed: 2, values: {
                    "c": between(1, 2.5), "d": between((0, -1), (1, 1)), "e": one_of(fast, "slow"),
                }),
                record: { "x": "rover.pose.x", "way": "distance(rover, (0, 0, 0))" },
            )"#,
        )
        .unwrap();
        let (file, length) = batch.simulation.unwrap();
        assert_eq!(
            (file.as_str(), length, batch.timeout),
            ("patrol.ron", 8.0, Some(60.0))
        );
        assert_eq!(batch.seeds.unwrap().value, "1..3");
        let mut grid = batch.grid;
        grid.sort();
        assert_eq!(
            grid,
            [
                vec!["a.b=(1, [2, \"x, y\"])", "a.b=None"],
                vec!["environment.rate=60", "environment.rate=120"]
            ]
        );
        let sample = batch.sample.unwrap();
        assert_eq!((sample.count, sample.seed), (5, 2));
        let of = |path| &sample.values.iter().find(|(of, _)| of == path).unwrap().1;
        assert_eq!(*of("c"), Distribution::Between(vec![1.0], vec![2.5]));
        assert_eq!(
            *of("d"),
            Distribution::Between(vec![0.0, -1.0], vec![1.0, 1.0])
        );
        let words = vec!["fast".to_owned(), "\"slow\"".to_owned()];
        assert_eq!(*of("e"), Distribution::OneOf(words));
        assert_eq!(batch.record.len(), 2);
    }

    #[test]
    fn mistakes_are_shown_where_they_are() {
        for (text, words) in [
            (
                "Batch()",
                &["a.batch.ron:1:1", "either a scenario, or a simulation"][..],
            ),
            ("Batch(scenario: \"a\", length: 3)", &["either a scenario"]),
            (
                "Batch(scenario: \"a\", grid: {\"b\": 3})",
                &["1:34", "`b` must be a list of values"],
            ),
            (
                "Batch(scenario: \"a\", grid: {\"b\": []})",
                &["1:34", "no run"],
            ),
            (
                "Batch(scenario: \"a\", seed: \"1\")",
                &["did you mean `seeds`"],
            ),
            (
                "Batch(scenario: \"a\", sample: (count: 0, values: {\"b\": between(2, 1)}))",
                &["from 1 to 1000000", "a least and a greatest number"],
            ),
            (
                "Batch(scenario: \"a\", sample: (count: 1, values: {\"b\": 3}))",
                &["`between(10, 20)` or"],
            ),
            (
                "Batch(scenario: \"a\", record: {\"b\": \"c.d >\"})",
                &["1:41", "nothing but"],
            ),
            (
                "Simulation()",
                &["this is a simulation, not a batch", "morse-sim run"],
            ),
        ] {
            let message = read(text).unwrap_err();
            for word in words {
                assert!(message.contains(word), "{text}: {word}: {message}");
            }
        }
    }
}
