//! Legs of an ERS-7: the joints that bring a paw somewhere.

/// Hips from amid them, ahead and to the left, m.
pub(super) const HIP: [f64; 2] = [0.065, 0.0625];

/// The hip's third joint, the knee, from the hip: along the leg's swing, outward, down, m.
const KNEE: [f64; 3] = [0.009, 0.0047, 0.0695];

/// Middle of the paw from the knee, m.
const SHANK: f64 = 0.07016;

/// Way of a paw outward from its hip, m, where the leg hangs straight.
pub(super) const OUTWARD: f64 = KNEE[1];

/// One leg. Angles of front legs are positive forward, those of rear legs backward.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    /// Locators of its joints, from the hip down.
    pub locators: [&'static str; 3],
    /// 1 ahead, -1 behind.
    pub ahead: f64,
    /// 1 on the left, -1 on the right.
    pub left: f64,
}

/// All legs.
pub(super) const LEGS: [Leg; 4] = [
    Leg {
        locators: [
            "PRM:/r2/c1-Joint2:21",
            "PRM:/r2/c1/c2-Joint2:22",
            "PRM:/r2/c1/c2/c3-Joint2:23",
        ],
        ahead: 1.0,
        left: 1.0,
    },
    Leg {
        locators: [
            "PRM:/r4/c1-Joint2:41",
            "PRM:/r4/c1/c2-Joint2:42",
            "PRM:/r4/c1/c2/c3-Joint2:43",
        ],
        ahead: 1.0,
        left: -1.0,
    },
    Leg {
        locators: [
            "PRM:/r3/c1-Joint2:31",
            "PRM:/r3/c1/c2-Joint2:32",
            "PRM:/r3/c1/c2/c3-Joint2:33",
        ],
        ahead: -1.0,
        left: 1.0,
    },
    Leg {
        locators: [
            "PRM:/r5/c1-Joint2:51",
            "PRM:/r5/c1/c2-Joint2:52",
            "PRM:/r5/c1/c2/c3-Joint2:53",
        ],
        ahead: -1.0,
        left: -1.0,
    },
];

impl Leg {
    /// Lean of the shank where all joints are at zero, rad.
    fn rest(self) -> f64 {
        if self.ahead > 0.0 { -4.08_f64 } else { -15.29 }.to_radians()
    }

    /// Angles of the three joints that bring the paw to a place seen from its hip: ahead, outward and down, m. Where it cannot
    /// be, the leg is stretched towards it.
    pub(super) fn joints(self, [ahead, outward, down]: [f64; 3]) -> [f64; 3] {
        let along = ahead * self.ahead;
        let [knee, side, thigh] = KNEE;
        // In the plane of the leg: from the hip to the knee, from there to the paw, and the way between the two.
        let upper = libm::hypot(knee, thigh);
        let square = along * along + outward * outward + down * down - side * side;
        let bend = (square - upper * upper - SHANK * SHANK) / (2.0 * upper * SHANK);
        let bend = libm::acos(bend.clamp(-1.0, 1.0));
        let third = bend + libm::atan2(knee, thigh) - self.rest();
        let (sine, cosine) = libm::sincos(third + self.rest());
        let (in_front, below) = (knee + SHANK * sine, thigh + SHANK * cosine);
        let reach = libm::hypot(side, below);
        let second = libm::asin((outward / reach).clamp(-1.0, 1.0)) - libm::atan2(side, below);
        let (sine, cosine) = libm::sincos(second);
        let under = below * cosine - side * sine;
        let first = libm::atan2(along, down) - libm::atan2(in_front, under);
        [first, second, third]
    }

    /// Place of the paw for angles of the joints, as [`Leg::joints`] takes it.
    #[cfg(test)]
    fn paw(self, [first, second, third]: [f64; 3]) -> [f64; 3] {
        use nalgebra::{Rotation3, Vector3};

        let [knee, side, thigh] = KNEE;
        let (sine, cosine) = libm::sincos(third + self.rest());
        let paw = Vector3::new(knee + SHANK * sine, side, -thigh - SHANK * cosine);
        let turn = Rotation3::from_axis_angle(&-Vector3::y_axis(), first)
            * Rotation3::from_axis_angle(&Vector3::x_axis(), second);
        let paw = turn * paw;
        [paw.x * self.ahead, paw.y, -paw.z]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_bring_paws_where_they_are_to_be() {
        for leg in LEGS {
            for place in [
                [0.0, OUTWARD, 0.105],
                [0.03, 0.02, 0.11],
                [-0.04, -0.005, 0.09],
                [0.05, 0.0, 0.07],
            ] {
                let paw = leg.paw(leg.joints(place));
                for (is, wanted) in paw.iter().zip(place) {
                    assert!((is - wanted).abs() < 1e-12, "{leg:?}: {paw:?}, {place:?}");
                }
            }
        }
    }

    #[test]
    fn paws_hang_where_the_robots_do() {
        let near = |leg: Leg, x: f64, z: f64| {
            let [ahead, outward, down] = leg.paw([0.0; 3]);
            assert!((HIP[0] * leg.ahead + ahead - x).abs() < 1e-4, "{ahead}");
            assert!((HIP[1] + outward - 0.0672).abs() < 1e-9);
            assert!((down - z).abs() < 1e-4, "{down}");
        };
        near(LEGS[0], 0.0690, 0.1395);
        near(LEGS[2], -0.0555, 0.1372);
    }
}
