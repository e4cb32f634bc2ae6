//! Some invented kinds, so that the file format is tested without the catalogue.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use morse_sim::scene::simulation::{Family, Vocabulary};
use serde::Deserialize;

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Gps {
    pub(super) antenna: [f64; 3],
    pub(super) channel: u8,
    pub(super) band: Band,
    pub(super) label: String,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Band {
    #[default]
    L1,
    L2,
    Both {
        weight: f64,
    },
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Camera {
    pub(super) level: String,
    pub(super) frequency: f64,
    pub(super) lens: Lens,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Lens {
    pub(super) focal: Option<f64>,
    pub(super) rings: Vec<Ring>,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Ring {
    pub(super) radius: f64,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct GpsNoise {
    pub(super) sigma: (f64, f64, f64),
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Rename {
    pub(super) names: BTreeMap<String, String>,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct VOmega;

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Socket {
    pub(super) port: u16,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Text {
    pub(super) directory: String,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct TextOutput {
    pub(super) format: Format,
}

#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Format {
    #[default]
    Json,
    Csv,
}

#[derive(Debug, PartialEq, Deserialize)]
pub(super) struct Nothing;

pub(super) struct Toy;

impl Vocabulary for Toy {
    fn words(&self, family: Family) -> Vec<&str> {
        match family {
            Family::Sensor => vec!["gps", "camera"],
            Family::Actuator => vec!["v_omega"],
            Family::Modifier => vec!["gps_noise"],
            Family::Overlay => vec!["rename"],
            Family::Middleware => vec!["socket", "text"],
            Family::Output | Family::Input | Family::Command => Vec::new(),
        }
    }

    fn read(
        &self,
        family: Family,
        word: &str,
        settings: &mut dyn erased_serde::Deserializer<'_>,
    ) -> Result<Arc<dyn Any + Send + Sync>, erased_serde::Error> {
        Ok(match (family, word) {
            (Family::Sensor, "gps") => Arc::new(Gps::deserialize(settings)?),
            (Family::Sensor, "camera") => Arc::new(Camera::deserialize(settings)?),
            (Family::Actuator, _) => Arc::new(VOmega::deserialize(settings)?),
            (Family::Modifier, _) => Arc::new(GpsNoise::deserialize(settings)?),
            (Family::Overlay, _) => Arc::new(Rename::deserialize(settings)?),
            (Family::Middleware, "socket") => Arc::new(Socket::deserialize(settings)?),
            (Family::Middleware, "text") => Arc::new(Text::deserialize(settings)?),
            (Family::Output, "text") => Arc::new(TextOutput::deserialize(settings)?),
            _ => Arc::new(Nothing::deserialize(settings)?),
        })
    }

    fn levels(&self, family: Family, word: &str) -> Vec<&str> {
        match (family, word) {
            (Family::Sensor, "gps") => vec!["simple", "raw", "extended"],
            (Family::Sensor, "camera") => vec!["rgb", "gray"],
            _ => Vec::new(),
        }
    }
}
