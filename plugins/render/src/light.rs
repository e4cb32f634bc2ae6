//! Light: the sky, the sun, and what surfaces send back of it.
//!
//! Surfaces are matt (Lambert): they send light evenly into all directions. Everything is reckoned in linear
//! light and encoded as sRGB (IEC 61966-2-1) at the end.
use morse_api::lighting::{Lighting, PointLamp, code, linear};
use nalgebra::Vector3;

/// Red, green and blue, linear.
pub(super) type Rgb = [f32; 3];

/// Steps of linear light that have a code of their own: at the dark end, less than a code apart.
const STEPS: usize = 8192;

/// Entries of the sky, from straight down to straight up.
const ELEVATIONS: usize = 1024;

/// Light on things, and the background behind them.
pub(super) struct Illumination {
    /// Towards the sun, of length 1.
    pub(super) to_sun: Vector3<f64>,
    sun: Rgb,
    /// Light from above and from below, on what faces there.
    above: Rgb,
    below: Rgb,
    lighting: Lighting,
    /// Worked out when the first picture is taken: most worlds have no camera.
    sky: Vec<Rgb>,
    codes: Vec<u8>,
}

impl Default for Illumination {
    fn default() -> Self {
        let mut light = Self::new(&Lighting::default());
        light.prepare();
        light
    }
}

impl Illumination {
    /// Light that pictures can be taken in once it is [`prepare`](Self::prepare)d.
    pub(super) fn new(lighting: &Lighting) -> Self {
        let [above, below] = lighting.ambient.light();
        Self {
            to_sun: Vector3::from(lighting.sun.direction).normalize(),
            sun: lighting.sun.light(),
            above,
            below,
            lighting: lighting.clone(),
            sky: Vec::new(),
            codes: Vec::new(),
        }
    }

    /// Tells whether pictures can be taken.
    pub(super) fn is_prepared(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Works out the tables of the sky and of the codes of colours.
    pub(super) fn prepare(&mut self) {
        let sky = (0..ELEVATIONS).map(|step| {
            let height = step as f64 / (ELEVATIONS - 1) as f64 * 2.0 - 1.0;
            self.lighting.background(height)
        });
        let code = |step: usize| encode(step as f64 / (STEPS - 1) as f64);
        self.sky = sky.collect();
        self.codes = (0..STEPS).map(code).collect();
    }

    /// Colour of the background in a direction whose upward share is `height` (-1 to 1).
    pub(super) fn sky(&self, height: f64) -> Rgb {
        let place = (height + 1.0) * 0.5 * (ELEVATIONS - 1) as f64;
        self.sky
            .get((place + 0.5) as usize)
            .or(self.sky.last())
            .copied()
            .unwrap_or_default()
    }

    /// Light that falls on a surface of this normal from everywhere but the sun.
    pub(super) fn ambient(&self, normal: &Vector3<f64>) -> Rgb {
        mix(self.below, self.above, (normal.z + 1.0) * 0.5)
    }

    /// Light of the sun on a surface of this normal, if nothing is in between.
    pub(super) fn sunlight(&self, normal: &Vector3<f64>) -> Rgb {
        let share = normal.dot(&self.to_sun).max(0.0) as f32;
        self.sun.map(|light| light * share)
    }

    /// A colour as it is stored.
    pub(super) fn code(&self, color: Rgb) -> [u8; 4] {
        let code = |light: f32| {
            let step = (light.clamp(0.0, 1.0) * (STEPS - 1) as f32 + 0.5) as usize;
            self.codes.get(step).copied().unwrap_or(u8::MAX)
        };
        let [red, green, blue] = color.map(code);
        [red, green, blue, u8::MAX]
    }
}

/// A lamp: a cone of light, or light to all sides.
pub(super) struct Lamp {
    /// In the world.
    pub(super) position: Vector3<f64>,
    /// Along its middle, of length 1.
    pub(super) axis: Vector3<f64>,
    /// Cosine of half of its opening angle; none shines to all sides.
    pub(super) edge: Option<f64>,
    /// Distance at which it has half of its strength, m.
    pub(super) distance: f64,
    /// Red, green and blue times its energy, linear.
    pub(super) color: Rgb,
}

/// Share of the cone, seen from its edge, that is dimmed.
const DIM: f64 = 0.15;

impl Lamp {
    /// A lamp that hangs somewhere.
    pub(super) fn hanging(lamp: &PointLamp) -> Self {
        Self {
            position: lamp.position.into(),
            axis: -Vector3::z(),
            edge: None,
            distance: lamp.distance,
            color: linear(lamp.color).map(|light| light * lamp.strength as f32),
        }
    }

    /// Light on a surface at a place if nothing is in between, and the way there. Its strength falls with the
    /// square of the distance (Blender's inverse square, which is finite at the lamp itself).
    pub(super) fn light(&self, at: &Vector3<f64>, normal: &Vector3<f64>) -> Option<Rgb> {
        let to_lamp = self.position - at;
        let away = to_lamp.norm();
        let toward = to_lamp / away;
        let facing = normal.dot(&toward);
        let dimmed = self.edge.map_or(1.0, |edge| {
            let inside = -toward.dot(&self.axis) - edge;
            (inside / (DIM * (1.0 - edge)).max(1e-9)).min(1.0)
        });
        if !(facing > 0.0 && dimmed > 0.0) {
            return None;
        }
        let square = self.distance * self.distance;
        let strength = facing * dimmed * square / (square + away * away);
        Some(self.color.map(|light| light * strength as f32))
    }
}

pub(super) fn plus(a: Rgb, b: Rgb) -> Rgb {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(super) fn times(a: Rgb, b: Rgb) -> Rgb {
    [a[0] * b[0], a[1] * b[1], a[2] * b[2]]
}

/// From `a` (0) to `b` (1).
pub(super) fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let share = share as f32;
    [0, 1, 2].map(|channel| a[channel] + (b[channel] - a[channel]) * share)
}

/// Light as screens have it.
pub(super) fn encode(light: f64) -> u8 {
    (code(light) * 255.0 + 0.5) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_through_light_and_back() {
        let illumination = Illumination::default();
        for code in 0..=255_u8 {
            let color = [f64::from(code) / 255.0; 3];
            assert_eq!(illumination.code(linear(color)), [code, code, code, 255]);
        }
    }

    #[test]
    fn a_lamp_lights_its_cone() {
        let lamp = Lamp {
            position: Vector3::new(0.0, 0.0, 2.0),
            axis: -Vector3::z(),
            edge: Some(0.8),
            distance: 2.0,
            color: [1.0, 0.5, 0.0],
        };
        let up = Vector3::z();
        // At its distance it has half of its strength.
        assert_eq!(lamp.light(&Vector3::zeros(), &up), Some([0.5, 0.25, 0.0]));
        assert_eq!(lamp.light(&Vector3::zeros(), &-up), None);
        assert_eq!(lamp.light(&Vector3::new(1.6, 0.0, 0.0), &up), None);
        assert!(lamp.light(&Vector3::new(1.4, 0.0, 0.0), &up).is_some());
    }

    #[test]
    fn a_lamp_that_hangs_lights_all_sides() {
        let lamp = Lamp::hanging(&PointLamp {
            position: [0.0, 0.0, 3.0],
            distance: 4.0,
            strength: 2.0,
            ..PointLamp::default()
        });
        // 16 / (16 + 9) of its strength below and above, 60° aslant half of that at the same distance.
        let near = |found: Option<Rgb>, wanted: f32| {
            let found = found.unwrap();
            assert!((found[0] - wanted).abs() < 1e-6, "{found:?} {wanted}");
        };
        near(lamp.light(&Vector3::zeros(), &Vector3::z()), 1.28);
        let above = Vector3::new(0.0, 0.0, 6.0);
        near(lamp.light(&above, &-Vector3::z()), 1.28);
        let aslant = Vector3::new(0.0, 0.75_f64.sqrt(), 0.5);
        near(lamp.light(&Vector3::zeros(), &aslant), 0.64);
        assert_eq!(lamp.light(&Vector3::zeros(), &-Vector3::z()), None);
    }
}
