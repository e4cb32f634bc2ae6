//! Ranges of kinds of one's own, and fields that they may not have.
use std::{
    collections::{BTreeMap, HashMap},
    path::Path,
    sync::Arc,
};

use bevy::prelude::{App as BevyApp, *};
use morse_api::prelude::{Memory, *};
use morse_sim::{
    Simulation,
    cli::{describe, exit},
    simulation::{
        BuildError, kinds,
        load::{Options, parse},
        no_extensions,
    },
};
use morse_simulation_file::model::Settings;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

/// Measures the sound level.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Ear {
    /// Minimum sound level.
    #[reflect(@Unit("dB"), @ValueRange(0.0, 120.0))]
    threshold: f64,
    /// Maximum distance.
    #[reflect(@Unit("m"))]
    reach: Option<f64>,
    /// Bands.
    bands: Vec<Band>,
    /// Without an end, unless given.
    #[reflect(@Unit("s"))]
    patience: f64,
    /// Samples.
    #[reflect(@ValueRange(1.0, 1e9))]
    samples: u64,
}

/// A band.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct Band {
    /// Middle.
    #[reflect(@Unit("Hz"), @ValueRange(20.0, 20_000.0))]
    middle: f64,
    /// Gain.
    gain: [f64; 2],
}

impl Default for Ear {
    fn default() -> Self {
        Self {
            threshold: 10.0,
            reach: None,
            bands: Vec::new(),
            patience: f64::INFINITY,
            samples: 100,
        }
    }
}

/// One measurement.
#[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct EarData {
    /// Level.
    #[reflect(@Unit("dB"))]
    level: f64,
    /// Samples.
    #[reflect(@Unit("dB"))]
    samples: Vec<f64>,
}

impl Sensor for Ear {
    const KIND: &'static str = "ear";
    type Data = EarData;

    fn memory(&self, _: &str) -> Memory {
        Memory {
            measurement: 8 * self.samples,
            workspace: 0,
        }
    }
}

fn ears(app: &mut BevyApp) {
    app.add_sensor::<Ear, _>(|mut ears: Query<(&Ear, &Due, &mut EarData)>| {
        for (ear, due, mut data) in &mut ears {
            if due.0 {
                data.level = ear.threshold;
                data.samples.resize(ear.samples as usize, 0.0);
            }
        }
    });
}

fn load(settings: &str) -> Result<Simulation, BuildError> {
    let text = format!(
        "Simulation(scene: \"boxes.robray\", robots: {{ \"r\": (model: \"robots/atrv.robray\",\n\
         sensors: {{ \"ear\": (kind: \"ear\",\n{settings}) }}) }})"
    );
    Simulation::parse(&text, "scenes", &ears)
}

fn refusal(settings: &str) -> String {
    load(settings)
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn numbers_out_of_range_are_told_where_they_stand() {
    for (settings, message, position) in [
        (
            "threshold: -1",
            "`threshold` of `ear`: -1 is out of range: 0 to 120 dB",
            "3:12",
        ),
        (
            "reach: 1e9",
            "`reach` of `ear`: 1e9 is out of range: -1e8 to 1e8 m",
            "3:8",
        ),
        (
            "bands: [(middle: 50, gain: (0, 1)), (middle: 60, gain: (0, 1e10))]",
            "`bands.1.gain.1` of `ear`: 1e10 is out of range: -1e9 to 1e9",
            "3:60",
        ),
        (
            "bands: [(middle: 5, gain: (0, 1))]",
            "`bands.0.middle` of `ear`: 5 is out of range: 20 to 20000 Hz",
            "3:18",
        ),
        (
            "patience: 1e300",
            "`patience` of `ear`: 1e300 is out of range",
            "3:11",
        ),
        (
            "samples: 0",
            "`samples` of `ear`: 0 is out of range: 1 to 1e9",
            "3:10",
        ),
    ] {
        let said = refusal(settings);
        assert!(
            said.contains(message) && said.contains(&format!("<text>:{position}")),
            "{said}"
        );
    }
    // All of them in one pass.
    let said = refusal("threshold: -1, samples: 0, patience: -1e300");
    assert_eq!(said.matches("out of range").count(), 3, "{said}");
    // The default values are valid.
    let mut simulation = load("threshold: 120").unwrap_or_else(|error| panic!("{error}"));
    simulation.run(2).expect("no observer");
    assert_eq!(
        simulation.read::<EarData>("r.ear").expect("data").level,
        120.0
    );
}

#[test]
fn services_are_held_to_ranges_too() {
    let mut simulation = load("").unwrap_or_else(|error| panic!("{error}"));
    let mut set = |name: &str, value: Json| {
        let call = simulation.call("r.ear", "set_property", &json!([name, value]));
        call.reply().expect("an answer at once").value.to_string()
    };
    let said = set("threshold", json!(121));
    assert!(
        said.contains("threshold: 121 is out of range: 0 to 120 dB"),
        "{said}"
    );
    // The requested number is not the infinite one.
    assert!(!set("threshold", json!(12)).contains("range"));
    let said = set("samples", json!(1_000_000_000));
    assert!(
        said.contains("it would take 22.4 GiB") && said.contains("--memory 23GiB"),
        "{said}"
    );
    assert_eq!(
        simulation
            .call("r.ear", "get_properties", &json!([]))
            .reply()
            .expect("an answer")
            .value["properties"]["samples"][0],
        100
    );
}

#[test]
fn memory_is_held_against_the_budget() {
    let said = refusal("samples: 1000000000");
    assert!(
        said.contains("`r.ear`: it would take 22.4 GiB of memory, and the budget is 4 GiB"),
        "{said}"
    );
    assert!(
        said.contains("--memory 23GiB") && said.contains("<text>:2:"),
        "{said}"
    );
}

#[test]
fn measurements_that_wait_count_too() {
    let latency =
        |count: &str| format!("samples: 1000000, modifiers: [(kind: \"latency\", {count})]");
    assert!(load(&latency("measurements: 100")).is_ok());
    let said = refusal(&latency("measurements: 1000"));
    assert!(said.contains("`r.ear`: it would take 7.5 GiB"), "{said}");
    // At 60 Hz that is 1200 measurements.
    let said = refusal(&latency("time: 20"));
    assert!(said.contains("`r.ear`: it would take 9 GiB"), "{said}");
}

#[test]
fn simulations_that_a_program_made_are_held_to_ranges() {
    let text = "Simulation(scene: \"boxes.robray\", robots: { \"r\": (model: \"robots/atrv.robray\", \
        sensors: { \"ear\": (kind: \"ear\", modifiers: [(kind: \"bias\")]) }) })";
    let options = Options::default();
    let plan = parse(text, Path::new("scenes"), &options, &kinds(&ears));
    let mut plan = plan.unwrap_or_else(|report| panic!("{report}"));
    assert!(Simulation::build(plan.clone(), &ears).is_ok());
    for robot in plan.simulation.robots.values_mut() {
        for sensor in robot.sensors.values_mut() {
            let deaf = Ear {
                threshold: 1e9,
                ..Ear::default()
            };
            sensor.component.settings = Settings(Arc::new(deaf));
            let settings = kinds(&no_extensions).modifiers["bias"].about.defaults();
            let settings = settings.expect("it has defaults");
            sensor.component.modifiers[0].settings = Settings(settings);
        }
    }
    let error = Simulation::build(plan, &ears)
        .err()
        .map(|error| error.to_string());
    let said = error.expect("out of range");
    let expected = "`r.ear`: `threshold` of `ear`: 1e9 is out of range: 0 to 120 dB";
    assert!(
        said.contains(expected) && said.matches("error").count() == 1,
        "{said}"
    );
}

#[test]
fn ranges_are_described() {
    let describe = |json: bool| {
        let args = describe::Args {
            kind: Some("ear".to_owned()),
            json,
            ..describe::Args::default()
        };
        let (mut out, mut err) = (Vec::new(), Vec::new());
        assert_eq!(describe::run(&args, &ears, &mut out, &mut err), exit::FINE);
        String::from_utf8(out).expect("text")
    };
    let text = describe(false);
    assert!(
        text.contains("threshold     dB  Minimum sound level; 0 to 120; default 10"),
        "{text}"
    );
    assert!(
        text.contains("bands.middle  Hz  Middle; 20 to 20000"),
        "{text}"
    );
    assert!(
        text.contains("reach         m   Maximum distance.\n"),
        "the range of a unit is not repeated: {text}"
    );
    let json: Json = serde_json::from_str(&describe(true)).expect("JSON");
    let range = |name: &str| {
        let settings = json["settings"].as_array().expect("a list");
        let setting = settings.iter().find(|setting| setting["name"] == name);
        setting.expect("a setting")["range"].clone()
    };
    assert_eq!(range("threshold"), json!([0.0, 120.0]));
    assert_eq!(range("reach"), json!([-1e8, 1e8]));
    assert_eq!(range("bands.gain"), json!([-1e9, 1e9]));
    assert_eq!(range("bands"), Json::Null);
}

/// A kind with data, and the reason why it is refused.
macro_rules! kind {
    ($name:ident, $data:ident { $field:ident: $type:ty }) => {
        #[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
        struct $name {}

        #[derive(Component, Reflect, Clone, Debug, Default, Serialize, Deserialize)]
        struct $data {
            $field: $type,
        }

        impl Sensor for $name {
            const KIND: &'static str = "own";
            type Data = $data;
        }
    };
}
kind!(Unordered, UnorderedData { by_name: HashMap<String, f64> });
kind!(Nested, NestedData { list: Vec<Inner> });
kind!(Named, NamedData { who: Option<std::time::Duration> });
kind!(Ordered, OrderedData { by_name: BTreeMap<String, f64> });

#[derive(Reflect, Clone, Debug, Default, Serialize, Deserialize)]
struct Inner {
    map: bevy::platform::collections::HashMap<String, f64>,
}

/// Returns the message with which a kind is refused.
fn refused<S: Sensor>() -> String {
    let add = || {
        let mut app = BevyApp::empty();
        app.add_sensor::<S, _>(|| {});
    };
    let caught = std::panic::catch_unwind(add).err();
    let said = caught.and_then(|said| said.downcast_ref::<String>().cloned());
    said.unwrap_or_default()
}

#[test]
fn data_that_would_differ_from_run_to_run_are_refused() {
    assert_eq!(
        refused::<Unordered>(),
        "data of `own`: field `by_name` is an unordered map; use `BTreeMap`"
    );
    assert_eq!(
        refused::<Nested>(),
        "data of `own`: field `list.map` is an unordered map; use `BTreeMap`"
    );
    let said = refused::<Named>();
    assert!(
        said.starts_with("data of `own`: field `who` is of the type `Duration`"),
        "{said}"
    );
    assert_eq!(refused::<Ordered>(), "");
}

/// Settings with an entity.
#[derive(Component, Reflect, Clone, Debug, Deserialize)]
struct Pointing {
    whom: Option<Entity>,
}

impl Sensor for Pointing {
    const KIND: &'static str = "pointing";
    type Data = OrderedData;
}

#[test]
fn settings_are_held_to_it_too() {
    let said = refused::<Pointing>();
    assert!(
        said.starts_with("settings of `pointing`: field `whom` is an `Entity`"),
        "{said}"
    );
}
