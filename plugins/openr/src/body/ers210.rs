//! Primitives of the ERS-210, whose sensor vector has a documented order.
use super::{
    primitives::{Kind, Primitive, Robot, Sensor, of, sensor},
    servo::{Gains, Motor},
};

/// Stall effort of all motors: an estimate, as in `robots/ers210.robray`, N·m.
const STALL: f64 = 4.0;

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

/// Returns a joint of a leg, by its number from the hip: 0 along, 1 outward, 2 the knee.
const fn leg(locator: &'static str, name: &'static str, number: usize) -> Primitive {
    let (range, gains, speed) = match number {
        0 => ([-117.0, 117.0], [0x16, 0x04, 0x08], 2.814),
        1 => ([-11.0, 89.0], [0x14, 0x04, 0x06], 2.498),
        _ => ([-27.0, 147.0], [0x23, 0x04, 0x05], 2.836),
    };
    joint(locator, name, range, (gains, speed))
}

const fn ear(locator: &'static str, name: &'static str) -> Primitive {
    let motor = Motor {
        stall: STALL,
        speed: 10.0,
    };
    of(locator, Kind::Ear { name, motor })
}

/// The ERS-210. Its coupled limits are known for some angles only, so they are not enforced.
pub static ERS210: Robot = Robot {
    design: "ERS-210",
    primitives: &PRIMITIVES,
    image: [176, 144],
    coupled_legs: &[],
};

const PRIMITIVES: [Primitive; 45] = [
    joint(
        "PRM:/r1/c1-Joint2:j1",
        "neck_tilt",
        [-82.0, 43.0],
        ([0x0a, 0x08, 0x0c], 2.105),
    ),
    joint(
        "PRM:/r1/c1/c2-Joint2:j2",
        "neck_pan",
        [-89.6, 89.6],
        ([0x0d, 0x08, 0x0b], 3.011),
    ),
    joint(
        "PRM:/r1/c1/c2/c3-Joint2:j3",
        "neck_roll",
        [-29.0, 29.0],
        ([0x0a, 0x08, 0x0c], 3.011),
    ),
    sensor("PRM:/r1/c1/c2/c3/f1-Sensor:f1", Sensor::Force, "head_back"),
    sensor("PRM:/r1/c1/c2/c3/f2-Sensor:f2", Sensor::Force, "head_front"),
    sensor(
        "PRM:/r1/c1/c2/c3/p1-Sensor:p1",
        Sensor::Distance,
        "distance",
    ),
    joint(
        "PRM:/r1/c1/c2/c3/c4-Joint2:j4",
        "mouth",
        [-47.0, -3.0],
        ([0x0e, 0x08, 0x10], 10.145),
    ),
    sensor("PRM:/r1/c1/c2/c3/c4/s5-Sensor:s5", Sensor::Switch, "chin"),
    leg("PRM:/r2/c1-Joint2:j1", "lf_j1", 0),
    leg("PRM:/r2/c1/c2-Joint2:j2", "lf_j2", 1),
    leg("PRM:/r2/c1/c2/c3-Joint2:j3", "lf_j3", 2),
    sensor("PRM:/r2/c1/c2/c3/c4-Sensor:s4", Sensor::Switch, "lf_paw"),
    leg("PRM:/r3/c1-Joint2:j1", "lr_j1", 0),
    leg("PRM:/r3/c1/c2-Joint2:j2", "lr_j2", 1),
    leg("PRM:/r3/c1/c2/c3-Joint2:j3", "lr_j3", 2),
    sensor("PRM:/r3/c1/c2/c3/c4-Sensor:s4", Sensor::Switch, "lr_paw"),
    leg("PRM:/r4/c1-Joint2:j1", "rf_j1", 0),
    leg("PRM:/r4/c1/c2-Joint2:j2", "rf_j2", 1),
    leg("PRM:/r4/c1/c2/c3-Joint2:j3", "rf_j3", 2),
    sensor("PRM:/r4/c1/c2/c3/c4-Sensor:s4", Sensor::Switch, "rf_paw"),
    leg("PRM:/r5/c1-Joint2:j1", "rr_j1", 0),
    leg("PRM:/r5/c1/c2-Joint2:j2", "rr_j2", 1),
    leg("PRM:/r5/c1/c2/c3-Joint2:j3", "rr_j3", 2),
    sensor("PRM:/r5/c1/c2/c3/c4-Sensor:s4", Sensor::Switch, "rr_paw"),
    joint(
        "PRM:/r6/c1-Joint2:j1",
        "tail_pan",
        [-22.0, 22.0],
        ([0x0a, 0x00, 0x18], 4.472),
    ),
    joint(
        "PRM:/r6/c2-Joint2:j2",
        "tail_tilt",
        [-22.0, 22.0],
        ([0x07, 0x00, 0x11], 4.472),
    ),
    sensor("PRM:/r6/t1-Sensor:t1", Sensor::Temperature, "temperature"),
    sensor("PRM:/r6/s1-Sensor:s1", Sensor::Switch, "back"),
    sensor("PRM:/a1-Sensor:a1", Sensor::Acceleration(0), "acceleration"),
    sensor("PRM:/a2-Sensor:a2", Sensor::Acceleration(1), "acceleration"),
    sensor("PRM:/a3-Sensor:a3", Sensor::Acceleration(2), "acceleration"),
    ear("PRM:/r1/c1/c2/c3/e1-Joint3:j5", "left_ear"),
    ear("PRM:/r1/c1/c2/c3/e2-Joint3:j6", "right_ear"),
    of("PRM:/r1/c1/c2/c3/l1-LED2:l1", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l2-LED2:l2", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l3-LED2:l3", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l4-LED2:l4", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l5-LED2:l5", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l6-LED2:l6", Kind::Light),
    of("PRM:/r1/c1/c2/c3/l7-LED2:l7", Kind::Light),
    of("PRM:/r6/l1-LED2:l1", Kind::Light),
    of("PRM:/r6/l2-LED2:l2", Kind::Light),
    of("PRM:/r1/c1/c2/c3/i1-FbkImageSensor:F1", Kind::Camera),
    of("PRM:/r1/c1/c2/c3/m1-Mic:M1", Kind::Microphone),
    of("PRM:/r1/c1/c2/c3/s1-Speaker:S1", Kind::Speaker),
];
