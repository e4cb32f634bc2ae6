//! Positions on Earth against independent libraries: `tests/data/geodesy.csv` lists them.
use std::fmt::Write as _;

use bevy::reflect::structs::DynamicStruct;
use morse_sim::{
    Simulation,
    actuator::teleport::TeleportCommand,
    geodesy::{
        Geocentric, Geodetic,
        utm::{Projected, Zone},
    },
    sensor::{gps::GpsData, pose::PoseData},
    simulation::no_extensions,
};
use nalgebra::{Point3, Vector3};

/// Tolerance, m.
const MILLIMETRE: f64 = 1e-3;

/// A position, by the libraries.
#[derive(Clone, Copy, Debug)]
struct Reference {
    geodetic: Geodetic,
    ecef: [f64; 3],
    geocentric: Geocentric,
    zone: Zone,
    projected: Projected,
}

/// A point of a scene, and its position on Earth.
#[derive(Clone, Copy, Debug)]
struct InScene {
    origin: [f64; 4],
    point: [f64; 3],
    on_earth: Reference,
}

fn rows(kind: &str) -> Vec<Vec<&'static str>> {
    include_str!("../data/geodesy.csv")
        .lines()
        .filter_map(|line| line.strip_prefix(kind)?.strip_prefix(','))
        .map(|line| line.split(',').collect())
        .collect()
}

fn numbers<const N: usize>(columns: &[&str]) -> [f64; N] {
    std::array::from_fn(|index| columns[index].parse().expect("a number"))
}

fn position(columns: &[&str]) -> Reference {
    let [latitude, longitude, altitude] = numbers(columns);
    let [geocentric, radius] = numbers(&columns[6..]);
    let [easting, northing] = numbers(&columns[10..]);
    Reference {
        geodetic: Geodetic {
            latitude,
            longitude,
            altitude,
        },
        ecef: numbers(&columns[3..]),
        geocentric: Geocentric {
            latitude: geocentric,
            longitude,
            radius,
        },
        zone: Zone {
            number: columns[8].parse().expect("a zone"),
            is_north: columns[9] == "north",
        },
        projected: Projected { easting, northing },
    }
}

fn positions() -> Vec<Reference> {
    rows("earth")
        .iter()
        .map(|columns| position(columns))
        .collect()
}

fn scene_points() -> Vec<InScene> {
    let row = |columns: &Vec<&str>| InScene {
        origin: numbers(columns),
        point: numbers(&columns[4..]),
        on_earth: position(&columns[7..]),
    };
    rows("scene").iter().map(row).collect()
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (Vector3::from(a) - Vector3::from(b)).norm()
}

/// Returns the distance between two positions, m.
fn apart(a: Geodetic, b: Geodetic) -> f64 {
    (a.to_ecef() - b.to_ecef()).norm()
}

#[test]
fn the_globe_is_covered() {
    let positions = positions();
    let has = |test: &dyn Fn(&Geodetic) -> bool| {
        positions.iter().any(|position| test(&position.geodetic))
    };
    assert!(positions.len() > 300 && scene_points().len() > 30);
    assert!(
        has(&|position| position.latitude == 90.0) && has(&|position| position.latitude == -90.0)
    );
    assert!(
        has(&|position| position.longitude == 180.0)
            && has(&|position| position.longitude == -180.0)
    );
    assert!(
        has(&|position| position.altitude == -500.0)
            && has(&|position| position.altitude == 20_000.0)
    );
    assert!(positions.iter().any(|position| !position.zone.is_north));
}

#[test]
fn earth_centred_and_geocentric_coordinates() {
    for position in positions() {
        let there = distance(position.geodetic.to_ecef().into(), position.ecef);
        let back = apart(
            Geodetic::from_ecef(&position.ecef.into()),
            position.geodetic,
        );
        assert!(
            there < MILLIMETRE && back < MILLIMETRE,
            "{position:?}: {there} {back}"
        );
        let by_centre = distance(position.geocentric.to_ecef().into(), position.ecef);
        let position_of_ecef = Geocentric::from_ecef(&position.ecef.into());
        let radius = (position_of_ecef.radius - position.geocentric.radius).abs();
        let arc = (position_of_ecef.latitude - position.geocentric.latitude).to_radians()
            * position_of_ecef.radius;
        let wrong = by_centre.max(radius).max(arc.abs());
        assert!(wrong < MILLIMETRE, "{position:?}: {position_of_ecef:?}");
    }
}

#[test]
fn the_projection_and_back() {
    for position in positions() {
        let projected = position.zone.project(position.geodetic);
        let east = projected.easting - position.projected.easting;
        let north = projected.northing - position.projected.northing;
        assert!(
            libm::hypot(east, north) < MILLIMETRE,
            "{position:?}: {projected:?}"
        );
        let [latitude, longitude] = position.zone.unproject(position.projected);
        let back = Geodetic {
            latitude,
            longitude,
            ..position.geodetic
        };
        assert!(
            apart(back, position.geodetic) < MILLIMETRE,
            "{position:?}: {back:?}"
        );
    }
}

const KINDS: [&str; 4] = ["ecef", "geodetic", "geocentric", "utm"];

/// Returns the coordinates that a modifier gives.
fn coordinates(position: &Reference, kind: &str) -> [f64; 3] {
    let Reference {
        geodetic,
        geocentric,
        projected,
        ..
    } = position;
    match kind {
        "ecef" => position.ecef,
        "geodetic" => [geodetic.longitude, geodetic.latitude, geodetic.altitude],
        "geocentric" => [geocentric.longitude, geocentric.latitude, geocentric.radius],
        _ => [projected.easting, projected.northing, geodetic.altitude],
    }
}

/// Returns the position of coordinates in the Earth's frame, m.
fn meaning(position: &Reference, kind: &str, [x, y, z]: [f64; 3]) -> [f64; 3] {
    let geodetic = |[latitude, longitude]: [f64; 2]| Geodetic {
        latitude,
        longitude,
        altitude: z,
    };
    let point: Point3<f64> = match kind {
        "ecef" => Point3::new(x, y, z),
        "geodetic" => geodetic([y, x]).to_ecef(),
        "geocentric" => Geocentric {
            longitude: x,
            latitude: y,
            radius: z,
        }
        .to_ecef(),
        _ => geodetic(position.zone.unproject(Projected {
            easting: x,
            northing: y,
        }))
        .to_ecef(),
    };
    point.into()
}

/// Returns a scene with a robot at each of some points, and one at the origin that receives a goal.
fn simulation(points: &[InScene], at_points: bool) -> Simulation {
    let [latitude, longitude, altitude, angle] = points[0].origin;
    let zone = points[0].on_earth.zone;
    let hemisphere = if zone.is_north { "north" } else { "south" };
    // The zone is determined from the origin, which is inside it.
    let utm = format!("kind: \"utm\", zone: {}", zone.number);
    assert_eq!(
        points[0].on_earth.geodetic.latitude >= 0.0,
        hemisphere == "north"
    );
    let mut robots = String::new();
    let mut components = String::new();
    for kind in KINDS {
        let modifier = if kind == "utm" {
            utm.clone()
        } else {
            format!("kind: \"{kind}\"")
        };
        let component = if at_points { "pose" } else { "teleport" };
        write!(
            components,
            "\"{kind}\": (kind: \"{component}\", modifiers: [({modifier})]),"
        )
        .expect("text");
    }
    for (
        index,
        InScene {
            point: [x, y, z], ..
        },
    ) in points.iter().enumerate()
    {
        let (base, family, more) = if at_points {
            ("fixed", "sensors", "\"gps\": (kind: \"gps\", level: raw),")
        } else {
            ("dynamic", "actuators", "")
        };
        write!(
            robots,
            "\"r{index}\": (model: \"robots/atrv.robray\", base: {base}, at: (translation: ({x:?}, {y:?}, {z:?})), \
             {family}: {{ {components} {more} }}),"
        )
        .expect("text");
    }
    let text = format!(
        "Simulation(environment: (origin: (latitude: {latitude:?}, longitude: {longitude:?}, \
         altitude: {altitude:?}, angle_against_north: {angle:?})), robots: {{ {robots} }})"
    );
    Simulation::parse(&text, ".", &no_extensions).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn sensors_give_the_positions_of_scene_points() {
    for points in scene_points().chunk_by(|a, b| a.origin == b.origin) {
        let mut simulation = simulation(points, true);
        simulation.step().unwrap();
        for (index, InScene { on_earth, .. }) in points.iter().enumerate() {
            for kind in KINDS {
                let pose: &PoseData = simulation.read(&format!("r{index}.{kind}")).unwrap();
                let ecef = meaning(on_earth, kind, [pose.x, pose.y, pose.z]);
                let wrong = distance(ecef, on_earth.ecef);
                assert!(
                    wrong < MILLIMETRE,
                    "{kind}: {wrong} m, {on_earth:?}, {pose:?}"
                );
            }
            let gps: &GpsData = simulation.read(&format!("r{index}.gps")).unwrap();
            let measured = Geodetic {
                latitude: gps.latitude,
                longitude: gps.longitude,
                altitude: gps.altitude,
            };
            assert!(
                apart(measured, on_earth.geodetic) < MILLIMETRE,
                "{on_earth:?}: {gps:?}"
            );
        }
    }
}

#[test]
fn commands_come_from_the_earth_into_the_scene() {
    for points in scene_points().chunk_by(|a, b| a.origin == b.origin) {
        let mut simulation = simulation(&points[..1], false);
        for InScene {
            point, on_earth, ..
        } in points
        {
            for kind in KINDS {
                let mut command = DynamicStruct::default();
                for (name, value) in ["x", "y", "z"].into_iter().zip(coordinates(on_earth, kind)) {
                    command.insert(name, value);
                }
                let path = format!("r0.{kind}");
                simulation.command_any(&path, Box::new(command)).unwrap();
            }
            simulation.step().unwrap();
            for kind in KINDS {
                let path = format!("r0.{kind}");
                let entity = morse_api::service::find(simulation.world(), &path).unwrap();
                let goal: &TeleportCommand = simulation.world().get(entity).unwrap();
                let wrong = distance([goal.x, goal.y, goal.z], *point);
                assert!(
                    wrong < MILLIMETRE,
                    "{kind}: {wrong} m, {on_earth:?}, {goal:?}"
                );
            }
        }
    }
}
