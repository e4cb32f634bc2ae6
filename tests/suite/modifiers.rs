//! Modifiers in a whole simulation: compatibility, reproducible noise, late or lost data.
mod catalogue;
mod under_way;

use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    fields::Fields,
    kind::Kinds,
    modifier::{Side, Site},
    port::Policy,
    service::Status,
};
use morse_sim::{
    Simulation,
    actuator::teleport::TeleportCommand,
    sensor::{odometry::OdometryData, pose::PoseData},
    simulation::{BuildError, kinds, no_extensions},
};
use serde::de::value::{Error as ValueError, MapDeserializer};
use serde_json::{Value as Json, json};

fn build(environment: &str, components: &str) -> Result<Simulation, BuildError> {
    let text = format!(
        "Simulation(environment: (rate: 10, seed: 3, {environment}), robots: {{ \"rover\": \
         (model: \"robots/atrv.robray\", at: (translation: (2, 3, 0.1)), {components}) }})"
    );
    Simulation::parse(&text, ".", &no_extensions)
}

fn rover(components: &str) -> Simulation {
    build("gravity: (0, 0, 0)", components).unwrap_or_else(|error| panic!("{error}"))
}

fn error(environment: &str, components: &str) -> String {
    match build(environment, components) {
        Ok(_) => panic!("no error"),
        Err(error) => error.to_string(),
    }
}

/// Returns true if a modifier with its defaults fits a kind at one of its levels.
fn fits(kinds: &Kinds, modifier: &str, component: &str, level: Option<&str>) -> bool {
    let modifier = kinds.modifiers[modifier];
    let nothing = MapDeserializer::<_, ValueError>::new(std::iter::empty::<(&str, &str)>());
    let settings = (modifier.about.read)(&mut <dyn erased_serde::Deserializer>::erase(nothing));
    let (fields, side) = match kinds.sensors.get(component) {
        Some(sensor) => (Fields::of(sensor.data, level), Side::Measurement),
        None => (
            Fields::of(kinds.actuators[component].command, None),
            Side::Command,
        ),
    };
    let world = bevy::prelude::World::new();
    let site = Site {
        world: &world,
        side,
        path: "rover.sensor",
    };
    (modifier.bind)(&settings.expect("defaults"), &fields, &site).is_ok()
}

/// Table of compatibility: `x` is in MORSE's table, too, `+` is an addition, and `-` is refused.
const FITS: &str = "
                  pose gps gps:raw odometry odometry:raw odometry:differential imu velocity clock laser_scanner waypoint teleport v_omega gyroscope attitude magnetometer radar_altimeter rotorcraft_waypoint rotorcraft_attitude destination orientation video_camera video_camera:rgbd depth_camera
ned               x    x   +       -        -            -                     +   +        -     -             x        x        -       x         +        +            -               +                   -                   x           x           -            -                 -
ecef              x    x   -       -        -            -                     -   -        -     -             x        x        -       -         -        -            -               +                   -                   x           -           -            -                 -
geodetic          x    x   -       -        -            -                     -   -        -     -             x        x        -       -         -        -            -               +                   -                   x           -           -            -                 -
geocentric        x    x   -       -        -            -                     -   -        -     -             x        x        -       -         -        -            -               +                   -                   x           -           -            -                 -
feet              x    x   -       +        -            -                     -   -        -     -             x        x        -       -         -        -            +               +                   -                   x           -           -            -                 -
utm               x    x   -       -        -            -                     -   -        -     -             x        +        -       -         -        -            -               +                   -                   x           -           -            -                 -
utm_offset        x    x   -       -        -            -                     -   -        -     -             x        +        -       -         -        -            -               +                   -                   x           -           -            -                 -
position_noise    +    x   -       +        -            -                     -   -        -     -             +        +        -       -         -        -            -               +                   -                   +           -           -            -                 -
pose_noise        x    -   -       x        -            -                     -   -        -     -             -        +        -       -         -        -            -               -                   -                   -           -           -            -                 -
orientation_noise +    -   -       +        -            -                     -   -        -     -             -        +        -       x         -        -            -               -                   +                   -           +           -            -                 -
imu_noise         -    -   -       -        -            -                     x   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           -            -                 -
odometry_noise    -    -   -       x        x            x                     -   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           -            -                 -
gps_noise         +    +   +       +        -            -                     -   -        -     -             +        +        -       -         -        -            -               +                   -                   +           -           -            -                 -
gaussian          +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
bias              +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
random_walk       +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
quantization      +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
saturation        +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
freeze            +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           +            +                 +
bias_jump         +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           +            +                 +
spike             +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           +            +                 +
dropout           +    +   +       +        +            +                     +   +        +     +             +        +        +       +         +        +            +               +                   +                   +           +           +            +                 +
latency           +    +   +       +        +            +                     +   +        -     +             +        +        +       +         +        +            +               +                   +                   +           +           -            -                 -
image_noise       -    -   -       -        -            -                     -   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           +            +                 -
salt_and_pepper   -    -   -       -        -            -                     -   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           +            +                 -
depth_noise       -    -   -       -        -            -                     -   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           -            +                 +
range_noise       -    -   -       -        -            -                     -   -        -     +             -        -        -       -         -        -            -               -                   -                   -           -           -            -                 -
silence           -    -   -       -        -            -                     -   -        -     -             -        -        -       -         -        -            -               -                   -                   -           -           -            -                 -
";

#[test]
fn the_table_of_what_fits_what() {
    let kinds = kinds(&no_extensions);
    let mut lines = FITS.lines().filter(|line| !line.is_empty());
    let components: Vec<&str> = lines.next().expect("a head").split_whitespace().collect();
    let mut wrong = Vec::new();
    let mut known = Vec::new();
    for line in lines {
        let mut cells = line.split_whitespace();
        let modifier = cells.next().expect("a modifier");
        known.push(modifier);
        let cells: Vec<&str> = cells.collect();
        assert_eq!(cells.len(), components.len(), "{line}");
        for (component, cell) in components.iter().zip(cells) {
            let (component, level) = match component.split_once(':') {
                Some((component, level)) => (component, Some(level)),
                None => {
                    let sensor = kinds.sensors.get(component);
                    (
                        *component,
                        sensor.and_then(|sensor| sensor.levels.first().copied()),
                    )
                }
            };
            if fits(&kinds, modifier, component, level) != (cell != "-") {
                wrong.push(format!("{modifier} on {component} {level:?} is not {cell}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let missing: Vec<&&str> = kinds
        .modifiers
        .keys()
        .filter(|word| !known.contains(word) && **word != "meters")
        .collect();
    assert!(missing.is_empty(), "not in the table: {missing:?}");
}

#[test]
fn a_misfit_says_what_fits() {
    let said = error(
        "",
        r#"sensors: { "t": (kind: "clock", modifiers: [(kind: "gaussian")]) }"#,
    );
    assert!(
        said.contains("`gaussian` does not fit `clock`") && said.contains("imu"),
        "{said}"
    );
    assert!(said.contains("`clock` has no fields"), "{said}");
    let said = error(
        "",
        r#"sensors: { "c": (kind: "collision", modifiers: [(kind: "bias_jump")]) }"#,
    );
    for words in [
        "it needs a field that holds numbers",
        "`collision` has `collision` (bool), `objects` (String)",
    ] {
        assert!(said.contains(words), "{said}");
    }
    let said = error(
        "",
        r#"sensors: { "p": (kind: "pose", modifiers: [(kind: "bias", fields: ["q"])]) }"#,
    );
    assert!(
        said.contains("`q`") && said.contains("`x`, `y`, `z`"),
        "{said}"
    );
}

#[test]
fn a_missing_origin_is_an_error_with_a_remedy() {
    for kind in ["ecef", "geodetic", "geocentric", "utm"] {
        let components =
            format!("sensors: {{ \"p\": (kind: \"pose\", modifiers: [(kind: \"{kind}\")]) }}");
        let said = error("", &components);
        assert!(
            said.contains("rover.p") && said.contains("origin: (latitude:"),
            "{said}"
        );
    }
    let pole = "origin: (latitude: 89, longitude: 0, altitude: 0)";
    let utm = r#"sensors: { "p": (kind: "pose", modifiers: [(kind: "utm")]) }"#;
    assert!(error(pole, utm).contains("zone: "));
    assert!(build(pole, &utm.replace("\"utm\"", "\"utm\", zone: 31")).is_ok());
    assert!(error(pole, &utm.replace("\"utm\"", "\"utm\", zone: 61")).contains("1 to 60"));
}

#[test]
fn settings_that_make_no_sense_are_errors() {
    for (modifier, word) in [
        (r#"kind: "gaussian", sigma: -1"#, "sigma"),
        (r#"kind: "saturation""#, "max"),
        (r#"kind: "freeze", from: 2, until: 1"#, "until"),
        (r#"kind: "dropout", probability: 2"#, "probability"),
        (r#"kind: "quantization", step: 0"#, "step"),
        (r#"kind: "latency", time: -1"#, "time"),
        (r#"kind: "spike""#, "at: "),
    ] {
        let components =
            format!("sensors: {{ \"p\": (kind: \"pose\", modifiers: [({modifier})]) }}");
        let said = error("", &components);
        let is_told = said.contains("`rover.p`") || said.contains("out of range");
        assert!(is_told && said.contains(word), "{said}");
    }
}

#[test]
fn the_units_of_a_reading_are_those_that_it_is_exported_in() {
    let mut simulation = build(
        "origin: (latitude: 43.6, longitude: 1.4, altitude: 0)",
        r#"sensors: {
            "earth": (kind: "pose", modifiers: [(kind: "geodetic")]),
            "feet": (kind: "pose", modifiers: [(kind: "feet")]),
        }"#,
    )
    .unwrap_or_else(|error| panic!("{error}"));
    let units = |simulation: &mut Simulation, path: &str| {
        let observer = simulation.observe(path, Policy::Latest).expect("a sensor");
        let fields = &observer.info.fields;
        ["x", "y", "z", "yaw"].map(|name| fields.get(name).and_then(|field| field.unit))
    };
    assert_eq!(
        units(&mut simulation, "rover.earth"),
        [Some("deg"), Some("deg"), Some("m"), Some("rad")]
    );
    assert_eq!(
        units(&mut simulation, "rover.feet"),
        [Some("ft"), Some("ft"), Some("ft"), Some("rad")]
    );
    simulation.step().unwrap();
    let pose: &PoseData = simulation.read("rover.feet").unwrap();
    // 2 m and 3 m, by the definition of the foot.
    assert!(
        (pose.x - 6.561_679_790_026_247).abs() < 1e-6
            && (pose.y - 9.842_519_685_039_37).abs() < 1e-6
    );
}

#[test]
fn a_lost_measurement_is_not_exported() {
    let mut simulation = rover(
        r#"sensors: { "p": (kind: "pose", modifiers: [
            (kind: "bias_jump", at: 0.35, size: 7),
            (kind: "dropout", probability: 1, from: 0.3, until: 0.5),
        ]) }"#,
    );
    let observer = simulation.observe("rover.p", Policy::Queue(100)).unwrap();
    observer.stay_ready();
    let polled: Vec<f64> = (0..6)
        .map(|_| {
            simulation.step().unwrap();
            let reply = simulation
                .call("rover.p", "get_local_data", &Json::Null)
                .reply();
            reply.expect("an answer").value["x"]
                .as_f64()
                .expect("a number")
        })
        .collect();
    let ticks: Vec<u64> = std::iter::from_fn(|| observer.try_recv())
        .map(|reading| reading.tick)
        .collect();
    assert_eq!(ticks, [1, 2, 5, 6]);
    let rounded: Vec<f64> = polled.iter().map(|x| x.round()).collect();
    assert_eq!(
        rounded,
        [2.0, 2.0, 2.0, 2.0, 9.0, 9.0],
        "the last one stays"
    );
}

#[test]
fn a_partial_command_keeps_what_the_client_did_not_say() {
    for command in ["start: (x: 2, y: 3, z: 0.1),", ""] {
        let components = format!(
            "actuators: {{ \"t\": (kind: \"teleport\", {command} modifiers: [(kind: \"ned\")]) }}"
        );
        let mut simulation = rover(&components);
        let goal = |simulation: &mut Simulation, name: &str, value: f64| {
            let mut command = DynamicStruct::default();
            command.insert(name, value);
            simulation
                .command_any("rover.t", Box::new(command))
                .unwrap();
            simulation.step().unwrap();
            let entity = morse_api::service::find(simulation.world(), "rover.t").unwrap();
            let goal: &TeleportCommand = simulation.world().get(entity).unwrap();
            [goal.x, goal.y, goal.z]
        };
        simulation.step().unwrap();
        let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        // Five metres north, in NED, is `y` in the scene; the other coordinates are unchanged.
        let position = goal(&mut simulation, "x", 5.0);
        assert!(close(position, [2.0, 5.0, 0.1]), "{position:?}");
        let position = goal(&mut simulation, "z", -4.0);
        assert!(close(position, [2.0, 5.0, 4.0]), "{position:?}");
        // A service uses the scene's frame, and the next command is merged into its values.
        let reply = simulation
            .call("rover.t", "translate", &json!({ "x": 10 }))
            .reply();
        assert_eq!(reply.map(|reply| reply.status), Some(Status::Success));
        let position = goal(&mut simulation, "z", -6.0);
        assert!(close(position, [12.0, 5.0, 6.0]), "{position:?}");
    }
}

#[test]
fn a_command_that_modifiers_bring_out_of_range_is_ignored() {
    for modifiers in [
        r#"(kind: "bias", value: 1e6, sigma: 0)"#,
        r#"(kind: "bias", value: 1e12, sigma: 0), (kind: "bias", value: 1e12, sigma: 0)"#,
    ] {
        let mut simulation = rover(&format!(
            r#"actuators: {{ "m": (kind: "v_omega", modifiers: [{modifiers}]) }}"#
        ));
        let mut command = DynamicStruct::default();
        command.insert("v", 0.5);
        simulation
            .command_any("rover.m", Box::new(command))
            .expect("it is within");
        simulation.step().expect("it runs");
        let said = simulation.take_warnings();
        let is_said = said.len() == 1 && said[0].contains("`rover.m`");
        assert!(is_said && said[0].contains("out of range"), "{said:?}");
        assert_eq!(simulation.lost_bodies(), []);
    }
}

/// Every kind of noise, on one sensor each.
const NOISY: &str = r#"
    "a": (kind: "pose", modifiers: [(kind: "gaussian"), (kind: "random_walk"), (kind: "bias")]),
    "b": (kind: "pose", modifiers: [(kind: "spike", probability: 0.3), (kind: "dropout", probability: 0.3)]),
    "c": (kind: "odometry", modifiers: [(kind: "odometry_noise", factor_sigma: 0.1, gyro_drift_sigma: 0.1)]),
    "d": (kind: "pose", modifiers: [(kind: "pose_noise"), (kind: "latency", time: 0.3)]),
"#;

fn measured(simulation: &mut Simulation, ticks: u64) -> Vec<u64> {
    let mut bits = Vec::new();
    for _ in 0..ticks {
        simulation.step().expect("it runs");
        for path in ["rover.a", "rover.b", "rover.d"] {
            // Delayed data do not exist at first.
            if let Ok(data) = simulation.read::<PoseData>(path) {
                bits.extend([data.x, data.y, data.yaw].map(f64::to_bits));
            }
        }
        let data: &OdometryData = simulation.read("rover.c").expect("it runs");
        bits.extend([data.x, data.yaw, data.vx].map(f64::to_bits));
    }
    bits
}

#[test]
fn one_component_or_modifier_more_changes_no_others_noise() {
    let readings = |sensors: &str| measured(&mut rover(&format!("sensors: {{ {sensors} }}")), 30);
    let alone = readings(NOISY);
    let more = format!(
        r#""aa": (kind: "imu", modifiers: [(kind: "imu_noise"), (kind: "gaussian")]), {NOISY}
           "z": (kind: "gps", modifiers: [(kind: "random_walk")])"#
    );
    assert_eq!(alone, readings(&more), "two components more");
    let longer = more.replace("(kind: \"imu_noise\"), ", "");
    assert_eq!(
        alone,
        readings(&longer),
        "a modifier less on another component"
    );
    // A modifier of another kind on the same sensor does not change the random numbers of the others.
    let same = NOISY.replace(
        "[(kind: \"gaussian\"),",
        "[(kind: \"position_noise\", sigma: (0, 0, 0)), (kind: \"gaussian\"),",
    );
    assert_ne!(same, NOISY);
    assert_eq!(alone, readings(&same));
}

#[test]
fn a_restored_simulation_goes_on_with_the_same_noise() {
    let mut simulation = rover(&format!("sensors: {{ {NOISY} }}"));
    let from_start = measured(&mut simulation, 12);
    let snapshot = simulation.snapshot().unwrap();
    let first = measured(&mut simulation, 20);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(first, measured(&mut simulation, 20));
    simulation.reset().unwrap();
    assert_eq!(from_start, measured(&mut simulation, 12));
}
