//! Light of a scene: sun, lamps, ambient light and background.
//!
//! Colours are red, green and blue from 0 to 1 (sRGB). A white surface shows the colour of the light that falls on it.
use std::collections::BTreeMap;

use bevy::prelude::Component;
use serde::{Deserialize, Serialize};

use crate::state::Stateful;

/// Red, green and blue, 0 to 1 (sRGB).
pub type Color = [f64; 3];

/// Light of a scene. The default is that of a clear day.
#[derive(Clone, Debug, PartialEq)]
pub struct Lighting {
    /// Directional light, which casts shadows.
    pub sun: Sun,
    /// Ambient light, which also reaches shadows.
    pub ambient: Ambient,
    /// Point lamps, by name.
    pub lamps: BTreeMap<String, PointLamp>,
    /// Background above the horizon. It emits no light.
    pub sky: Sky,
    /// Background below the horizon.
    pub ground: Color,
}

impl Default for Lighting {
    fn default() -> Self {
        Self {
            sun: Sun::default(),
            ambient: Ambient::default(),
            lamps: BTreeMap::new(),
            sky: Sky::default(),
            ground: [0.60, 0.62, 0.58],
        }
    }
}

/// Directional light.
#[derive(Clone, Debug, PartialEq)]
pub struct Sun {
    /// Direction towards it: a vector in the axes of the scene, of any length but zero.
    pub direction: [f64; 3],
    /// Colour.
    pub color: Color,
    /// Fraction of the colour on a surface that faces the light; 0 is night.
    pub strength: f64,
}

impl Default for Sun {
    /// 50° high, behind the left shoulder of a person who looks along x.
    fn default() -> Self {
        Self {
            direction: [-0.42, 0.50, 0.80],
            color: [1.0, 0.98, 0.93],
            strength: 0.8,
        }
    }
}

/// Ambient light. Surfaces that face sideways receive the mean of both colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Ambient {
    /// Colour on surfaces that face up.
    pub above: Color,
    /// Colour on surfaces that face down.
    pub below: Color,
    /// Fraction of these colours on surfaces.
    pub strength: f64,
}

impl Default for Ambient {
    fn default() -> Self {
        Self {
            above: [0.62, 0.64, 0.68],
            below: [0.45, 0.44, 0.42],
            strength: 1.0,
        }
    }
}

/// A lamp that shines in all directions.
#[derive(Clone, Debug, PartialEq)]
pub struct PointLamp {
    /// Position in the scene, m.
    pub position: [f64; 3],
    /// Colour.
    pub color: Color,
    /// Distance r at which the light has half its strength, m. The strength is proportional to r² / (d² + r²).
    pub distance: f64,
    /// Fraction of the colour on an adjacent surface that faces the lamp.
    pub strength: f64,
}

impl Default for PointLamp {
    fn default() -> Self {
        Self {
            position: [0.0; 3],
            color: [1.0; 3],
            distance: 25.0,
            strength: 1.0,
        }
    }
}

/// Colours of the sky.
#[derive(Clone, Debug, PartialEq)]
pub struct Sky {
    /// Colour at the zenith.
    pub zenith: Color,
    /// Colour at the horizon.
    pub horizon: Color,
}

impl Default for Sky {
    fn default() -> Self {
        Self {
            zenith: [0.33, 0.54, 0.80],
            horizon: [0.80, 0.86, 0.92],
        }
    }
}

/// Converts a colour to linear light (IEC 61966-2-1).
#[must_use]
pub fn linear(color: Color) -> [f32; 3] {
    color.map(|code| {
        let code = code.clamp(0.0, 1.0);
        let light = if code <= 0.040_45 {
            code / 12.92
        } else {
            libm::pow((code + 0.055) / 1.055, 2.4)
        };
        light as f32
    })
}

/// Converts a component of linear light (red, green or blue, 0 to 1) to sRGB: the inverse of [`linear`].
#[must_use]
pub fn code(light: f64) -> f64 {
    if light <= 0.003_130_8 {
        light * 12.92
    } else {
        1.055 * libm::pow(light, 1.0 / 2.4) - 0.055
    }
}

impl Lighting {
    /// Returns the light for renderers without lamps: at night, the brightest lamp at the scene's origin is the sun.
    #[must_use]
    pub fn without_lamps(&self) -> Self {
        let mut all = Self {
            lamps: BTreeMap::new(),
            ..self.clone()
        };
        if self.sun.strength > 0.0 {
            return all;
        }
        let at_origin = |lamp: &PointLamp| {
            let far = lamp
                .position
                .iter()
                .fold(0.0, |sum, value| sum + value * value);
            let near = lamp.distance * lamp.distance;
            (far > 0.0).then(|| lamp.strength * near / (near + far))
        };
        let lamps = self.lamps.values();
        let seen = lamps.filter_map(|lamp| Some((lamp, at_origin(lamp)?)));
        if let Some((lamp, strength)) = seen.max_by(|(_, one), (_, other)| one.total_cmp(other)) {
            all.sun = Sun {
                direction: lamp.position,
                color: lamp.color,
                strength,
            };
        }
        all
    }

    /// Background, seen where nothing is, in a direction whose upward share is `height` (-1 to 1), linear.
    #[must_use]
    pub fn background(&self, height: f64) -> [f32; 3] {
        let [zenith, horizon, ground] =
            [self.sky.zenith, self.sky.horizon, self.ground].map(linear);
        let (other, share) = if height >= 0.0 {
            (zenith, libm::pow(height, 0.6))
        } else {
            // Haze over the ground far away.
            (ground, (height * -12.0).min(1.0))
        };
        std::array::from_fn(|channel| {
            horizon[channel] + (other[channel] - horizon[channel]) * share as f32
        })
    }
}

impl Sun {
    /// Its light on a surface that faces it, linear.
    #[must_use]
    pub fn light(&self) -> [f32; 3] {
        linear(self.color).map(|light| light * self.strength as f32)
    }
}

impl Ambient {
    /// The light on what faces up and on what faces down, linear.
    #[must_use]
    pub fn light(&self) -> [[f32; 3]; 2] {
        [self.above, self.below]
            .map(|color| linear(color).map(|light| light * self.strength as f32))
    }
}

/// A spot light on a component, along its x axis; its strength is [`Shine`].
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
#[require(Shine)]
pub struct Lamp {
    /// Red, green and blue, 0 to 1 (sRGB).
    pub color: Color,
    /// Distance at which it has half of its strength, m.
    pub distance: f64,
    /// Full opening angle of its cone, rad.
    pub size: f64,
}

/// Present brightness of a lamp: its energy (Blender's measure), or 0. It is state.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Shine(pub f64);

impl Stateful for Shine {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_those_of_the_standard() {
        // IEC 61966-2-1: half of the light is code 188, a fifth of the codes is 3.3 % of the light.
        assert_eq!(linear([0.0, 1.0, 2.0]), [0.0, 1.0, 1.0]);
        let [half, fifth, dark] = linear([188.0 / 255.0, 0.2, 0.03]);
        assert!((half - 0.502_89).abs() < 1e-5, "{half}");
        assert!((fifth - 0.033_10).abs() < 1e-5, "{fifth}");
        assert!((dark - 0.03 / 12.92).abs() < 1e-7, "{dark}");
    }

    #[test]
    fn behind_everything_are_sky_haze_and_ground() {
        let lighting = Lighting::default();
        let close = |height: f64, color: Color| {
            let (seen, wanted) = (lighting.background(height), linear(color));
            seen.iter()
                .zip(wanted)
                .all(|(one, other)| (one - other).abs() < 1e-6)
        };
        assert!(close(1.0, lighting.sky.zenith) && close(0.0, lighting.sky.horizon));
        assert!(close(-0.1, lighting.ground) && close(-1.0, lighting.ground));
        let between = lighting.background(-1.0 / 24.0);
        let [horizon, ground] = [lighting.sky.horizon, lighting.ground].map(linear);
        assert!((between[0] - f32::midpoint(horizon[0], ground[0])).abs() < 1e-6);
    }

    #[test]
    fn who_knows_no_lamps_sees_the_brightest_one_as_the_sun() {
        let lamp = |position, distance| PointLamp {
            position,
            distance,
            strength: 2.0,
            ..PointLamp::default()
        };
        let mut light = Lighting::default();
        let lamps = [
            ("far", lamp([0.0, 30.0, 40.0], 50.0)),
            ("dim", lamp([0.0, 0.0, 3.0], 1.0)),
        ];
        light.lamps = lamps.map(|(name, lamp)| (name.to_owned(), lamp)).into();
        // By day the sun stays.
        assert_eq!(light.without_lamps(), Lighting::default());
        light.sun.strength = 0.0;
        let night = light.without_lamps();
        assert_eq!(night.sun.direction, [0.0, 30.0, 40.0]);
        // Half of its strength, since it is at its distance.
        assert_eq!(night.sun.strength, 1.0);
        assert!(night.lamps.is_empty());
    }

    #[test]
    fn light_has_a_strength() {
        let sun = Sun {
            color: [1.0, 0.0, 1.0],
            strength: 1.5,
            ..Sun::default()
        };
        assert_eq!(sun.light(), [1.5, 0.0, 1.5]);
        let night = Ambient {
            strength: 0.0,
            ..Ambient::default()
        };
        assert_eq!(night.light(), [[0.0; 3]; 2]);
    }
}
