//! Robots of MORSE's builder, and the physical properties that scripts rely on.
use std::fmt::Write as _;

use morse_scene::{
    assets,
    morse_robots::{MorseRobot, ROBOTS},
};
use serde_json::{Value as Json, json};

use super::Description;

/// Returns the names by which robots are described.
pub(super) fn words() -> impl Iterator<Item = &'static str> {
    ROBOTS.iter().map(MorseRobot::word)
}

pub(super) fn describe(word: &str) -> Option<Description> {
    let robot = ROBOTS.iter().find(|robot| robot.word() == word)?;
    let [linear, angular] = robot.dampings();
    let origin = match robot.origin {
        0.0 => String::new(),
        height => format!(" origin: (0, 0, {height}),"),
    };
    let mut damping = String::new();
    for (name, rate) in [("linear", linear), ("angular", angular)] {
        if rate > 0.0 {
            write!(damping, ", {name}_damping: {rate:.6}").ok();
        }
    }
    let snippet = format!(
        "environment: (motion: morse),\nrobots: {{ \"{word}\": (\n    model: \"{}\",{origin} at: (translation: (0, 0, {})),\n    \
         mass: {}{damping},\n) }}",
        robot.model, robot.height, robot.mass,
    );
    Some(Description {
        word: robot.word(),
        family: "robot",
        docs: format!(
            "{}\n\nMORSE's `{}`: with its motion rules the centre of mass is the origin.",
            assets::summary(robot.model),
            robot.class
        ),
        robot: Some(*robot),
        snippet,
        ..Description::default()
    })
}

/// Returns rows of a table: property and value.
pub(super) fn physics(robot: &MorseRobot) -> String {
    let share = |share: f64| format!("{} %", (share * 1e6).round() / 1e4);
    let rows = [
        ("mass", format!("{} kg", robot.mass)),
        ("origin", format!("{} m above the ground", robot.height)),
        (
            "friction",
            format!(
                "{}; the coefficients of a pair are multiplied",
                robot.friction
            ),
        ),
        (
            "linear_damping",
            format!(
                "{} of its speed is lost in a second",
                share(robot.linear_loss)
            ),
        ),
        (
            "angular_damping",
            format!(
                "{} of its turning rate is lost in a second",
                share(robot.angular_loss)
            ),
        ),
    ];
    let mut text = "\nPhysics\n".to_owned();
    for (name, value) in rows {
        writeln!(text, "  {name:15}  {value}").ok();
    }
    text
}

pub(super) fn to_json(robot: &MorseRobot) -> Json {
    let [linear, angular] = robot.dampings();
    json!({
        "class": robot.class, "model": robot.model, "mass": robot.mass, "height": robot.height,
        "origin": robot.origin, "friction": robot.friction, "linear_loss": robot.linear_loss,
        "angular_loss": robot.angular_loss, "linear_damping": linear, "angular_damping": angular,
    })
}
