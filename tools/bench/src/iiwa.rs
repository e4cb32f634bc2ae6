//! Arm of S3 and S7: kinematics, masses and limits of KUKA's iiwa with seven joints, with cylinders of the size of its links.
use std::{
    f64::consts::{FRAC_PI_2, PI},
    fmt::Write as _,
};

/// Number of joints.
pub(super) const JOINTS: usize = 7;

/// Stiffness of the motors, N·m/rad.
const STIFFNESS: [f64; JOINTS] = [2_000.0, 2_000.0, 2_000.0, 2_000.0, 500.0, 500.0, 200.0];
/// Damping of the motors divided by their stiffness, s.
const DAMPING: f64 = 0.05;
/// Maximum torque of the motors, N·m.
const TORQUE: f64 = 300.0;

/// A joint, and the link that it moves. All joints rotate about their z axis.
struct Link {
    /// Position and rotation of the joint in the frame of the previous link, m and rad.
    at: [f64; 3],
    rpy: [f64; 3],
    /// Maximum angle in both directions, rad.
    limit: f64,
    /// Mass, kg.
    mass: f64,
    /// Centre of mass, m.
    center: [f64; 3],
    /// Moments of inertia about the centre of mass, around x, y and z, kg·m².
    inertia: [f64; 3],
    /// Shape of the link.
    shape: Shape,
}

/// A cylinder.
struct Shape {
    /// True if its axis is y instead of z.
    is_along_y: bool,
    /// Radius, m.
    radius: f64,
    length: f64,
}

const fn along_z(radius: f64, length: f64) -> Shape {
    Shape {
        is_along_y: false,
        radius,
        length,
    }
}

const fn along_y(radius: f64, length: f64) -> Shape {
    Shape {
        is_along_y: true,
        radius,
        length,
    }
}

const WIDE: f64 = 170.0 * PI / 180.0;
const NARROW: f64 = 120.0 * PI / 180.0;

const LINKS: [Link; JOINTS] = [
    Link {
        at: [0.0, 0.0, 0.1575],
        rpy: [0.0, 0.0, 0.0],
        limit: WIDE,
        mass: 4.0,
        center: [0.0, -0.03, 0.12],
        inertia: [0.1, 0.09, 0.02],
        shape: along_z(0.085, 0.28),
    },
    Link {
        at: [0.0, 0.0, 0.2025],
        rpy: [FRAC_PI_2, 0.0, PI],
        limit: NARROW,
        mass: 4.0,
        center: [0.0003, 0.059, 0.042],
        inertia: [0.05, 0.018, 0.044],
        shape: along_y(0.085, 0.2),
    },
    Link {
        at: [0.0, 0.2045, 0.0],
        rpy: [FRAC_PI_2, 0.0, PI],
        limit: WIDE,
        mass: 3.0,
        center: [0.0, 0.03, 0.13],
        inertia: [0.08, 0.075, 0.01],
        shape: along_z(0.068, 0.28),
    },
    Link {
        at: [0.0, 0.0, 0.2155],
        rpy: [FRAC_PI_2, 0.0, 0.0],
        limit: NARROW,
        mass: 2.7,
        center: [0.0, 0.067, 0.034],
        inertia: [0.03, 0.01, 0.029],
        shape: along_y(0.068, 0.18),
    },
    Link {
        at: [0.0, 0.1845, 0.0],
        rpy: [-FRAC_PI_2, PI, 0.0],
        limit: WIDE,
        mass: 1.7,
        center: [0.0001, 0.021, 0.076],
        inertia: [0.02, 0.018, 0.005],
        shape: along_z(0.068, 0.26),
    },
    Link {
        at: [0.0, 0.0, 0.2155],
        rpy: [FRAC_PI_2, 0.0, 0.0],
        limit: NARROW,
        mass: 1.8,
        center: [0.0, 0.0006, 0.0004],
        inertia: [0.005, 0.0036, 0.0047],
        shape: along_y(0.066, 0.08),
    },
    Link {
        at: [0.0, 0.081, 0.0],
        rpy: [-FRAC_PI_2, PI, 0.0],
        limit: 175.0 * PI / 180.0,
        mass: 0.3,
        center: [0.0, 0.0, 0.02],
        inertia: [0.001, 0.001, 0.001],
        shape: along_z(0.05, 0.045),
    },
];

/// Returns the text of the model. Its joints are named `joint_1` to `joint_7`.
pub(super) fn model() -> String {
    // The declared masses apply, whatever the shapes of the links.
    let mut text = "# An arm of seven joints.\n\
        class link { shape cylinder; density 0; color [0.95, 0.55, 0.1]; }\n\
        class joint { type revolute; axis [0, 0, 1]; damping 0.5; limit_effort 300; limit_velocity 10; }\n\
        frame base { frame shape_0 { geometry { isa link; radius 0.12; height 0.15; } } }\n"
        .to_owned();
    for (index, link) in LINKS.iter().enumerate() {
        let number = index + 1;
        let parent = match index {
            0 => "base".to_owned(),
            _ => format!("joint_{index}"),
        };
        let Link {
            at,
            rpy,
            limit,
            mass,
            center,
            inertia: [xx, yy, zz],
            shape,
        } = link;
        let turned = if shape.is_along_y {
            " rpy [-pi/2, 0, 0];"
        } else {
            ""
        };
        let (radius, height) = (shape.radius, shape.length);
        writeln!(
            text,
            "frame joint_{number} {{\n  parent {parent}; isa joint; translation {at:?}; rpy {rpy:?};\n  \
             limit_position [{}, {limit}];\n  mass {mass}; center_of_mass {center:?}; inertia [{xx}, {yy}, {zz}, 0, 0, 0];\n  \
             frame shape_{number} {{{turned} geometry {{ isa link; radius {radius}; height {height}; }} }}\n}}",
            -limit
        )
        .ok();
    }
    // An arm collides with the ground and with other arms, but not with itself.
    for one in 0..=JOINTS {
        for other in 0..one {
            writeln!(text, "allow_collision \"shape_{other}\" \"shape_{one}\";").ok();
        }
    }
    text
}

/// Returns the `joints` of a simulation file: motors, and the positions at the start (rad).
pub(super) fn motors(start: impl Fn(usize) -> f64) -> String {
    let mut text = String::new();
    for (joint, stiffness) in STIFFNESS.iter().enumerate() {
        let (number, start) = (joint + 1, start(joint));
        let damping = DAMPING * stiffness;
        writeln!(
            text,
            "                \"joint_{number}\": (position: {start}, stiffness: {stiffness}, damping: {damping}, max_effort: {TORQUE}),"
        )
        .ok();
    }
    text
}
