//! Data that a modifier delays arrive, even if modifiers before it withhold data meanwhile.
use bevy::prelude::{App, Reflect};
use morse_api::{
    fields::Fields,
    modifier::{
        AddModifier as _, BindError, Modifier, ModifierOutcome, ModifierState, Modify, Site,
    },
    port::{Observer, Policy},
    service::find,
    tick::Clock,
};
use morse_sim::{
    Simulation,
    actuator::v_omega::{VOmega, VOmegaCommand},
    sensor::pose::PoseData,
};
use serde::Deserialize;

/// Withholds data for a while: drops them, or holds them for ever.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default)]
struct Gap {
    /// True if the data are reported as delayed.
    held: bool,
}

impl Modifier for Gap {
    const KIND: &'static str = "gap";

    fn bind(&self, _: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        let outcome = if self.held {
            ModifierOutcome::Held
        } else {
            ModifierOutcome::Lost
        };
        Ok(Box::new(
            move |_: &mut dyn bevy::reflect::structs::Struct,
                  state: &mut ModifierState,
                  clock: &Clock| {
                if (3..=5).contains(&clock.tick) {
                    state.outcome = outcome;
                }
            },
        ))
    }
}

fn with_gap(app: &mut App) {
    app.add_modifier::<Gap>();
}

/// Returns a rover at 2 m that drives 0.1 m in each tick.
fn rover(sensor: &str, motion: &str) -> Simulation {
    let text = format!(
        r#"Simulation(environment: (rate: 10, seed: 3, gravity: (0, 0, 0)), robots: {{ "rover": (
            model: "robots/atrv.robray", at: (translation: (2, 3, 0.1)),
            sensors: {{ "pose": (kind: "pose", modifiers: [{sensor}]) }},
            actuators: {{ "motion": (kind: "v_omega", modifiers: [{motion}]) }},
        ) }})"#
    );
    Simulation::parse(&text, ".", &with_gap).unwrap_or_else(|error| panic!("{error}"))
}

/// Returns the ticks of exports, and the ticks in which their data were measured.
fn exports(simulation: &mut Simulation, observer: &Observer, until: u64) -> Vec<(u64, i64)> {
    while simulation.tick() < until {
        simulation.step().expect("a tick");
    }
    let readings = std::iter::from_fn(|| observer.try_recv());
    let measured = |reading: &morse_api::reading::Reading| {
        let pose: &PoseData = reading.get().expect("a pose");
        ((pose.x - 2.0) * 10.0).round() as i64
    };
    readings
        .map(|reading| (reading.tick, measured(&reading)))
        .collect()
}

#[test]
fn what_is_under_way_is_exported_when_it_is_due() {
    let dropout = r#"(kind: "dropout", probability: 1, from: 0.25, until: 0.55)"#;
    let lost = r#"(kind: "gap")"#;
    let held = r#"(kind: "gap", held: true)"#;
    let late = r#"(kind: "latency", time: 0.2)"#;
    let twice = r#"(kind: "latency", time: 0.1), (kind: "latency", time: 0.1)"#;
    let counted = r#"(kind: "latency", measurements: 2)"#;
    let jump = r#"(kind: "bias_jump", fields: ["x"], size: 5)"#;
    let by_time = &[(3, 1), (4, 2), (8, 6), (9, 7), (10, 8)][..];
    // A delay by count advances with each measurement.
    let by_count = &[(6, 1), (7, 2), (8, 6), (9, 7), (10, 8)][..];
    // Modifiers after it process delayed data like all other data.
    let jumped = &[(3, 51), (4, 52), (8, 56), (9, 57), (10, 58)][..];
    for (modifiers, expected) in [
        (format!("{dropout}, {late}"), by_time),
        (format!("{lost}, {late}"), by_time),
        (format!("{held}, {late}"), by_time),
        (format!("{lost}, {twice}"), by_time),
        (format!("{lost}, {late}, {jump}"), jumped),
        (format!("{dropout}, {counted}"), by_count),
    ] {
        let mut simulation = rover(&modifiers, "");
        let go = VOmegaCommand { v: 1.0, w: 0.0 };
        simulation
            .command::<VOmega>("rover.motion", go)
            .expect("a command");
        let observer = simulation
            .observe("rover.pose", Policy::Queue(100))
            .expect("a sensor");
        observer.stay_ready();
        let mut exported = exports(&mut simulation, &observer, 4);
        let snapshot = simulation.snapshot().expect("it can be saved");
        let rest = exports(&mut simulation, &observer, 10);
        exported.extend(&rest);
        assert_eq!(exported, expected, "{modifiers}");
        simulation.restore(&snapshot).expect("the same simulation");
        let again = exports(&mut simulation, &observer, 10);
        assert_eq!(again, rest, "{modifiers}");
    }
}

#[test]
fn commands_that_are_under_way_take_effect_when_they_are_due() {
    for before in [
        r#"(kind: "dropout", probability: 1, from: 0.25, until: 0.55)"#,
        r#"(kind: "gap")"#,
        r#"(kind: "gap", held: true)"#,
    ] {
        let mut simulation = rover("", &format!(r#"{before}, (kind: "latency", time: 0.2)"#));
        let mut speeds = Vec::new();
        for tick in 1..=10 {
            let command = VOmegaCommand {
                v: f64::from(tick) / 100.0,
                w: 0.0,
            };
            simulation
                .command::<VOmega>("rover.motion", command)
                .expect("a command");
            simulation.step().expect("a tick");
            let motion = find(simulation.world(), "rover.motion").expect("an actuator");
            let effective: &VOmegaCommand = simulation.world().get(motion).expect("a command");
            speeds.push((effective.v * 100.0).round() as i64);
        }
        assert_eq!(speeds, [0, 0, 1, 2, 2, 2, 2, 6, 7, 8], "{before}");
    }
}
