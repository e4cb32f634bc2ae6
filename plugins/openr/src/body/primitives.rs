//! Primitives of a robot: joints, lights, sensors, camera, microphones and loudspeaker, with their locators.
//!
//! The tables are those of the model information of each robot; `ers7` and `ers210` contain them, and [`robots`](super::robots) lists them.
pub use super::servo::MICRO;
use super::servo::{Gains, Motor};

/// Robot: its design, and its primitives, numbered from 1.
#[derive(Debug, PartialEq)]
pub struct Robot {
    /// Name of the design, as in sections of files: `ERS-7`.
    pub design: &'static str,
    /// Primitives. Those in vectors of sensor values come first, in the order of the vector.
    pub primitives: &'static [Primitive],
    /// Size of the image of the camera in its highest resolution, pixels; the full image of the device has twice the size.
    pub image: [u32; 2],
    /// Legs whose second joint is limited by the first, if the limits are known: names of the joints, true for front legs.
    pub coupled_legs: &'static [([&'static str; 2], bool)],
}

/// Primitive: a device of the body that is commanded or measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    /// Path along the joints, such as `PRM:/r1/c1-Joint2:11`.
    pub locator: &'static str,
    /// Meaning of the values.
    pub kind: Kind,
}

/// Meaning of the values of a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Motor with a position sensor.
    Joint {
        /// Joint of the robot's model.
        name: &'static str,
        /// Software limits, degrees.
        range: [f64; 2],
        /// Gains for normal motion, from the model information.
        gains: Gains,
        /// Motor of the joint.
        motor: Motor,
    },
    /// Ear, raised or lowered.
    Ear {
        /// Joint of the robot's model.
        name: &'static str,
        /// Motor of the joint.
        motor: Motor,
    },
    /// Light that is on or off.
    Light,
    /// Light with an intensity.
    Dimmed,
    /// A sensor.
    Sensor(Sensor, &'static str),
    /// The camera.
    Camera,
    /// The microphones.
    Microphone,
    /// The loudspeaker.
    Speaker,
}

/// Quantity that a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sensor {
    /// Acceleration along an axis: 0 forward, 1 to the right, 2 up, µm/s².
    Acceleration(usize),
    /// Distance, µm.
    Distance,
    /// Pressure of a touch, as a number of the converter.
    Touch,
    /// Force, µN.
    Force,
    /// Switch: 0 or 1.
    Switch,
    /// Temperature, µK.
    Temperature,
}

impl Kind {
    /// Returns true if vectors of sensor values have an entry for it: joints with a position sensor, and sensors.
    #[must_use]
    pub const fn is_sensed(self) -> bool {
        matches!(self, Self::Joint { .. } | Self::Sensor(..))
    }

    /// Returns the joint of the model that the primitive moves.
    #[must_use]
    pub const fn joint(self) -> Option<&'static str> {
        match self {
            Self::Joint { name, .. } | Self::Ear { name, .. } => Some(name),
            _ => None,
        }
    }
}

impl Primitive {
    /// Returns the name of a light in simulation files: its tag, such as `la`, of a light of the tail `tail_l1`.
    #[must_use]
    pub fn light(&self) -> Option<String> {
        if !matches!(self.kind, Kind::Light | Kind::Dimmed) {
            return None;
        }
        let (path, tag) = self.locator.rsplit_once(':')?;
        let is_tail = path.starts_with("PRM:/r6/");
        Some(if is_tail {
            format!("tail_{tag}")
        } else {
            tag.to_owned()
        })
    }
}

impl Robot {
    /// Returns the number of the primitive with a locator.
    #[must_use]
    pub fn open(&self, locator: &str) -> Option<u32> {
        let mut primitives = self.ids();
        primitives
            .find(|(_, primitive)| primitive.locator == locator)
            .map(|(id, _)| id)
    }

    /// Returns the primitive with a number.
    #[must_use]
    pub fn primitive(&self, id: u32) -> Option<&'static Primitive> {
        self.primitives
            .get(usize::try_from(id.checked_sub(1)?).ok()?)
    }

    /// Returns all primitives with their numbers.
    pub fn ids(&self) -> impl Iterator<Item = (u32, &'static Primitive)> + use<> {
        (1..).zip(self.primitives)
    }

    /// Returns the number of the light with a name.
    #[must_use]
    pub fn light(&self, name: &str) -> Option<u32> {
        let mut primitives = self.ids();
        primitives
            .find(|(_, primitive)| primitive.light().as_deref() == Some(name))
            .map(|(id, _)| id)
    }

    /// Returns the number of the primitive that moves a joint of the model.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<u32> {
        let mut primitives = self.ids();
        primitives
            .find(|(_, primitive)| primitive.kind.joint() == Some(name))
            .map(|(id, _)| id)
    }
}

pub(super) const fn of(locator: &'static str, kind: Kind) -> Primitive {
    Primitive { locator, kind }
}

pub(super) const fn sensor(
    locator: &'static str,
    sensor: Sensor,
    component: &'static str,
) -> Primitive {
    of(locator, Kind::Sensor(sensor, component))
}
