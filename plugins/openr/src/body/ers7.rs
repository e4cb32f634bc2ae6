//! Primitives of the ERS-7.
use super::{
    primitives::{Kind, Primitive, Robot, Sensor, of, sensor},
    servo::{Gains, Motor},
};

/// Stall effort of all motors: an estimate, as in `robots/ers7.robray`, N·m.
const STALL: f64 = 4.0;

/// Speeds of the leg joints without load, rad/s.
const LEG: [f64; 3] = [4.865, 5.28, 5.28];

const fn joint(
    locator: &'static str,
    name: &'static str,
    range: [f64; 2],
    (gains, speed): ([u8; 3], f64),
) -> Primitive {
    let motor = Motor {
        stall: STALL,
        speed,
    };
    let gains = Gains::new(gains);
    of(
        locator,
        Kind::Joint {
            name,
            range,
            gains,
            motor,
        },
    )
}

/// Returns a joint of a leg, by its number from the hip: 0 along, 1 outward, 2 the knee. The hips of rear legs turn the other
/// way.
const fn leg(
    locator: &'static str,
    name: &'static str,
    number: usize,
    is_front: bool,
) -> Primitive {
    let range = match (number, is_front) {
        (0, true) => [-115.0, 130.0],
        (0, false) => [-130.0, 115.0],
        (1, _) => [-10.0, 88.0],
        _ => [-25.0, 122.0],
    };
    let gains = if number == 1 {
        [0x14, 0x04, 0x01]
    } else {
        [0x1c, 0x08, 0x01]
    };
    joint(locator, name, range, (gains, LEG[number]))
}

const fn ear(locator: &'static str, name: &'static str) -> Primitive {
    let motor = Motor {
        stall: STALL,
        speed: 10.0,
    };
    of(locator, Kind::Ear { name, motor })
}

/// The ERS-7. Its sensors are in the order of observed vectors.
pub static ERS7: Robot = Robot {
    design: "ERS-7",
    primitives: &PRIMITIVES,
    image: [208, 160],
    coupled_legs: &[
        (["lf_j1", "lf_j2"], true),
        (["rf_j1", "rf_j2"], true),
        (["lr_j1", "lr_j2"], false),
        (["rr_j1", "rr_j2"], false),
    ],
};

const PRIMITIVES: [Primitive; 65] = [
    joint(
        "PRM:/r1/c1/c2/c3/c4-Joint2:14",
        "mouth",
        [-55.0, -3.0],
        ([0x08, 0x00, 0x04], 10.145),
    ),
    sensor("PRM:/r1/c1/c2/c3/c4/s5-Sensor:s5", Sensor::Switch, "chin"),
    joint(
        "PRM:/r1/c1/c2/c3-Joint2:13",
        "neck_nod",
        [-15.0, 45.0],
        ([0x08, 0x04, 0x02], 5.781),
    ),
    sensor("PRM:/r1/c1/c2/c3/t1-Sensor:t1", Sensor::Touch, "head_touch"),
    sensor(
        "PRM:/r1/c1/c2/c3/p1-Sensor:p1",
        Sensor::Distance,
        "near_distance",
    ),
    sensor(
        "PRM:/r1/c1/c2/c3/p2-Sensor:p2",
        Sensor::Distance,
        "far_distance",
    ),
    joint(
        "PRM:/r1/c1/c2-Joint2:12",
        "neck_pan",
        [-88.0, 88.0],
        ([0x08, 0x02, 0x04], 10.057),
    ),
    joint(
        "PRM:/r1/c1-Joint2:11",
        "neck_tilt",
        [-75.0, 0.0],
        ([0x0a, 0x04, 0x02], 3.185),
    ),
    sensor("PRM:/r2/c1/c2/c3/c4-Sensor:24", Sensor::Switch, "lf_paw"),
    leg("PRM:/r2/c1/c2/c3-Joint2:23", "lf_j3", 2, true),
    leg("PRM:/r2/c1/c2-Joint2:22", "lf_j2", 1, true),
    leg("PRM:/r2/c1-Joint2:21", "lf_j1", 0, true),
    sensor("PRM:/r3/c1/c2/c3/c4-Sensor:34", Sensor::Switch, "lr_paw"),
    leg("PRM:/r3/c1/c2/c3-Joint2:33", "lr_j3", 2, false),
    leg("PRM:/r3/c1/c2-Joint2:32", "lr_j2", 1, false),
    leg("PRM:/r3/c1-Joint2:31", "lr_j1", 0, false),
    sensor("PRM:/r4/c1/c2/c3/c4-Sensor:44", Sensor::Switch, "rf_paw"),
    leg("PRM:/r4/c1/c2/c3-Joint2:43", "rf_j3", 2, true),
    leg("PRM:/r4/c1/c2-Joint2:42", "rf_j2", 1, true),
    leg("PRM:/r4/c1-Joint2:41", "rf_j1", 0, true),
    sensor("PRM:/r5/c1/c2/c3/c4-Sensor:54", Sensor::Switch, "rr_paw"),
    leg("PRM:/r5/c1/c2/c3-Joint2:53", "rr_j3", 2, false),
    leg("PRM:/r5/c1/c2-Joint2:52", "rr_j2", 1, false),
    leg("PRM:/r5/c1-Joint2:51", "rr_j1", 0, false),
    joint(
        "PRM:/r6/c1-Joint2:61",
        "tail_tilt",
        [5.0, 60.0],
        ([0x0a, 0x04, 0x04], 15.163),
    ),
    joint(
        "PRM:/r6/c2-Joint2:62",
        "tail_pan",
        [-45.0, 45.0],
        ([0x0a, 0x04, 0x04], 15.163),
    ),
    sensor("PRM:/a1-Sensor:a1", Sensor::Acceleration(0), "acceleration"),
    sensor("PRM:/a2-Sensor:a2", Sensor::Acceleration(1), "acceleration"),
    sensor("PRM:/a3-Sensor:a3", Sensor::Acceleration(2), "acceleration"),
    sensor("PRM:/p1-Sensor:p1", Sensor::Distance, "chest_distance"),
    sensor("PRM:/b1-Sensor:b1", Sensor::Switch, "wireless_switch"),
    sensor("PRM:/t2-Sensor:t2", Sensor::Touch, "back_rear"),
    sensor("PRM:/t3-Sensor:t3", Sensor::Touch, "back_middle"),
    sensor("PRM:/t4-Sensor:t4", Sensor::Touch, "back_front"),
    ear("PRM:/r1/c1/c2/c3/e5-Joint4:15", "left_ear"),
    ear("PRM:/r1/c1/c2/c3/e6-Joint4:16", "right_ear"),
    of("PRM:/r1/c1/c2/c3/l1-LED2:l1", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l2-LED2:l2", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l3-LED2:l3", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l4-LED2:l4", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l5-LED2:l5", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l6-LED2:l6", Kind::Light),
    of("PRM:/r1/c1/c2/c3/la-LED3:la", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lb-LED3:lb", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lc-LED3:lc", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ld-LED3:ld", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/le-LED3:le", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lf-LED3:lf", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lg-LED3:lg", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lh-LED3:lh", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/li-LED3:li", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lj-LED3:lj", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lk-LED3:lk", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ll-LED3:ll", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/lm-LED3:lm", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/ln-LED3:ln", Kind::Dimmed),
    of("PRM:/lu-LED3:lu", Kind::Dimmed),
    of("PRM:/lv-LED3:lv", Kind::Dimmed),
    of("PRM:/lw-LED3:lw", Kind::Dimmed),
    of("PRM:/lx-LED3:lx", Kind::Dimmed),
    of("PRM:/ly-LED3:ly", Kind::Dimmed),
    of("PRM:/lz-LED3:lz", Kind::Dimmed),
    of("PRM:/r1/c1/c2/c3/i1-FbkImageSensor:F1", Kind::Camera),
    of("PRM:/r1/c1/c2/c3/m1-Mic:M1", Kind::Microphone),
    of("PRM:/s1-Speaker:S1", Kind::Speaker),
];
