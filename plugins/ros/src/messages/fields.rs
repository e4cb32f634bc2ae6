//! Types of message fields that serde lacks, and conversions from our own types.
use nalgebra::{Isometry3, UnitQuaternion, Vector3};
use serde::{Deserialize, Deserializer, Serialize, Serializer, ser::SerializeTuple as _};

use super::{Point, Pose, Quaternion, Time, Transform, Vector};

/// Bytes, encoded as base64 in JSON, as in rosbridge.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bytes(pub Vec<u8>);

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            let mut text = Vec::new();
            morse_api::samples::base64(&mut text, &self.0);
            return serializer.serialize_str(&String::from_utf8_lossy(&text));
        }
        // In CDR the same as a sequence of numbers, written at once.
        serializer.serialize_bytes(&self.0)
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(Self)
    }
}

/// 6×6 matrix, row by row: serde's arrays end at 32 elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix6(pub [f64; 36]);

impl Default for Matrix6 {
    fn default() -> Self {
        Self([0.0; 36])
    }
}

impl Matrix6 {
    /// Returns the matrix with a diagonal, and zeros elsewhere.
    pub(crate) fn diagonal(numbers: [f64; 6]) -> Self {
        let mut matrix = Self::default();
        for (index, number) in numbers.into_iter().enumerate() {
            matrix.0[7 * index] = number;
        }
        matrix
    }
}

impl Serialize for Matrix6 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut tuple = serializer.serialize_tuple(self.0.len())?;
        for number in &self.0 {
            tuple.serialize_element(number)?;
        }
        tuple.end()
    }
}

impl<'de> Deserialize<'de> for Matrix6 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Vec::<f64>::deserialize(deserializer)?;
        let numbers = numbers.try_into();
        numbers
            .map(Self)
            .map_err(|_more| serde::de::Error::custom("36 numbers are expected"))
    }
}

impl Time {
    /// Returns the time stamp a number of nanoseconds after the start.
    #[must_use]
    pub fn of_nanos(nanos: u64) -> Self {
        Self {
            sec: i32::try_from(nanos / 1_000_000_000).unwrap_or(i32::MAX),
            nanosec: (nanos % 1_000_000_000) as u32,
        }
    }
}

impl From<Vector3<f64>> for Vector {
    fn from(vector: Vector3<f64>) -> Self {
        let [x, y, z] = vector.into();
        Self { x, y, z }
    }
}

impl From<UnitQuaternion<f64>> for Quaternion {
    fn from(rotation: UnitQuaternion<f64>) -> Self {
        let [x, y, z, w] = rotation.coords.into();
        Self { x, y, z, w }
    }
}

impl From<Isometry3<f64>> for Pose {
    fn from(pose: Isometry3<f64>) -> Self {
        let [x, y, z] = pose.translation.vector.into();
        Self {
            position: Point { x, y, z },
            orientation: pose.rotation.into(),
        }
    }
}

impl From<Isometry3<f64>> for Transform {
    fn from(pose: Isometry3<f64>) -> Self {
        Self {
            translation: pose.translation.vector.into(),
            rotation: pose.rotation.into(),
        }
    }
}
