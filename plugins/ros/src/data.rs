//! Access to the fields of a reading by name, whatever the type of its data.
use morse_api::{
    fields::Value,
    reading::{Reading, SensorInfo},
    samples::AnySamples,
};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

use crate::{
    messages::{Header, Time},
    names,
};

/// A reading, and its sensor.
#[derive(Clone, Copy)]
pub struct Sample<'a> {
    /// The sensor.
    pub info: &'a SensorInfo,
    /// The reading.
    pub reading: &'a Reading,
    /// Frame of the data, instead of the usual one.
    pub frame_id: Option<&'a str>,
}

impl<'a> Sample<'a> {
    /// Returns the stamp of the reading, and a frame, unless another one is set.
    pub(crate) fn header(&self, frame_id: String) -> Header {
        Header {
            stamp: self.stamp(),
            frame_id: self.frame_id.map_or(frame_id, str::to_owned),
        }
    }

    /// Returns the header of data in the axes of the sensor.
    pub(crate) fn own_header(&self) -> Header {
        self.header(names::frame(&self.info.path))
    }

    pub(crate) fn stamp(&self) -> Time {
        Time::of_nanos(self.reading.nanos)
    }

    fn value(&self, name: &str) -> Option<Value<'a>> {
        self.info.fields.get(name)?.view(self.reading.data())
    }

    pub(crate) fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Some(Value::Number(number)) => number,
            Some(Value::Integer(integer)) => integer as f64,
            _ => f64::NAN,
        }
    }

    pub(crate) fn count(&self, name: &str) -> u32 {
        match self.value(name) {
            Some(Value::Integer(integer)) => u32::try_from(integer).unwrap_or_default(),
            _ => 0,
        }
    }

    pub(crate) fn flag(&self, name: &str) -> bool {
        matches!(self.value(name), Some(Value::Flag(true)))
    }

    pub(crate) fn text(&self, name: &str) -> &'a str {
        match self.value(name) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    pub(crate) fn numbers(&self, name: &str) -> &'a [f64] {
        match self.value(name) {
            Some(Value::Numbers(numbers)) => numbers,
            _ => &[],
        }
    }

    pub(crate) fn triples(&self, name: &str) -> &'a [[f64; 3]] {
        match self.value(name) {
            Some(Value::Triples(triples)) => triples,
            _ => &[],
        }
    }

    pub(crate) fn texts(&self, name: &str) -> &'a [String] {
        match self.value(name) {
            Some(Value::Texts(texts)) => texts,
            _ => &[],
        }
    }

    pub(crate) fn samples(&self, name: &str) -> Option<&'a dyn AnySamples> {
        match self.value(name) {
            Some(Value::Samples(samples)) => Some(samples),
            _ => None,
        }
    }

    /// Returns a map of numbers with names from the scene, as two lists.
    pub(crate) fn named(&self, name: &str) -> (Vec<String>, Vec<f64>) {
        match self.value(name) {
            Some(Value::Named(named)) => named
                .iter()
                .map(|(name, number)| (name.to_owned(), number))
                .unzip(),
            _ => (Vec::new(), Vec::new()),
        }
    }

    pub(crate) fn vector(&self, name: &str) -> Vector3<f64> {
        match self.numbers(name) {
            &[x, y, z] => Vector3::new(x, y, z),
            _ => Vector3::repeat(f64::NAN),
        }
    }

    /// Returns three numeric fields as a vector.
    pub(crate) fn three(&self, names: [&str; 3]) -> Vector3<f64> {
        names.map(|name| self.number(name)).into()
    }

    /// Returns the pose in the fields `x`, `y`, `z`, `yaw`, `pitch` and `roll`.
    pub(crate) fn pose(&self) -> Isometry3<f64> {
        let [roll, pitch, yaw] = ["roll", "pitch", "yaw"].map(|name| self.number(name));
        Isometry3::from_parts(
            Translation3::from(self.three(["x", "y", "z"])),
            UnitQuaternion::from_euler_angles(roll, pitch, yaw),
        )
    }

    /// Returns a numeric setting of the sensor.
    pub(crate) fn setting(&self, name: &str) -> Option<f64> {
        self.info.settings.get(name)?.as_f64()
    }
}

impl Sample<'_> {
    /// Returns the five distortion parameters of a lens.
    pub(crate) fn distortion(&self) -> Vec<f64> {
        let mut numbers = Vec::new();
        let field = self.info.fields.get("distortion");
        if let Some(Value::Other(other)) = field.and_then(|field| field.view(self.reading.data())) {
            morse_api::fields::walk(other, &mut |element| {
                if let Value::Number(number) = morse_api::fields::view(element) {
                    numbers.push(number);
                }
            });
        }
        numbers
    }
}
