//! D1: fresh processes make the same run, tick by tick.
use std::collections::BTreeMap;

use super::{Figure, Figures, bench::Bench, launch::Launch};

pub(super) fn check(bench: &Bench) -> Figures {
    let launch = Launch::new(bench)?;
    let figures = bench.scenes.iter().map(|scene| {
        let ticks = scene.ticks(bench.size.long);
        let count = bench.size.processes;
        let mut hashes: BTreeMap<String, usize> = BTreeMap::new();
        for _ in 0..count {
            *hashes.entry(launch.run(bench, scene, ticks)?).or_default() += 1;
        }
        let seen = hashes
            .iter()
            .map(|(hash, times)| format!("{hash}: {times} times"));
        Ok(Figure {
            figure: format!("{}: {count} fresh processes, {ticks} ticks", scene.name),
            target: "1 hash".to_owned(),
            measured: format!("{}", hashes.len()),
            met: Some(hashes.len() == 1),
            notes: seen.collect(),
        })
    });
    figures.collect()
}
