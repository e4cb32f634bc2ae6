//! The runs of a batch file.
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use morse_api::{random::Random, state::StateHasher};
use morse_diagnostics::{Diagnostic, Sources, printable_path, read_bytes, report::Report};
use morse_simulation_file::{
    Batch as File, Distribution, Sample, Scenario, model::Named, read_batch,
};
use serde_json::{Value as Json, json};

use crate::{
    cli::{
        check::Reading,
        summary::drawn_json,
        test::{
            self, Attempt, Case, Context, Loaded, Outcome, Sweep, Values, Variant, attempt, repeat,
            seeds, simulation_of, try_out,
        },
    },
    simulation::{Extensions, kinds, kinds::Kinds, load::shortened},
};

/// Maximum number of runs; more are probably a typing error.
const MOST_RUNS: usize = 1_000_000;

/// Options of all runs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Threads for rays and images in each run.
    pub threads: usize,
    /// Wall-clock time after which a run fails, s; instead of the file's.
    pub timeout: Option<f64>,
    /// Options for reading the files.
    pub reading: Reading,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            threads: 1,
            timeout: None,
            reading: Reading::default(),
        }
    }
}

/// A batch file that was read and checked, with all runs.
pub struct Batch {
    args: test::Args,
    kinds: Kinds,
    loaded: Loaded,
    variants: Vec<Variant>,
    digest: String,
}

impl Batch {
    /// Reads a batch file and the files of its first run, and checks their names.
    ///
    /// # Errors
    ///
    /// All errors of the files in one pass.
    pub fn load(
        file: &Path,
        settings: &Settings,
        extensions: Extensions,
    ) -> Result<Self, Box<Report>> {
        let mut sources = Sources::default();
        let content = match read(file, &mut sources) {
            Ok(content) => content,
            Err(problems) => return Err(report(problems, sources)),
        };
        let variants = match variants(&content) {
            Ok(variants) => variants,
            Err(problem) => return Err(report(vec![*problem], sources)),
        };
        let args = args(&content, settings);
        let batch = Self {
            loaded: loaded(file, content, settings, sources)?,
            args,
            kinds: kinds(extensions),
            variants,
            digest: String::new(),
        };
        let sources = try_out(&batch.case(0), &batch.context(extensions))?;
        Ok(Self {
            digest: digest(&[&batch.loaded.sources, &sources], batch.count()),
            ..batch
        })
    }

    /// Returns the number of runs.
    #[must_use]
    pub fn count(&self) -> usize {
        self.variants.len()
    }

    /// Returns a hash of all files, the number of runs, and the version of the program: rows with equal hashes are of the same
    /// batch.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Makes a run and returns its row. It does not depend on other runs.
    #[must_use]
    pub fn run(&self, index: usize, extensions: Extensions) -> Json {
        let case = self.case(index);
        // A run that does not end although its time is up is waited for.
        let attempt = attempt(&case, &self.context(extensions), |_| {});
        self.row(&case, &attempt)
    }

    pub(super) fn case(&self, index: usize) -> Case<'_> {
        Case {
            number: index,
            loaded: &self.loaded,
            variant: self.variants.get(index).cloned().unwrap_or_default(),
        }
    }

    pub(super) fn context<'b>(&'b self, extensions: Extensions) -> Context<'b> {
        Context {
            args: &self.args,
            kinds: &self.kinds,
            extensions,
            keep: None,
        }
    }

    /// Returns the row of a run. It has no wall-clock times, so that equal runs have equal rows.
    pub(super) fn row(&self, case: &Case<'_>, attempt: &Attempt) -> Json {
        let outcome = match attempt.outcome {
            Outcome::Passed => "passed",
            Outcome::Failed => "failed",
            Outcome::Error(_) => "error",
        };
        let verdicts = attempt.verdicts.iter();
        let verdicts = verdicts.map(|verdict| (verdict.name.clone(), verdict.passed.into()));
        let mut row = json!({
            "run": case.number,
            "seed": attempt.seed.or(case.variant.seed),
            "set": self.args.sweep.set.iter().chain(&case.variant.swept).collect::<Vec<_>>(),
            "outcome": outcome,
            "conditions": verdicts.collect::<serde_json::Map<_, _>>(),
            "drawn": drawn_json(&attempt.drawn),
            "values": attempt.recorded.iter().cloned().collect::<serde_json::Map<_, _>>(),
        });
        if let Some(summary) = &attempt.summary {
            row["steps"] = summary.steps.into();
            row["seconds"] = summary.sim_seconds.into();
            row["state_hash"] = summary.state_hash.as_str().into();
        }
        if let Some(error) = &attempt.error {
            row["error"] = error.trim_end().into();
        }
        row["repeat"] = repeat(case, &self.args).into();
        row["batch"] = self.digest.as_str().into();
        row
    }
}

fn report(problems: Vec<Diagnostic>, sources: Sources) -> Box<Report> {
    let mut report = Report::default();
    report.add(problems, &Arc::new(sources));
    Box::new(report)
}

fn read(file: &Path, sources: &mut Sources) -> Result<File, Vec<Diagnostic>> {
    let name = file.display().to_string();
    let bytes = read_bytes(file).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", printable_path(&name));
        vec![Diagnostic::error("load::unreadable", message)]
    })?;
    read_batch(&name, &bytes, sources)
}

/// Returns the options of the runs in the form of `morse-sim test`.
fn args(content: &File, settings: &Settings) -> test::Args {
    test::Args {
        files: Vec::new(),
        sweep: Sweep {
            seeds: None,
            set: content.set.clone(),
            sweep: Vec::new(),
        },
        jobs: None,
        threads: settings.threads,
        timeout: settings.timeout,
        junit: None,
        json: false,
        keep: PathBuf::new(),
        reading: settings.reading.clone(),
    }
}

/// Reads the scenario; for a simulation without one, makes a scenario without conditions.
fn loaded(
    file: &Path,
    content: File,
    settings: &Settings,
    sources: Sources,
) -> Result<Loaded, Box<Report>> {
    let allow_paths = &settings.reading.allow_paths;
    let mut loaded = match (content.scenario, content.simulation) {
        (Some(scenario), _) => {
            let beside = file.with_file_name(scenario.as_str());
            let path = if beside.is_file() {
                beside.canonicalize().map_or(beside, shortened)
            } else {
                PathBuf::from(scenario.as_str())
            };
            test::read(&path, allow_paths, sources)?
        }
        (None, simulation) => {
            let (simulation, length) = simulation.unzip();
            let scenario = Scenario {
                simulation,
                length: length.unwrap_or_default(),
                timeout: None,
                set: Vec::new(),
                commands: Vec::new(),
                conditions: Named::new(),
            };
            let simulation = match simulation_of(file, &scenario, allow_paths) {
                Ok(simulation) => simulation,
                Err(problem) => return Err(report(vec![*problem], sources)),
            };
            Loaded {
                file: simulation.clone(),
                scenario,
                simulation,
                sources: Arc::new(sources),
                record: Vec::new(),
            }
        }
    };
    loaded.record = content.record;
    loaded.scenario.timeout = content.timeout.or(loaded.scenario.timeout);
    Ok(loaded)
}

/// Returns all runs: the seed changes fastest, then the grid, then the drawn values.
fn variants(content: &File) -> Result<Vec<Variant>, Box<Diagnostic>> {
    let seeds = content.seeds.as_ref().map(|text| {
        seeds(text).map_err(|why| {
            let problem = Diagnostic::error("simulation::wrong-type", why);
            Box::new(match text.span {
                Some(span) => problem.at(span, ""),
                None => problem,
            })
        })
    });
    let sweep = Sweep {
        seeds: seeds.transpose()?,
        set: Vec::new(),
        sweep: content.grid.iter().cloned().map(Values).collect(),
    };
    let too_many = |why| Box::new(Diagnostic::error("simulation::out-of-range", why));
    let grid = sweep.variants().map_err(too_many)?;
    let Some(sample) = &content.sample else {
        return Ok(grid);
    };
    let all = grid.len().saturating_mul(sample.count as usize);
    if all > MOST_RUNS {
        return Err(too_many(format!("{all} runs are more than {MOST_RUNS}")));
    }
    let drawn = (0..sample.count).flat_map(|index| {
        let values = draw(sample, index);
        grid.iter().map(move |variant| Variant {
            seed: variant.seed,
            swept: variant.swept.iter().chain(&values).cloned().collect(),
        })
    });
    Ok(drawn.collect())
}

/// Draws a combination of values, each from a stream of its own, so that further paths do not change the others.
fn draw(sample: &Sample, index: u32) -> Vec<String> {
    let values = sample.values.iter().map(|(path, distribution)| {
        let mut random = Random::new(sample.seed, path, &format!("sample {index}"));
        let value = match distribution {
            Distribution::Between(low, high) => {
                let numbers = low.iter().zip(high);
                let numbers = numbers.map(|(low, high)| {
                    let number = low + (high - low) * random.uniform();
                    format!("{number:?}")
                });
                match numbers.collect::<Vec<_>>().as_slice() {
                    [number] => number.clone(),
                    numbers => format!("({})", numbers.join(", ")),
                }
            }
            Distribution::OneOf(values) => {
                let choice = random.uniform() * values.len() as f64;
                values.get(choice as usize).cloned().unwrap_or_default()
            }
        };
        format!("{path}={value}")
    });
    values.collect()
}

/// Returns a hash of texts, the number of runs, and the version.
fn digest(sources: &[&Sources], count: usize) -> String {
    let mut hasher = StateHasher::default();
    hasher.value(&env!("CARGO_PKG_VERSION"));
    hasher.u64(count as u64);
    for source in sources.iter().flat_map(|sources| sources.iter()) {
        hasher.value(&source.text());
    }
    format!("{:032x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn content(text: &str) -> File {
        read_batch("b.ron", text.as_bytes(), &mut Sources::default()).unwrap()
    }

    #[test]
    fn all_combinations_are_run_and_draws_are_within_their_bounds() {
        let text = r#"Batch(scenario: "s", seeds: "1,2", grid: { "a": [3, 4] }, sample: (count: 50, seed: 5, values: {
            "b": between(-1, 1), "c": between((0, 10), (1, 20)), "d": one_of(x, "y"),
        }))"#;
        let all = variants(&content(text)).unwrap();
        assert_eq!(all.len(), 200);
        let seeds: Vec<_> = all.iter().take(4).map(|run| run.seed.unwrap()).collect();
        assert_eq!(seeds, [1, 2, 1, 2]);
        let mut drawn = Vec::new();
        for run in all.iter().step_by(4) {
            let [a, b, c, d] = run.swept.as_slice() else {
                panic!("{run:?}")
            };
            assert_eq!(a, "a=3");
            let b: f64 = b.strip_prefix("b=").unwrap().parse().unwrap();
            assert!((-1.0..1.0).contains(&b));
            let c = c.strip_prefix("c=(").unwrap().strip_suffix(')').unwrap();
            let (one, other) = c.split_once(", ").unwrap();
            assert!((0.0..1.0).contains(&one.parse().unwrap()));
            assert!((10.0..20.0).contains(&other.parse().unwrap()));
            assert!(["d=x", "d=\"y\""].contains(&d.as_str()));
            drawn.push(b);
        }
        let mean = drawn.iter().sum::<f64>() / 50.0;
        // Three standard deviations of the mean of 50 uniform numbers.
        assert!(mean.abs() < 3.0 / (3.0_f64 * 50.0).sqrt(), "{mean}");
        drawn.sort_by(f64::total_cmp);
        drawn.dedup();
        assert_eq!(drawn.len(), 50, "all different");
        assert_eq!(variants(&content(text)).unwrap(), all, "the same again");
        let other = text.replace(r#""b": between(-1, 1), "#, "");
        let without = variants(&content(&other)).unwrap();
        assert_eq!(without[7].swept[1], all[7].swept[2], "streams are apart");
    }

    #[test]
    fn wrong_seeds_and_too_many_runs_are_refused() {
        for (text, why) in [
            (r#"Batch(scenario: "s", seeds: "3..1")"#, "a range goes up"),
            (
                r#"Batch(scenario: "s", seeds: "1..9999", sample: (count: 1000, values: {}))"#,
                "9999000 runs",
            ),
        ] {
            let error = variants(&content(text)).unwrap_err();
            assert!(error.message.contains(why), "{text}: {error:?}");
        }
    }
}
