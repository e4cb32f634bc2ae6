//! Comparison with closed forms and finite differences.
use std::f64::consts::FRAC_PI_2;

use super::*;
use crate::scene::load::{LoadOptions, parse_str};

/// A planar arm of two links of 1 m and 0.5 m, a slide along z, and a wall.
const ARM: &str = "\
frame base { geometry { shape sphere; radius 0.1; }
  frame upper { type revolute; axis [0, 0, 2]; variable a; limit_position [-3, 3];
    frame upper_box { translation [0.5, 0, 0]; geometry { shape box; dimension [0.8, 0.1, 0.1]; } }
    frame lower { translation [1, 0, 0]; type revolute; axis [0, 0, 1]; variable b; ratio 2; offset 0.1;
      frame slide { translation [0.5, 0, 0]; type prismatic; axis [0, 0, 3]; variable c;
        frame ball { geometry { shape sphere; radius 0.2; } } } } } }
frame wall { translation [0, 2, 0]; geometry { shape box; dimension [4, 0.2, 1]; } }
";

fn scene(text: &str) -> Scene {
    parse_str(text, "a.robray", ".".as_ref(), &LoadOptions::default())
        .unwrap()
        .scene
}

#[test]
fn poses_are_those_of_a_planar_arm() {
    let scene = scene(ARM);
    let query = SceneQuery::new(&scene).unwrap();
    assert_eq!(query.variables(), ["a", "b", "c"]);
    let (a, b, c) = (0.4, -0.3, 0.05);
    let turn = a + 2.0 * (b + 0.1);
    let ball = query.pose("ball", &[a, b, c]).unwrap().translation.vector;
    assert!((ball.x - (libm::cos(a) + 0.5 * libm::cos(turn))).abs() < 1e-12);
    assert!((ball.y - (libm::sin(a) + 0.5 * libm::sin(turn))).abs() < 1e-12);
    assert!((ball.z - 0.15).abs() < 1e-12);
    assert!(matches!(
        query.pose("bal", &[a, b, c]),
        Err(QueryError::UnknownFrame(_))
    ));
    assert!(matches!(
        query.pose("ball", &[a]),
        Err(QueryError::Length {
            count: 1,
            wanted: 3
        })
    ));
}

#[test]
fn the_jacobian_is_the_derivative_of_the_pose() {
    let scene = scene(ARM);
    let query = SceneQuery::new(&scene).unwrap();
    let values = [0.4, -0.3, 0.05];
    let jacobian = query.jacobian("ball", &values).unwrap();
    let step = 1e-6;
    for column in 0..3 {
        let moved = |sign: f64| {
            let mut values = values;
            values[column] += sign * step;
            query.pose("ball", &values).unwrap()
        };
        let difference = error(&moved(1.0), &moved(-1.0)) / (2.0 * step);
        assert!(
            (difference - jacobian.column(column)).amax() < 1e-8,
            "{column}"
        );
    }
}

#[test]
fn distances_and_depths_are_those_of_spheres_and_boxes() {
    let scene = scene(ARM);
    let query = SceneQuery::new(&scene).unwrap();
    let distance = |values: &[f64]| query.distance("ball", "wall", values).unwrap().unwrap();
    // Straight up: the ball's centre at y = 1.5, the wall's face at 1.9.
    assert!((distance(&[FRAC_PI_2, -0.1, 0.0]) - 0.2).abs() < 1e-6);
    // The elbow at 45° to the left and back: centre at (0, √2/2 + 0.5·√2/2).
    let centre = 0.75 * std::f64::consts::SQRT_2;
    let quarter = std::f64::consts::FRAC_PI_4;
    let expected = 1.9 - 0.2 - centre;
    assert!((distance(&[quarter, quarter - 0.1, 0.0]) - expected).abs() < 1e-6);
    assert_eq!(query.distance("ball", "upper", &[0.0; 3]).unwrap(), None);
}

#[test]
fn collisions_obey_the_allowed_pairs() {
    let near = ARM.replace("translation [0, 2, 0]", "translation [0, 1.65, 0]");
    let own = scene(&near);
    let query = SceneQuery::new(&own).unwrap();
    let up = [FRAC_PI_2, -0.1, 0.0];
    let collisions = query.collisions(&up).unwrap();
    assert_eq!(collisions.len(), 1, "{collisions:?}");
    assert_eq!(collisions[0].frames, ["ball", "wall"]);
    assert!((collisions[0].depth - 0.15).abs() < 1e-6, "{collisions:?}");
    let allowed = scene(&format!("{near}allow_collision wall ball;\n"));
    assert!(
        SceneQuery::new(&allowed)
            .unwrap()
            .collisions(&up)
            .unwrap()
            .is_empty()
    );
    let mut learnt = SceneQuery::new(&own).unwrap();
    learnt.allow_at(&up).unwrap();
    assert!(learnt.collisions(&up).unwrap().is_empty());
}

#[test]
fn pairs_that_overlap_everywhere_are_learnt_from_samples() {
    // The box of the upper arm meets the base and a cap on its end at all angles; the ball meets the wall at some.
    let cap = "frame cap { geometry { shape sphere; radius 0.2; } translation [0.5, 0, 0]; type revolute; axis [0, 0, 1]; }";
    let near = ARM.replace("[0, 2, 0]", "[0, 1.55, 0]");
    let scene = scene(&near.replacen("frame lower", &format!("{cap} frame lower"), 1));
    let mut query = SceneQuery::new(&scene).unwrap();
    assert!(query.allow_sampled(0, 1).is_empty());
    let learnt = query.allow_sampled(200, 1);
    assert_eq!(learnt, [["upper_box".to_owned(), "cap".to_owned()]]);
    assert_eq!(query.allowed(), learnt);
    let up = [FRAC_PI_2, -0.1, 0.0, 0.0];
    let collisions = query.collisions(&up).unwrap();
    assert_eq!(collisions.len(), 1, "{collisions:?}");
    assert_eq!(collisions[0].frames, ["ball", "wall"]);
}

#[test]
fn inverse_kinematics_inverts_the_pose_within_the_limits() {
    let scene = scene(ARM);
    let query = SceneQuery::new(&scene).unwrap();
    let goal = query.pose("ball", &[0.9, -0.6, 0.1]).unwrap();
    let values = query.inverse("ball", &goal, &[0.5, -0.3, 0.0]).unwrap();
    let reached = query.pose("ball", &values).unwrap();
    assert!(error(&goal, &reached).amax() < 1e-8, "{values:?}");
    let far = Isometry3::translation(9.0, 0.0, 0.0);
    let missed = query.inverse("ball", &far, &[0.1, 0.0, 0.0]).unwrap_err();
    assert!(
        matches!(missed, QueryError::NotFound { position, .. } if position > 7.0),
        "{missed}"
    );
}
