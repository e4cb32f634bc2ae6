//! Runs of a test: seeds, and sweeps of values.
use clap::Args as ClapArgs;

/// Maximum number of runs; more are probably a typing error.
const MOST_RUNS: usize = 100_000;

/// Runs of each scenario.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Sweep {
    /// One run for each seed: 7, or 1..50, or 1,2,9; by default one run with the seed of the simulation file
    #[arg(long, value_name = "SEEDS", value_parser = seeds, visible_alias = "seed")]
    pub seeds: Option<Seeds>,
    /// Set a value of the simulation file: environment.rate=120
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// One run for each value, combined with other sweeps and all seeds: environment.rate=60,120,240
    #[arg(long, value_name = "PATH=A,B,…", value_parser = sweep)]
    pub sweep: Vec<Values>,
}

/// Seeds, in the order of the runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seeds(pub Vec<u64>);

/// Values of one path, as arguments of `--set`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values(pub Vec<String>);

/// Seed and values that distinguish a run from others of its scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Variant {
    pub(crate) seed: Option<u64>,
    /// Values of the sweeps.
    pub(crate) swept: Vec<String>,
}

impl Sweep {
    /// Returns the variants; the seed changes fastest.
    pub(crate) fn variants(&self) -> Result<Vec<Variant>, String> {
        let count = |list: &[String]| list.len();
        let combinations = self.sweep.iter().map(|values| count(&values.0));
        let seeds = self.seeds.as_ref().map_or(1, |seeds| seeds.0.len());
        let all = combinations.fold(seeds, usize::saturating_mul);
        if all > MOST_RUNS {
            return Err(format!(
                "{all} runs of each scenario are more than {MOST_RUNS}"
            ));
        }
        let mut variants = vec![Variant::default()];
        for values in &self.sweep {
            variants = multiplied(&variants, &values.0, |variant, value| {
                variant.swept.push(value.clone());
            });
        }
        if let Some(Seeds(seeds)) = &self.seeds {
            variants = multiplied(&variants, seeds, |variant, seed| variant.seed = Some(*seed));
        }
        Ok(variants)
    }
}

fn multiplied<T>(
    variants: &[Variant],
    values: &[T],
    apply: impl Fn(&mut Variant, &T),
) -> Vec<Variant> {
    let each = variants.iter().flat_map(|variant| {
        values.iter().map(|value| {
            let mut variant = variant.clone();
            apply(&mut variant, value);
            variant
        })
    });
    each.collect()
}

/// Parses seeds: numbers and ranges, with commas between.
pub(crate) fn seeds(text: &str) -> Result<Seeds, String> {
    let wrong = || "seeds are a number, a range such as 1..50, or a list such as 1,2,9".to_owned();
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_unread| wrong());
    let mut seeds = Vec::new();
    for range in text.split(',') {
        match range.split_once("..") {
            None => seeds.push(number(range)?),
            Some((first, last)) => {
                let (first, last) = (number(first)?, number(last.trim_start_matches('='))?);
                if last < first || last - first >= MOST_RUNS as u64 {
                    return Err(format!(
                        "a range goes up, by less than {MOST_RUNS}; both ends belong to it"
                    ));
                }
                seeds.extend(first..=last);
            }
        }
    }
    Ok(Seeds(seeds))
}

/// Parses `path=a,b,c`: commas within brackets and quotes belong to a value.
fn sweep(text: &str) -> Result<Values, String> {
    let wrong = || "write it as environment.rate=60,120,240".to_owned();
    let (path, list) = text.split_once('=').ok_or_else(wrong)?;
    let mut values = vec![String::new()];
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    for letter in list.chars() {
        let was_escaped = std::mem::take(&mut is_escaped);
        match letter {
            '\\' if is_quoted && !was_escaped => is_escaped = true,
            '"' if !was_escaped => is_quoted = !is_quoted,
            '(' | '[' | '{' if !is_quoted => depth += 1,
            ')' | ']' | '}' if !is_quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
        if letter == ',' && depth == 0 && !is_quoted {
            values.push(String::new());
        } else if let Some(value) = values.last_mut() {
            value.push(letter);
        }
    }
    let is_empty = |value: &String| value.trim().is_empty();
    if path.trim().is_empty() || values.iter().any(is_empty) {
        return Err(wrong());
    }
    let set = values
        .iter()
        .map(|value| format!("{path}={}", value.trim()));
    Ok(Values(set.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_are_numbers_ranges_and_lists() {
        let read = |text| seeds(text).map(|seeds| seeds.0);
        assert_eq!(read("7"), Ok(vec![7]));
        assert_eq!(read("1..4"), Ok(vec![1, 2, 3, 4]));
        assert_eq!(read("1..=2,9"), Ok(vec![1, 2, 9]));
        for bad in ["", "a", "3..1", "-1", "1..", "0..100000", "1,,2"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sweeps_are_lists_of_values() {
        let read = |text| sweep(text).map(|values| values.0);
        assert_eq!(
            read("environment.rate=60, 120"),
            Ok(vec![
                "environment.rate=60".into(),
                "environment.rate=120".into()
            ])
        );
        assert_eq!(
            read("a.b=(1, 2),[3, 4]"),
            Ok(vec!["a.b=(1, 2)".into(), "a.b=[3, 4]".into()])
        );
        assert_eq!(
            read(r#"a="x, \" y",z"#),
            Ok(vec![r#"a="x, \" y""#.into(), "a=z".into()])
        );
        for bad in ["a", "=1", "a=", "a=1,,2"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn every_seed_is_run_with_every_combination() {
        let of = |text: &str| sweep(text).unwrap();
        let sweep = Sweep {
            seeds: Some(Seeds(vec![1, 2])),
            set: Vec::new(),
            sweep: vec![of("a=1,2"), of("b=3,4")],
        };
        let variants = sweep.variants().unwrap();
        let shown = variants.iter().map(|variant| {
            let seed = variant.seed.unwrap();
            format!("{} {seed}", variant.swept.join(" "))
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "a=1 b=3 1",
                "a=1 b=3 2",
                "a=1 b=4 1",
                "a=1 b=4 2",
                "a=2 b=3 1",
                "a=2 b=3 2",
                "a=2 b=4 1",
                "a=2 b=4 2"
            ]
        );
        let many = Sweep {
            seeds: Some(seeds("1..99999").unwrap()),
            sweep: vec![of("a=1,2")],
            set: Vec::new(),
        };
        assert!(many.variants().is_err());
    }
}
