//! Inverse kinematics of the legs of an ERS-7.

/// Position of the hips relative to their centre, ahead and to the left, m.
pub(super) const HIP: [f64; 2] = [0.065, 0.0625];

/// Position of the knee (third joint) relative to the hip: along the swing direction of the leg, outward, down, m.
const KNEE: [f64; 3] = [0.009, 0.0047, 0.0695];

/// Distance of the centre of the paw from the knee, m.
const SHANK: f64 = 0.07016;

/// Outward distance of a paw from its hip for a leg that hangs straight, m.
pub(super) const OUTWARD: f64 = KNEE[1];

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
}

/// Radius of a paw, m.
pub(super) const RADIUS: f64 = 0.01172;

/// All legs.
pub(super) const LEGS: [Leg; 4] = [
    Leg {
        locators: [
            "PRM:/r2/c1-Joint2:21",
            "PRM:/r2/c1/c2-Joint2:22",
            "PRM:/r2/c1/c2/c3-Joint2:23",
        ],
        switch: "PRM:/r2/c1/c2/c3/c4-Sensor:24",
        ahead: 1.0,
        left: 1.0,
    },
    Leg {
        locators: [
            "PRM:/r4/c1-Joint2:41",
            "PRM:/r4/c1/c2-Joint2:42",
            "PRM:/r4/c1/c2/c3-Joint2:43",
        ],
        switch: "PRM:/r4/c1/c2/c3/c4-Sensor:44",
        ahead: 1.0,
        left: -1.0,
    },
    Leg {
        locators: [
            "PRM:/r3/c1-Joint2:31",
            "PRM:/r3/c1/c2-Joint2:32",
            "PRM:/r3/c1/c2/c3-Joint2:33",
        ],
        switch: "PRM:/r3/c1/c2/c3/c4-Sensor:34",
        ahead: -1.0,
        left: 1.0,
    },
    Leg {
        locators: [
            "PRM:/r5/c1-Joint2:51",
            "PRM:/r5/c1/c2-Joint2:52",
            "PRM:/r5/c1/c2/c3-Joint2:53",
        ],
        switch: "PRM:/r5/c1/c2/c3/c4-Sensor:54",
        ahead: -1.0,
        left: -1.0,
    },
];

impl Leg {
    /// Returns the inclination of the shank when all joints are at zero, rad.
    fn rest(self) -> f64 {
        if self.ahead > 0.0 { -4.08_f64 } else { -15.29 }.to_radians()
    }

    /// Returns the angles of the three joints for a position of the paw relative to its hip: ahead, outward and down, m. For
    /// an unreachable position the leg is stretched towards it.
    pub(super) fn joints(self, [ahead, outward, down]: [f64; 3]) -> [f64; 3] {
        let along = ahead * self.ahead;
        let [knee, side, thigh] = KNEE;
        // In the plane of the leg: distances from hip to knee, from knee to paw, and between hip and paw.
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

    /// Returns the position of the paw relative to its hip for joint angles: ahead, outward and down, m.
    pub(super) fn paw(self, [first, second, third]: [f64; 3]) -> [f64; 3] {
        let [knee, side, thigh] = KNEE;
        // In the plane of the leg, then turned outward, then along.
        let (sine, cosine) = libm::sincos(third + self.rest());
        let (along, below) = (knee + SHANK * sine, thigh + SHANK * cosine);
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
