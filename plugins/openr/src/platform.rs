//! State of the robot's system that all objects share: primitives, servos, values, data files, sync keys.
use std::collections::{BTreeMap, BTreeSet};

use crate::{
    body::{
        image::ColourTable,
        primitives::{Kind, Robot},
        robots::ERS7,
        servo::Gains,
        vectors::Value,
    },
    network::Network,
    power::{Power, bit},
    region::Region,
    status::Status,
    sync::SyncKeys,
};

/// Keyword of the description of the processor.
const PROCESSOR: &str = "SYS_CPUINFO";
/// Size of the description of the processor, bytes.
const PROCESSOR_SIZE: usize = 256;

/// State of the robot's system.
#[derive(Debug)]
pub struct Platform {
    robot: &'static Robot,
    pub(crate) keys: SyncKeys,
    opened: BTreeSet<u32>,
    has_motor_power: bool,
    servos: BTreeMap<u32, Servo>,
    values: BTreeMap<u32, Value>,
    pub(crate) colours: ColourTable,
    pub(crate) power: Power,
    pub(crate) network: Network,
    /// Settings of the network, by their keys.
    pub(crate) wireless: BTreeMap<String, String>,
    files: BTreeMap<String, Region>,
    /// Times of the ends of the last tick and of the present one, ns.
    pub(crate) tick: [u64; 2],
}

/// Servo of a joint. At the start it is enabled, and its gains are zero.
#[derive(Clone, Copy, Debug)]
struct Servo {
    gains: Gains,
    is_enabled: bool,
}

impl Default for Servo {
    fn default() -> Self {
        Self {
            gains: Gains::default(),
            is_enabled: true,
        }
    }
}

impl Default for Platform {
    fn default() -> Self {
        Self::new(&ERS7, BTreeMap::new())
    }
}

impl Platform {
    /// Returns the system of a robot at the start, with the contents of its data files by their keywords.
    #[must_use]
    pub fn new(robot: &'static Robot, mut files: BTreeMap<String, Region>) -> Self {
        let processor = || processor(robot.design);
        files.entry(PROCESSOR.to_owned()).or_insert_with(processor);
        Self {
            robot,
            keys: SyncKeys::default(),
            opened: BTreeSet::new(),
            has_motor_power: false,
            servos: BTreeMap::new(),
            values: BTreeMap::new(),
            colours: ColourTable::default(),
            power: Power::default(),
            network: Network::default(),
            wireless: BTreeMap::new(),
            files,
            tick: [0; 2],
        }
    }

    pub(crate) fn robot(&self) -> &'static Robot {
        self.robot
    }

    pub(crate) fn open(&mut self, locator: &str) -> Result<u32, Status> {
        let id = self.robot.open(locator).ok_or(Status::NOT_FOUND)?;
        self.opened.insert(id);
        Ok(id)
    }

    pub(crate) fn close(&mut self, id: u32) -> Result<(), Status> {
        let was_open = self.opened.remove(&id);
        was_open.then_some(()).ok_or(Status::INVALID_PRIMITIVE_ID)
    }

    pub(crate) fn set_motor_power(&mut self, is_on: bool) {
        self.has_motor_power = is_on;
        self.power.set(bit::MOTOR_POWER, is_on);
    }

    /// Returns the joint, or all opened joints.
    fn joints(&self, joint: Option<u32>) -> Result<Vec<u32>, Status> {
        let is_joint = |id: u32| {
            let kind = self.robot.primitive(id).map(|known| known.kind);
            matches!(kind, Some(Kind::Joint { .. }))
        };
        match joint {
            Some(joint) if is_joint(joint) => Ok(vec![joint]),
            Some(_) => Err(Status::INVALID_PRIMITIVE_ID),
            None => Ok(self
                .opened
                .iter()
                .copied()
                .filter(|id| is_joint(*id))
                .collect()),
        }
    }

    pub(crate) fn set_gains(&mut self, joint: Option<u32>, gains: Gains) -> Result<(), Status> {
        if !gains.is_valid() {
            return Err(Status::INVALID_ARG);
        }
        for joint in self.joints(joint)? {
            self.servos.entry(joint).or_default().gains = gains;
        }
        Ok(())
    }

    pub(crate) fn gains(&self, joint: u32) -> Result<Gains, Status> {
        self.joints(Some(joint))?;
        let servo = self.servos.get(&joint).copied().unwrap_or_default();
        servo
            .is_enabled
            .then_some(servo.gains)
            .ok_or(Status::GAIN_DISABLED)
    }

    pub(crate) fn enable_gains(&mut self, joint: Option<u32>, is_on: bool) -> Result<(), Status> {
        for joint in self.joints(joint)? {
            self.servos.entry(joint).or_default().is_enabled = is_on;
        }
        Ok(())
    }

    /// Returns the gains of a powered joint; `None` if its motor has no power. Gains of a disabled servo are zero.
    pub(crate) fn powered_gains(&self, joint: u32) -> Option<Gains> {
        let servo = self.servos.get(&joint).copied().unwrap_or_default();
        let gains = if servo.is_enabled {
            servo.gains
        } else {
            Gains::default()
        };
        self.has_motor_power.then_some(gains)
    }

    pub(crate) fn has_motor_power(&self) -> bool {
        self.has_motor_power
    }

    pub(crate) fn set_value(&mut self, id: u32, value: Value) {
        self.values.insert(id, value);
    }

    pub(crate) fn value(&self, id: u32, is_joint: bool) -> Result<Value, Status> {
        let kind = self.robot.primitive(id).map(|known| known.kind);
        let fits = match kind {
            Some(Kind::Joint { .. }) => is_joint,
            Some(Kind::Sensor(..)) => !is_joint,
            _ => false,
        };
        let value = self.values.get(&id).copied();
        fits.then(|| value.unwrap_or_default())
            .ok_or(Status::INVALID_PRIMITIVE_ID)
    }

    pub(crate) fn design_data(&self, keyword: &str) -> Result<Region, Status> {
        let region = self.files.get(keyword).ok_or(Status::NOT_FOUND)?;
        let is_empty = region.bytes().is_empty();
        (!is_empty)
            .then(|| region.clone())
            .ok_or(Status::DESIGNDATA_SIZE_ZERO)
    }
}

/// Returns the description of the processor: the name of the robot's design, padded with zeros.
fn processor(design: &str) -> Region {
    let mut bytes = design.as_bytes().to_vec();
    bytes.resize(PROCESSOR_SIZE, 0);
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_apply_to_a_joint_or_to_all_opened_ones() {
        let mut platform = Platform::default();
        let gains = Gains::new([0x1c, 0x08, 0x01]);
        let leg = platform.open("PRM:/r2/c1-Joint2:21").expect("a joint");
        let knee = platform
            .open("PRM:/r2/c1/c2/c3-Joint2:23")
            .expect("a joint");
        let paw = platform
            .open("PRM:/r2/c1/c2/c3/c4-Sensor:24")
            .expect("a switch");
        let closed = ERS7.open("PRM:/r4/c1-Joint2:41").expect("a joint");
        assert_eq!(platform.open("PRM:/x"), Err(Status::NOT_FOUND));
        assert_eq!(
            platform.gains(leg),
            Ok(Gains::default()),
            "zero at the start"
        );
        platform.set_gains(None, gains).expect("gains");
        assert_eq!([leg, knee].map(|id| platform.gains(id)), [Ok(gains); 2]);
        assert_eq!(platform.gains(closed), Ok(Gains::default()));
        let invalid = Err(Status::INVALID_PRIMITIVE_ID);
        assert_eq!(platform.set_gains(Some(paw), gains), invalid);
        let shifted = Gains {
            shifts: [17; 3],
            ..gains
        };
        assert_eq!(
            platform.set_gains(Some(leg), shifted),
            Err(Status::INVALID_ARG)
        );
        assert_eq!(platform.powered_gains(leg), None);
        platform.set_motor_power(true);
        assert_eq!(platform.powered_gains(leg), Some(gains));
        platform.enable_gains(Some(leg), false).expect("a joint");
        assert_eq!(platform.gains(leg), Err(Status::GAIN_DISABLED));
        assert_eq!(platform.powered_gains(leg), Some(Gains::default()));
        platform.enable_gains(None, true).expect("joints");
        assert_eq!(platform.gains(leg), Ok(gains));
        platform.close(leg).expect("an open one");
        assert_eq!(platform.close(leg), invalid);
    }

    #[test]
    fn data_files_have_keywords() {
        let files = [("MOTION", "abc"), ("NOTHING", "")];
        let files = files.map(|(key, text)| (key.to_owned(), Region::from(text)));
        let platform = Platform::new(&ERS7, BTreeMap::from(files));
        let data = |keyword: &str| platform.design_data(keyword).map(|data| data.bytes().len());
        assert_eq!(data("MOTION"), Ok(3));
        assert_eq!(data("NOTHING"), Err(Status::DESIGNDATA_SIZE_ZERO));
        assert_eq!(data("OTHER"), Err(Status::NOT_FOUND));
        assert_eq!(data(PROCESSOR), Ok(256));
    }

    #[test]
    fn values_are_those_of_joints_or_of_sensors() {
        let mut platform = Platform::default();
        let value = Value {
            value: 7,
            ..Value::default()
        };
        platform.set_value(1, value);
        assert_eq!(platform.value(1, true), Ok(value));
        assert_eq!(platform.value(1, false), Err(Status::INVALID_PRIMITIVE_ID));
        assert_eq!(platform.value(2, false), Ok(Value::default()));
        assert_eq!(platform.value(99, false), Err(Status::INVALID_PRIMITIVE_ID));
    }
}
