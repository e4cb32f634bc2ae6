//! The robots that are known, by their designs.
use super::primitives::Robot;
pub use super::{ers7::ERS7, ers210::ERS210};

/// Known robots.
pub static ROBOTS: [&Robot; 2] = [&ERS7, &ERS210];

/// A robot without primitives.
pub static NO_ROBOT: Robot = Robot {
    design: "",
    primitives: &[],
    image: [0; 2],
    coupled_legs: &[],
};

/// Returns the robot of a design.
#[must_use]
pub fn of_design(design: &str) -> Option<&'static Robot> {
    ROBOTS.into_iter().find(|robot| robot.design == design)
}

/// Returns the number of a primitive of the ERS-7; `None` if it has no primitive with this locator.
#[must_use]
pub fn open(locator: &str) -> Option<u32> {
    ERS7.open(locator)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::primitives::{Kind, Primitive};

    /// Counts of joints, ears, lights, dimmed lights and sensors.
    fn counts(robot: &Robot) -> [usize; 5] {
        let kinds = || robot.primitives.iter().map(|known| known.kind);
        [
            kinds()
                .filter(|kind| matches!(kind, Kind::Joint { .. }))
                .count(),
            kinds()
                .filter(|kind| matches!(kind, Kind::Ear { .. }))
                .count(),
            kinds().filter(|kind| matches!(kind, Kind::Light)).count(),
            kinds().filter(|kind| matches!(kind, Kind::Dimmed)).count(),
            kinds()
                .filter(|kind| matches!(kind, Kind::Sensor(..)))
                .count(),
        ]
    }

    #[test]
    fn the_robots_have_the_devices_of_their_model_information() {
        assert_eq!(counts(&ERS7), [18, 2, 6, 20, 16]);
        assert_eq!(counts(&ERS210), [18, 2, 9, 0, 13]);
        for (robot, all, sensed) in [(&ERS7, 65, 34), (&ERS210, 45, 31)] {
            assert_eq!(robot.primitives.len(), all);
            let is_sensed = |known: &Primitive| known.kind.is_sensed();
            assert!(robot.primitives[..sensed].iter().all(is_sensed));
            assert!(!robot.primitives[sensed..].iter().any(is_sensed));
        }
    }

    #[test]
    fn locators_and_numbers_name_each_other() {
        for robot in [&ERS7, &ERS210] {
            for primitive in robot.primitives {
                let id = robot.open(primitive.locator).expect("a number");
                assert_eq!(robot.primitive(id), Some(primitive), "no locator twice");
            }
            assert_eq!(robot.open("PRM:/r7/c1-Joint2:71"), None);
            assert_eq!((robot.primitive(0), robot.primitive(66)), (None, None));
            assert_eq!(of_design(robot.design), Some(robot));
        }
    }
}
