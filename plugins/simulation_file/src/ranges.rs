//! Numbers of a simulation file and their ranges. The reader accepts no number without a range from this list.

pub use morse_scene::ranges::{
    BODY_ANGULAR, BODY_ANGULAR_DAMPING, BODY_DRAG, BODY_FRICTION, BODY_LINEAR, BODY_LINEAR_DAMPING,
    BODY_MASS, JOINT_ARMATURE, JOINT_DAMPING, JOINT_EFFORT, JOINT_FRICTION, JOINT_POSITION,
    JOINT_STIFFNESS, JOINT_TARGET, JOINT_VELOCITY, Number, OF_BODIES, OF_ROBOTS, RESTITUTION,
    ROBOT_ANGULAR_DAMPING, ROBOT_DRAG, ROBOT_FRICTION, ROBOT_LINEAR_DAMPING, ROBOT_MASS,
};
use morse_scene::{
    bounds::Bounds,
    numbers,
    ranges::{DAMPING, TURN, UNIT},
};

/// Range of positions, m: more than the diameter of the Earth.
const POSITION: Bounds = Bounds::within(1e8);

numbers! {
    /// Numbers of the environment.
    OF_ENVIRONMENT:
    RATE = "environment.rate", Bounds::between(0.1, 1e5), "write `rate: 60`, in ticks a second";
    GRAVITY = "environment.gravity", Bounds::within(1e3), "on Earth it is (0, 0, -9.81), in m/s²";
    LATITUDE = "environment.origin.latitude", Bounds::within(90.0), "in degrees, north positive";
    LONGITUDE = "environment.origin.longitude", Bounds::within(180.0), "in degrees, east positive";
    ALTITUDE = "environment.origin.altitude", Bounds::within(1e7), "in metres above the WGS 84 ellipsoid";
    NORTH = "environment.origin.angle_against_north", Bounds::within(1e4), "in degrees, clockwise";
    CONTACT_FREQUENCY = "environment.contact_frequency", Bounds::between(1.0, 1e5), "in Hz; default 120";
    AIR_DENSITY = "environment.air_density", Bounds::between(0.0, 1e4), "in kg/m³; air has 1.225";
    WATER_LEVEL = "environment.water.level", POSITION, "in metres";
    WATER_DENSITY = "environment.water.density", Bounds::between(1e-3, 1e5), "in kg/m³; water has 1000";
    WATER_LINEAR = "environment.water.linear_damping", DAMPING, "in 1/s";
    WATER_ANGULAR = "environment.water.angular_damping", DAMPING, "in 1/s";
    SUN_DIRECTION = "environment.light.sun.direction", TURN, "a vector towards the sun, of any length";
    SUN_COLOR = "environment.light.sun.color", UNIT, "red, green and blue, each from 0 to 1";
    SUN_STRENGTH = "environment.light.sun.strength", Bounds::between(0.0, 1e4), "1 is the usual one";
    ABOVE_COLOR = "environment.light.ambient.above", UNIT, "red, green and blue, each from 0 to 1";
    BELOW_COLOR = "environment.light.ambient.below", UNIT, "red, green and blue, each from 0 to 1";
    AMBIENT_STRENGTH = "environment.light.ambient.strength", Bounds::between(0.0, 1e4), "1 is the usual one";
    LAMP_POSITION = "environment.light.lamps.*.translation", POSITION, "in metres";
    LAMP_COLOR = "environment.light.lamps.*.color", UNIT, "red, green and blue, each from 0 to 1";
    LAMP_DISTANCE = "environment.light.lamps.*.distance", Bounds::between(0.0, 1e6), "in metres; default 25";
    LAMP_STRENGTH = "environment.light.lamps.*.strength", Bounds::between(0.0, 1e4), "1 is the usual one";
    ZENITH_COLOR = "environment.light.sky.zenith", UNIT, "red, green and blue, each from 0 to 1";
    HORIZON_COLOR = "environment.light.sky.horizon", UNIT, "red, green and blue, each from 0 to 1";
    GROUND_COLOR = "environment.light.ground", UNIT, "red, green and blue, each from 0 to 1";
    VIEW_EYE = "environment.view.eye", POSITION, "in metres";
    VIEW_LOOK = "environment.view.look", POSITION, "in metres";
    VIEW_ANGLE = "environment.view.angle", Bounds::between(1e-3, 3.0), "from top to bottom, in radians";
    VIEW_NEAR = "environment.view.near", Bounds::between(1e-4, 1e6), "in metres";
    VIEW_FAR = "environment.view.far", Bounds::between(1e-3, 1e8), "in metres";
}

numbers! {
    /// Numbers of objects and zones, and of the poses of robots.
    OF_POSES:
    PROPERTY = "objects.*.properties.*", Bounds::ANY, "write it with fewer digits";
    ZONE_POSITION = "zones.*.at.translation", POSITION, "in metres";
    ZONE_SIZE = "zones.*.size", Bounds::between(1e-6, 1e8), "half of its sides, in metres";
    TRANSLATION = "robots.*.at.translation", POSITION, "in metres";
    RPY = "robots.*.at.rpy", TURN, "in radians";
    QUATERNION = "robots.*.at.quaternion", Bounds::ANY, "no rotation is (0, 0, 0, 1)";
    ORIGIN = "robots.*.origin", POSITION, "in metres, in the frame of the model";
    GRID_SPACING = "robots.*.repeat.pattern.grid.spacing", POSITION, "in metres";
    LINE_STEP = "robots.*.repeat.pattern.line.step", POSITION, "in metres";
    CIRCLE_RADIUS = "robots.*.repeat.pattern.circle.radius", Bounds::between(1e-6, 1e8), "in metres";
}

numbers! {
    /// Numbers of robots and components that do not become part of an assembly.
    OF_COMPONENTS:
    ROBOT_SPEED = "robots.*.max_speed", Bounds::between(0.0, 1e4), "in m/s; default: from the limits of the wheels, or 100";
    ROBOT_TURNING_RATE = "robots.*.max_turning_rate", Bounds::between(0.0, 1e5), "in rad/s; default: from the limits of the wheels, or 100";
    FREQUENCY = "robots.*.sensors.*.frequency", Bounds::between(1e-6, 1e6),
        "leave `frequency` out to act at every tick, or write `active: false`";
    LOCKSTEP = "robots.*.sensors.*.outputs.*.policy.lockstep", Bounds::between(1e-6, 86_400.0),
        "the longest wait, in seconds, is at most a day";
}

/// Returns all numbers, in the order of the file.
pub fn all() -> impl Iterator<Item = &'static Number> {
    let lists = [
        OF_ENVIRONMENT,
        OF_BODIES,
        OF_POSES,
        OF_ROBOTS,
        OF_COMPONENTS,
    ];
    lists.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Loaded, load};
    use morse_diagnostics::Sources;

    /// A file that contains every field that a path can name.
    const FILE: &str = r#"Simulation(
        bodies: { "a": () }, joints: { "a": () }, objects: { "a": (properties: { "a": 1 }) },
        zones: { "a": (type: "t", size: (1, 1, 1)) },
        robots: { "a": (model: "m.robray", sensors: { "a": (kind: "k", outputs: { "a": () }) }) },
        middlewares: { "a": (kind: "k") },
    )"#;

    /// Returns the argument of `--set` that sets a field to a number, with valid values for the other numbers of the field.
    fn argument(number: &Number, value: f64) -> String {
        let path = number.path.replace('*', "a");
        let value = format!("{value:e}");
        let fair = |count: usize| ["0.5"].repeat(count).join(", ");
        if let Some((path, pattern)) = path.split_once(".pattern.") {
            let (pattern, field) = pattern.split_once('.').unwrap();
            let value = match field {
                "radius" => value,
                "spacing" => format!("({value}, {})", fair(1)),
                _ => format!("({}, {value})", fair(2)),
            };
            return format!("{path}=(count: 1, pattern: {pattern}({field}: {value}))");
        }
        match number.name() {
            "lockstep" => format!("{}=lockstep({value})", path.trim_end_matches(".lockstep")),
            "quaternion" => format!("{path}=({}, {value})", fair(3)),
            "gravity" | "direction" | "color" | "above" | "below" | "zenith" | "horizon"
            | "ground" | "linear_velocity" | "angular_velocity" | "drag_area" | "translation"
            | "size" | "rpy" | "eye" | "look" | "origin" => {
                format!("{path}=({}, {value})", fair(2))
            }
            _ => format!("{path}={value}"),
        }
    }

    fn read(number: &Number, value: f64) -> Loaded {
        let set = [argument(number, value)];
        load(
            "test.ron",
            FILE.as_bytes(),
            &set,
            &(),
            &mut Sources::default(),
        )
    }

    fn is_refused(number: &Number, value: f64) -> bool {
        let diagnostics = read(number, value).diagnostics;
        let mut diagnostics = diagnostics.into_iter();
        diagnostics
            .any(|problem| problem.code == "simulation::out-of-range" && !problem.help.is_empty())
    }

    #[test]
    fn every_number_of_the_file_has_a_range_that_holds() {
        for number in all() {
            let Bounds {
                least,
                most,
                smallest,
            } = number.bounds;
            for inside in [least, most] {
                assert!(!is_refused(number, inside), "{}: {inside}", number.path);
            }
            let mut outside = vec![least - least.abs().max(1e-3), most + most.abs().max(1e-3)];
            outside.extend((smallest > 0.0).then_some(smallest / 2.0));
            for value in outside.into_iter().filter(|value| value.is_finite()) {
                assert!(is_refused(number, value), "{}: {value}", number.path);
            }
            let known = read(number, most).diagnostics;
            let unread = known.iter().find(|problem| {
                [
                    "simulation::unknown-field",
                    "simulation::wrong-type",
                    "simulation::set",
                ]
                .contains(&problem.code)
            });
            assert!(unread.is_none(), "{}: {unread:?}", number.path);
        }
    }

    #[test]
    fn numbers_are_bounded_on_both_sides() {
        for number in all() {
            let is_free = ["properties.*", "quaternion"];
            let is_free = is_free.iter().any(|end| number.path.ends_with(end));
            let bounds = number.bounds;
            assert!(
                is_free || bounds.least > -1e15 && bounds.most < 1e15,
                "{}",
                number.path
            );
        }
    }
}
