//! Legs of the robots, with their inverse kinematics, and the gait for which they are made.
use crate::body::primitives::Robot;

/// One leg. Angles of front legs are positive forward, those of rear legs backward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    /// Locators of its joints, from the hip down.
    pub locators: [&'static str; 3],
    /// Locator of the switch of its paw.
    pub switch: &'static str,
    /// 1 for front legs, -1 for rear legs.
    pub ahead: f64,
    /// 1 for left legs, -1 for right legs.
    pub left: f64,
    /// Dimensions.
    pub build: &'static Build,
}

/// Dimensions of the legs of a robot.
#[derive(Debug, PartialEq)]
pub(super) struct Build {
    /// Position of the hips relative to their centre, ahead and to the left, m.
    pub hip: [f64; 2],
    /// Position of the knee (third joint) relative to the hip: along the swing direction of the leg, outward, down, m.
    pub knee: [f64; 3],
    /// Distance of the centre of the paw from the knee, of front and rear legs, m.
    pub shank: [f64; 2],
    /// Inclination of the shank when all joints are at zero, of front and rear legs, degrees.
    pub rest: [f64; 2],
    /// Radius of a paw, m.
    pub radius: f64,
}

/// Gait of a robot.
#[derive(Debug)]
pub(super) struct Gait {
    /// Period of a cycle, s, and its fraction for which a paw is on the ground.
    pub period: f64,
    pub stance: f64,
    /// Height of the hips above the centres of the paws, and of a lifted paw, m.
    pub height: f64,
    pub lift: f64,
    /// Positions of the paws ahead of their hips, front and rear, while standing, m.
    pub stand: [f64; 2],
    /// Limits of velocity, m/s, and angular velocity, rad/s.
    pub fastest: [f64; 2],
    /// Share of the turn of the paws that the body follows, calibrated: the trunk turns back a little at each change of the
    /// paws.
    pub turn_share: f64,
    /// Distance, m, and speed, m/s, of the trainer's exercise.
    pub exercise: [f64; 2],
}

/// Legs of a robot: left and right front legs, left and right rear legs.
#[derive(Debug)]
pub(super) struct Dog {
    pub legs: [Leg; 4],
    pub gait: Gait,
}

/// Returns the legs of a robot; those of the ERS-7 for an unknown one.
pub(super) fn dog(robot: &Robot) -> &'static Dog {
    if robot.design == "ERS-210" {
        &ERS210
    } else {
        &ERS7
    }
}

static ERS7_BUILD: Build = Build {
    hip: [0.065, 0.0625],
    knee: [0.009, 0.0047, 0.0695],
    shank: [0.07016; 2],
    rest: [-4.08, -15.29],
    radius: 0.01172,
};

const fn ers7(locators: [&'static str; 3], switch: &'static str, [ahead, left]: [f64; 2]) -> Leg {
    Leg {
        locators,
        switch,
        ahead,
        left,
        build: &ERS7_BUILD,
    }
}

/// The ERS-7.
pub(super) static ERS7: Dog = Dog {
    legs: [
        ers7(
            [
                "PRM:/r2/c1-Joint2:21",
                "PRM:/r2/c1/c2-Joint2:22",
                "PRM:/r2/c1/c2/c3-Joint2:23",
            ],
            "PRM:/r2/c1/c2/c3/c4-Sensor:24",
            [1.0, 1.0],
        ),
        ers7(
            [
                "PRM:/r4/c1-Joint2:41",
                "PRM:/r4/c1/c2-Joint2:42",
                "PRM:/r4/c1/c2/c3-Joint2:43",
            ],
            "PRM:/r4/c1/c2/c3/c4-Sensor:44",
            [1.0, -1.0],
        ),
        ers7(
            [
                "PRM:/r3/c1-Joint2:31",
                "PRM:/r3/c1/c2-Joint2:32",
                "PRM:/r3/c1/c2/c3-Joint2:33",
            ],
            "PRM:/r3/c1/c2/c3/c4-Sensor:34",
            [-1.0, 1.0],
        ),
        ers7(
            [
                "PRM:/r5/c1-Joint2:51",
                "PRM:/r5/c1/c2-Joint2:52",
                "PRM:/r5/c1/c2/c3-Joint2:53",
            ],
            "PRM:/r5/c1/c2/c3/c4-Sensor:54",
            [-1.0, -1.0],
        ),
    ],
    gait: Gait {
        period: 0.5,
        stance: 0.75,
        height: 0.105,
        lift: 0.018,
        stand: [0.010, 0.005],
        fastest: [0.14, 0.9],
        turn_share: 0.965,
        exercise: [2.0, 0.13],
    },
};

static ERS210_BUILD: Build = Build {
    hip: [0.0597, 0.0595],
    knee: [0.0128, 0.0, 0.064],
    shank: [0.0649, 0.0749],
    rest: [0.0; 2],
    radius: 0.011,
};

const fn ers210(locators: [&'static str; 3], switch: &'static str, [ahead, left]: [f64; 2]) -> Leg {
    Leg {
        locators,
        switch,
        ahead,
        left,
        build: &ERS210_BUILD,
    }
}

/// The ERS-210, whose joints are slower.
pub(super) static ERS210: Dog = Dog {
    legs: [
        ers210(
            [
                "PRM:/r2/c1-Joint2:j1",
                "PRM:/r2/c1/c2-Joint2:j2",
                "PRM:/r2/c1/c2/c3-Joint2:j3",
            ],
            "PRM:/r2/c1/c2/c3/c4-Sensor:s4",
            [1.0, 1.0],
        ),
        ers210(
            [
                "PRM:/r4/c1-Joint2:j1",
                "PRM:/r4/c1/c2-Joint2:j2",
                "PRM:/r4/c1/c2/c3-Joint2:j3",
            ],
            "PRM:/r4/c1/c2/c3/c4-Sensor:s4",
            [1.0, -1.0],
        ),
        ers210(
            [
                "PRM:/r3/c1-Joint2:j1",
                "PRM:/r3/c1/c2-Joint2:j2",
                "PRM:/r3/c1/c2/c3-Joint2:j3",
            ],
            "PRM:/r3/c1/c2/c3/c4-Sensor:s4",
            [-1.0, 1.0],
        ),
        ers210(
            [
                "PRM:/r5/c1-Joint2:j1",
                "PRM:/r5/c1/c2-Joint2:j2",
                "PRM:/r5/c1/c2/c3-Joint2:j3",
            ],
            "PRM:/r5/c1/c2/c3/c4-Sensor:s4",
            [-1.0, -1.0],
        ),
    ],
    gait: Gait {
        period: 0.55,
        stance: 0.75,
        height: 0.112,
        lift: 0.012,
        stand: [0.006, 0.002],
        fastest: [0.1, 0.6],
        turn_share: 0.97,
        exercise: [1.0, 0.07],
    },
};

impl Leg {
    /// Returns the index of a value that differs between front and rear legs.
    pub(super) fn row(self) -> usize {
        usize::from(self.ahead < 0.0)
    }

    /// Returns the inclination of the shank when all joints are at zero, rad.
    fn rest(self) -> f64 {
        self.build.rest[self.row()].to_radians()
    }

    /// Returns the distance of the centre of the paw from the knee, m.
    fn shank(self) -> f64 {
        self.build.shank[self.row()]
    }

    /// Returns the outward distance of the paw from its hip for a leg that hangs straight, m.
    pub(super) fn outward(self) -> f64 {
        self.build.knee[1]
    }

    /// Returns the angles of the three joints for a position of the paw relative to its hip: ahead, outward and down, m. For
    /// an unreachable position the leg is stretched towards it.
    pub(super) fn joints(self, [ahead, outward, down]: [f64; 3]) -> [f64; 3] {
        let along = ahead * self.ahead;
        let [knee, side, thigh] = self.build.knee;
        let shank = self.shank();
        // In the plane of the leg: distances from hip to knee, from knee to paw, and between hip and paw.
        let upper = libm::hypot(knee, thigh);
        let square = along * along + outward * outward + down * down - side * side;
        let bend = (square - upper * upper - shank * shank) / (2.0 * upper * shank);
        let bend = libm::acos(bend.clamp(-1.0, 1.0));
        let third = bend + libm::atan2(knee, thigh) - self.rest();
        let (sine, cosine) = libm::sincos(third + self.rest());
        let (in_front, below) = (knee + shank * sine, thigh + shank * cosine);
        let reach = libm::hypot(side, below);
        let second = libm::asin((outward / reach).clamp(-1.0, 1.0)) - libm::atan2(side, below);
        let (sine, cosine) = libm::sincos(second);
        let under = below * cosine - side * sine;
        let first = libm::atan2(along, down) - libm::atan2(in_front, under);
        [first, second, third]
    }

    /// Returns the position of the paw relative to its hip for joint angles: ahead, outward and down, m.
    pub(super) fn paw(self, [first, second, third]: [f64; 3]) -> [f64; 3] {
        let [knee, side, thigh] = self.build.knee;
        let shank = self.shank();
        // In the plane of the leg, then turned outward, then along.
        let (sine, cosine) = libm::sincos(third + self.rest());
        let (along, below) = (knee + shank * sine, thigh + shank * cosine);
        let (sine, cosine) = libm::sincos(second);
        let (outward, below) = (side * cosine + below * sine, below * cosine - side * sine);
        let (sine, cosine) = libm::sincos(first);
        let (along, below) = (along * cosine + below * sine, below * cosine - along * sine);
        [along * self.ahead, outward, below]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_bring_paws_where_they_are_to_be() {
        for leg in [ERS7.legs, ERS210.legs].concat() {
            for position in [
                [0.0, leg.outward(), 0.105],
                [0.03, 0.02, 0.11],
                [-0.04, -0.005, 0.09],
                [0.05, 0.0, 0.07],
            ] {
                let paw = leg.paw(leg.joints(position));
                for (is, wanted) in paw.iter().zip(position) {
                    assert!(
                        (is - wanted).abs() < 1e-12,
                        "{leg:?}: {paw:?}, {position:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn paws_hang_where_the_robots_do() {
        let near = |leg: Leg, x: f64, z: f64| {
            let [ahead, outward, down] = leg.paw([0.0; 3]);
            let hip = leg.build.hip;
            assert!((hip[0] * leg.ahead + ahead - x).abs() < 1e-4, "{ahead}");
            assert!((hip[1] + outward - 0.0672).abs() < 1e-9);
            assert!((down - z).abs() < 1e-4, "{down}");
        };
        near(ERS7.legs[0], 0.0690, 0.1395);
        near(ERS7.legs[2], -0.0555, 0.1372);
    }
}
