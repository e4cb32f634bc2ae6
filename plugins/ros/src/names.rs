//! Names of topics and frames.

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
}
