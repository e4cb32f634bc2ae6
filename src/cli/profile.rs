//! `--profile`: times of a run as a table, and the reason why it was slower than requested.
use std::fmt::Write as _;

use crate::run::{
    Pace, Summary,
    profile::{Cost, Profile},
};

/// Maximum number of lines of each table; JSON has all.
const MOST: usize = 10;

/// Fraction of the requested speed below which a run is reported as slow.
const TOLERANCE: f64 = 0.98;

/// Delay of the end above which a run is reported as late, s.
const LATE: f64 = 0.25;

/// Returns the speed that a run is compared with, simulated seconds per second.
pub(super) fn requested_pace(pace: Pace) -> f64 {
    match pace {
        Pace::Max => 1.0,
        Pace::RealTime(factor) => factor,
    }
}

/// Returns the tables.
pub(super) fn to_text(profile: &Profile) -> String {
    let Profile {
        ticks,
        tick_us,
        real_time_us,
        ..
    } = profile;
    let mut text = format!(
        "profile of {ticks} ticks: a tick took {tick_us:.1} µs; {real_time_us:.1} µs are available\n"
    );
    let kind = |kind: Option<&str>| kind.map_or(String::new(), |kind| format!(" ({kind})"));
    let systems = profile.systems.iter().map(|system| {
        let name = format!(
            "{}: {}{}",
            system.phase,
            system.cost.name,
            kind(system.kind)
        );
        (&system.cost, false, name)
    });
    table(&mut text, "systems", systems.collect());
    let kinds = profile.kinds.iter().map(|kind| {
        let name = format!("{} ({})", kind.cost.name, kind.components);
        (&kind.cost, false, name)
    });
    table(&mut text, "kinds of sensors and actuators", kinds.collect());
    let components = profile.components.iter().map(|component| {
        let name = format!("{} ({})", component.cost.name, component.kind);
        (&component.cost, component.is_shared, name)
    });
    let title = "sensors and actuators (~: the kind's time, distributed by frequency)";
    table(&mut text, title, components.collect());
    let middlewares = profile.middlewares.iter().map(|middleware| {
        let besides = middleware.threads_us;
        let besides = besides.map_or(String::new(), |us| {
            format!(" (besides the tick its own threads took {us:.1} µs)")
        });
        (
            &middleware.cost,
            true,
            middleware.cost.name.clone() + &besides,
        )
    });
    let title = "middlewares (~: time of passing on readings, distributed by ports)";
    table(&mut text, title, middlewares.collect());
    let mut phases: Vec<&Cost> = profile.phases.iter().collect();
    phases.extend([&profile.between, &profile.hashes, &profile.pictures]);
    let phases = phases.into_iter().filter(|phase| phase.us > 0.0);
    let phases = phases.map(|phase| (phase, false, phase.name.clone()));
    table(&mut text, "phases", phases.collect());
    text.truncate(text.trim_end().len());
    text
}

/// Appends a table of times; each has a flag for estimates, and a name.
fn table(text: &mut String, title: &str, costs: Vec<(&Cost, bool, String)>) {
    if costs.is_empty() {
        return;
    }
    writeln!(text, "{:>13}  {:>7}  {title}", "µs a tick", "share").ok();
    let count = costs.len();
    // All phases are listed.
    let most = if title == "phases" { count } else { MOST };
    for (cost, is_estimate, name) in costs.into_iter().take(most) {
        let sign = if is_estimate { "~" } else { "" };
        let us = format!("{sign}{:.1}", cost.us);
        writeln!(text, "{us:>13}  {:>5.1} %  {name}", cost.share * 100.0).ok();
    }
    if count > most {
        writeln!(text, "{:>24}and {} more", "", count - most).ok();
    }
}

/// Returns the warning for a run that was slower than requested.
pub(super) fn warning(profile: &Profile, summary: &Summary, pace: Pace) -> Option<String> {
    let requested = requested_pace(pace);
    if profile.ticks == 0 || summary.rtf >= requested * TOLERANCE {
        return None;
    }
    let reached = format!(
        "the run reached {:.2} of {requested} times real time",
        summary.rtf
    );
    let Profile {
        tick_us,
        real_time_us,
        ..
    } = profile;
    let work = tick_us + profile.pictures.us;
    if work <= *real_time_us {
        let late = summary.wall_seconds - summary.sim_seconds / requested;
        return (late > LATE).then(|| format!(
            "{reached}, though a tick took {tick_us:.0} of {real_time_us:.0} µs: it was delayed between ticks by \
             clients that pause it or answer late, by their requests, or by other programs"
        ));
    }
    let mut costs = costs(profile);
    costs.sort_by(|a, b| b.1.total_cmp(&a.1));
    let say = |(name, us): &(String, f64)| {
        format!("{name}, {us:.0} µs a tick ({:.0} %)", us / work * 100.0)
    };
    let most = costs.iter().take(2).map(say).collect::<Vec<_>>();
    Some(format!(
        "{reached}: a tick took {work:.0} µs; {real_time_us:.0} µs are available; most of it {}",
        most.join(", then ")
    ))
}

/// Returns the times that a user can influence, each once.
fn costs(profile: &Profile) -> Vec<(String, f64)> {
    let kinds = profile.kinds.iter().map(|kind| {
        let of_kind = profile.components.iter();
        let mut of_kind = of_kind.filter(|component| component.kind == kind.cost.name);
        let name = match (kind.components, of_kind.next()) {
            (1, Some(only)) => format!("`{}` ({})", only.cost.name, kind.cost.name),
            (count, Some(most)) => {
                let (kind, most) = (&kind.cost.name, &most.cost.name);
                format!("{count} of the kind {kind}, such as `{most}`")
            }
            (_, None) => kind.cost.name.clone(),
        };
        (name, kind.cost.us)
    });
    let middlewares = profile.middlewares.iter().map(|middleware| {
        let name = format!("readings for the middleware {}", middleware.cost.name);
        (name, middleware.cost.us)
    });
    let physics = profile
        .phases
        .iter()
        .filter(|phase| phase.name == "Physics");
    let physics = physics.map(|phase| ("the physics".to_owned(), phase.us));
    let others = profile.systems.iter();
    let others = others.filter(|system| system.kind.is_none() && system.phase != "Physics");
    let others = others.map(|system| (format!("the system {}", system.cost.name), system.cost.us));
    let rest = [
        ("between systems".to_owned(), profile.between.us),
        (
            "the snapshot of the start and hashes".to_owned(),
            profile.hashes.us,
        ),
        ("pictures and films".to_owned(), profile.pictures.us),
    ];
    kinds
        .chain(middlewares)
        .chain(physics)
        .chain(others)
        .chain(rest)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::profile::{ComponentCost, KindCost, MiddlewareCost, SystemCost};

    fn cost(name: &str, us: f64) -> Cost {
        Cost {
            name: name.to_owned(),
            us,
            share: us / 20_000.0,
        }
    }

    fn profile() -> Profile {
        Profile {
            ticks: 60,
            tick_us: 20_000.0,
            real_time_us: 1e6 / 60.0,
            phases: vec![cost("Physics", 3000.0), cost("DefaultAction", 16_000.0)],
            systems: vec![SystemCost {
                cost: cost("sensors::sees", 16_000.0),
                phase: "DefaultAction",
                kind: Some("camera"),
            }],
            kinds: vec![KindCost {
                cost: cost("camera", 16_000.0),
                components: 2,
            }],
            components: vec![ComponentCost {
                cost: cost("rover.left", 12_000.0),
                kind: "camera",
                is_shared: true,
            }],
            middlewares: vec![MiddlewareCost {
                cost: cost("socket", 500.0),
                threads_us: Some(70.0),
            }],
            between: cost("between systems", 500.0),
            hashes: cost("hashes", 0.0),
            pictures: cost("pictures", 0.0),
        }
    }

    fn summary(rtf: f64) -> Summary {
        Summary {
            steps: 60,
            sim_seconds: 1.0,
            wall_seconds: 1.0 / rtf,
            rtf,
            rtf_min: rtf,
            slowest_tick: None,
            state_hash: String::new(),
            drops: 0,
            tick_seconds: 1.2,
            lost: Vec::new(),
            middlewares: std::collections::BTreeMap::new(),
            reports: std::collections::BTreeMap::new(),
        }
    }

    #[test]
    fn a_slow_run_is_told_what_makes_it_slow() {
        let reported = warning(&profile(), &summary(0.8), Pace::RealTime(1.0)).unwrap();
        assert_eq!(
            reported,
            "the run reached 0.80 of 1 times real time: a tick took 20000 µs; 16667 µs are available; most of it 2 of the \
             kind camera, such as `rover.left`, 16000 µs a tick (80 %), then the physics, 3000 µs a tick (15 %)"
        );
        assert_eq!(
            warning(&profile(), &summary(1.0), Pace::RealTime(1.0)),
            None
        );
        assert_eq!(warning(&profile(), &summary(1.2), Pace::Max), None);
    }

    #[test]
    fn a_run_that_was_held_is_told_so() {
        let quick = Profile {
            tick_us: 900.0,
            ..profile()
        };
        let reported = warning(&quick, &summary(0.5), Pace::RealTime(1.0)).unwrap();
        assert!(reported.contains("delayed between ticks"), "{reported}");
    }

    #[test]
    fn tables_say_what_was_shared_out() {
        let text = to_text(&profile());
        for line in [
            "      16000.0   80.0 %  DefaultAction: sensors::sees (camera)",
            "     ~12000.0   60.0 %  rover.left (camera)",
            "       ~500.0    2.5 %  socket (besides the tick its own threads took 70.0 µs)",
            "       3000.0   15.0 %  Physics",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
    }
}
