//! Arms that begin inside of scenery, so that contacts push them in opposite directions.
use std::fmt::Write as _;

use super::touching::{JOINTS, Test};

/// Returns the scene of an arm whose base is at the z axis, beside or inside of a post: links of 0.3 m, with joints about
/// all axes in turn.
fn scene(post: &str, x: f64, links: usize) -> String {
    let mut arm = String::new();
    for index in 0..links {
        let axis = ["[0, 0, 1]", "[0, 1, 0]", "[1, 0, 0]"][index % 3];
        let at = if index == 0 { 0.0 } else { 0.3 };
        write!(
            arm,
            "frame link_{index} {{ type revolute; axis {axis}; variable q{index}; translation [{at}, 0, 0];
               mass 1; center_of_mass [0.15, 0, 0]; inertia [0.01, 0.02, 0.02, 0, 0, 0];
               frame shape_{index} {{ translation [0.15, 0, 0]; geometry {{ shape box; dimension [0.3, 0.08, 0.08]; friction 0.6; }} }} "
        )
        .expect("text");
    }
    arm.push_str(&"}".repeat(links));
    format!(
        "frame post {{ translation [{x}, 0, -1]; geometry {{ shape {post}; friction 0.6; }} }}
         frame arm {{ translation [0, 0, 0.12]; {arm} }}"
    )
}

/// Such arms reached 1e17 rad/s.
#[test]
fn an_arm_that_begins_inside_of_scenery_stays_slow() {
    let settings = format!(r#"robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS}) }}"#);
    let cylinder = "cylinder; radius 0.4; height 2";
    let cube = "box; dimension [0.8, 0.8, 2]";
    for (post, x) in [
        (cylinder, 0.3),
        (cylinder, 0.45),
        (cylinder, 0.6),
        (cube, 0.2),
        (cube, 0.45),
        ("sphere; radius 0.5", 0.5),
    ] {
        for links in [2, 3, 6] {
            let mut test = Test::new(&scene(post, x, links), &settings);
            for tick in 0..360 {
                test.run(1.0 / 240.0);
                for index in 0..links {
                    let speed = test.joint(&format!("q{index}")).velocity;
                    assert!(
                        speed.abs() < 60.0,
                        "{post} at {x} m, {links} links, tick {tick}: {speed} rad/s"
                    );
                }
            }
        }
    }
}
