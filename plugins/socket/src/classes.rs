//! MORSE's class names of robots, which the service `simulation details` reports to clients. Components name their own
//! class.

/// Class names by model. MORSE's two quadrotors have the same class name.
const ROBOTS: &[(&str, &str)] = &[
    ("atrv", "ATRV"),
    ("b21", "B21"),
    ("fake_robot", "FakeRobot"),
    ("human", "Human"),
    ("hummer", "Hummer"),
    ("jido", "Jido"),
    ("morsy", "Morsy"),
    ("patrolbot", "PatrolBot"),
    ("pioneer3dx", "Pioneer3DX"),
    ("pr2", "PR2"),
    ("quad2012", "Quadrotor"),
    ("quadrotor", "Quadrotor"),
    ("rmax", "RMax"),
    ("segway_rmp400", "SegwayRMP400"),
    ("submarine", "Submarine"),
    ("victim", "Victim"),
];

/// Returns MORSE's class name of a robot's model; the name of the model if MORSE does not have it.
#[must_use]
pub fn class_of_robot(model: &str) -> &str {
    let known = ROBOTS.iter().find(|(own, _)| *own == model);
    known.map_or(model, |(_, class)| class)
}
