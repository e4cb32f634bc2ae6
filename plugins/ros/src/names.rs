//! Names of topics and frames.
use std::collections::{BTreeMap, BTreeSet};

/// Returns the topic of a component: `/rover/arm/pose` for `rover.arm.pose`.
#[must_use]
pub fn topic(path: &str) -> String {
    format!("/{}", ros_path(path))
}

/// Returns the frame of a component: `rover/scan` for `rover.scan`.
#[must_use]
pub fn frame(path: &str) -> String {
    ros_path(path)
}

/// Returns the frame of a robot's base.
#[must_use]
pub fn base(robot: &str) -> String {
    format!("{}/base_link", ros_path(robot))
}

/// Returns the odometry frame of a robot, in which its pose since the start is given.
#[must_use]
pub fn odom(robot: &str) -> String {
    format!("{}/odom", ros_path(robot))
}

/// Returns the frame of a link of a robot, by the name of the link in the robot's description.
#[must_use]
pub fn link(robot: &str, link: &str) -> String {
    format!("{}/{link}", ros_path(robot))
}

/// Returns the topic of a robot's description: `/rover/robot_description`.
#[must_use]
pub fn description(robot: &str) -> String {
    format!("/{}/robot_description", ros_path(robot))
}

/// Returns a warning for each two names that become one in ROS, such as those of the robots `a-b` and `a_b`, or of two
/// components of a robot: their topics and frames are the same.
pub fn collisions<'a>(paths: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut paths_of: BTreeMap<String, &str> = BTreeMap::new();
    let mut pairs = BTreeSet::new();
    for path in paths {
        let other = *paths_of.entry(ros_path(path)).or_insert(path);
        let mut segments = other.split('.').zip(path.split('.'));
        if let Some(index) = segments.position(|(one, two)| one != two) {
            let name = |path: &str| {
                let segments: Vec<_> = path.split('.').take(index + 1).collect();
                segments.join(".")
            };
            pairs.insert([name(other), name(path)]);
        }
    }
    let warn = |[one, two]: [String; 2]| {
        let topic = topic(&one);
        format!("`{one}` and `{two}` are both `{topic}` in ROS: rename one of them")
    };
    pairs.into_iter().map(warn).collect()
}

/// Returns a valid ROS name: letters, digits and single underscores between slashes, without a digit first.
fn ros_path(path: &str) -> String {
    let tokens = path.split('.').map(|name| {
        let mut token = String::new();
        for letter in name.chars() {
            if letter.is_ascii_alphanumeric() {
                token.push(letter);
            } else if !token.ends_with('_') {
                token.push('_');
            }
        }
        match token.starts_with(|first: char| first.is_ascii_digit()) {
            true => format!("_{token}"),
            false => token,
        }
    });
    tokens.collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_ros_takes() {
        assert_eq!(topic("rover.arm.pose"), "/rover/arm/pose");
        assert_eq!(topic("3d rover.größe"), "/_3d_rover/gr_e");
        assert_eq!(topic("a__b.-x-"), "/a_b/_x_");
        assert_eq!(
            (base("a.b"), odom("a")),
            ("a/b/base_link".to_owned(), "a/odom".to_owned())
        );
    }

    #[test]
    fn names_that_become_one_are_reported_once() {
        let paths = [
            "a-b.gps", "a-b.pose", "a_b.gps", "a_b.pose", "c.x_y", "c.x", "d",
        ];
        let expected = "`a-b` and `a_b` are both `/a_b` in ROS: rename one of them";
        assert_eq!(collisions(paths), [expected]);
        let expected = "`c.x-y` and `c.x_y` are both `/c/x_y` in ROS: rename one of them";
        assert_eq!(collisions(["c.x-y", "c.x_y"]), [expected]);
        assert!(collisions(["c.pose", "c.pose"]).is_empty());
    }
}
