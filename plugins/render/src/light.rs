//! Light: sky, sun and lamps, and the diffuse reflection of surfaces.
//!
//! Surfaces are Lambertian: they reflect light evenly in all directions. Calculations use linear light; the result is
//! encoded as sRGB (IEC 61966-2-1).
use morse_api::lighting::{Lighting, PointLamp, code, linear};
use nalgebra::Vector3;

/// Red, green and blue, linear.
pub(super) type Rgb = [f32; 3];

/// Number of entries of the sRGB table over linear light: in the dark range, less than one code apart.
const STEPS: usize = 8192;

/// Number of entries of the sky table, from straight down to straight up.
const ELEVATIONS: usize = 1024;

/// Light on things, and the background.
pub(super) struct Illumination {
    /// Unit vector towards the sun.
    pub(super) to_sun: Vector3<f64>,
    sun: Rgb,
    /// Ambient light on surfaces that face up and down.
    above: Rgb,
    below: Rgb,
    lighting: Lighting,
    /// Sky table. Computed at the first picture, since most worlds have no camera.
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
    /// Returns the light; pictures require [`prepare`](Self::prepare) first.
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

    /// Returns true if the tables are computed.
    pub(super) fn is_prepared(&self) -> bool {
        !self.codes.is_empty()
    }

    /// Computes the tables of the sky and of the sRGB codes.
    pub(super) fn prepare(&mut self) {
        let sky = (0..ELEVATIONS).map(|step| {
            let height = step as f64 / (ELEVATIONS - 1) as f64 * 2.0 - 1.0;
            self.lighting.background(height)
        });
        let code = |step: usize| encode(step as f64 / (STEPS - 1) as f64);
        self.sky = sky.collect();
        self.codes = (0..STEPS).map(code).collect();
    }

    /// Returns the colour of the background in a direction whose upward component is `height` (-1 to 1).
    pub(super) fn sky(&self, height: f64) -> Rgb {
        let position = (height + 1.0) * 0.5 * (ELEVATIONS - 1) as f64;
        self.sky
            .get((position + 0.5) as usize)
            .or(self.sky.last())
            .copied()
            .unwrap_or_default()
    }

    /// Returns the ambient light on a surface with this normal.
    pub(super) fn ambient(&self, normal: &Vector3<f64>) -> Rgb {
        mix(self.below, self.above, (normal.z + 1.0) * 0.5)
    }

    /// Returns the sunlight on an unshaded surface with this normal.
    pub(super) fn sunlight(&self, normal: &Vector3<f64>) -> Rgb {
        let share = normal.dot(&self.to_sun).max(0.0) as f32;
        self.sun.map(|light| light * share)
    }

    /// Returns the sRGB code of a linear colour.
    pub(super) fn code(&self, color: Rgb) -> [u8; 4] {
        let code = |light: f32| {
            let step = (light.clamp(0.0, 1.0) * (STEPS - 1) as f32 + 0.5) as usize;
            self.codes.get(step).copied().unwrap_or(u8::MAX)
        };
        let [red, green, blue] = color.map(code);
        [red, green, blue, u8::MAX]
    }
}

/// A lamp: a spotlight, or a point light.
pub(super) struct Lamp {
    /// Position in the world.
    pub(super) position: Vector3<f64>,
    /// Unit vector along the axis of the cone.
    pub(super) axis: Vector3<f64>,
    /// Cosine of half the opening angle; `None` for a point light.
    pub(super) edge: Option<f64>,
    /// Distance at which the intensity is one half, m.
    pub(super) distance: f64,
    /// Red, green and blue times the energy, linear.
    pub(super) color: Rgb,
}

/// Fraction of the cone, from its edge, in which the light fades.
const DIM: f64 = 0.15;

impl Lamp {
    /// Returns a fixed lamp of the environment.
    pub(super) fn hanging(lamp: &PointLamp) -> Self {
        Self {
            position: lamp.position.into(),
            axis: -Vector3::z(),
            edge: None,
            distance: lamp.distance,
            color: linear(lamp.color).map(|light| light * lamp.strength as f32),
        }
    }

    /// Returns the light of the lamp on an unshaded surface. Its intensity decreases with the square of the distance
    /// (Blender's inverse square, which is finite at the lamp itself).
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

/// Interpolates linearly from `a` (0) to `b` (1).
pub(super) fn mix(a: Rgb, b: Rgb, share: f64) -> Rgb {
    let share = share as f32;
    [0, 1, 2].map(|channel| a[channel] + (b[channel] - a[channel]) * share)
}

/// Encodes linear light as an sRGB code.
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
        // At this distance the intensity is one half.
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
        // Intensity 16 / (16 + 9) below and above the lamp; half of that at an angle of 60° at the same distance.
        let near = |actual: Option<Rgb>, wanted: f32| {
            let actual = actual.unwrap();
            assert!((actual[0] - wanted).abs() < 1e-6, "{actual:?} {wanted}");
        };
        near(lamp.light(&Vector3::zeros(), &Vector3::z()), 1.28);
        let above = Vector3::new(0.0, 0.0, 6.0);
        near(lamp.light(&above, &-Vector3::z()), 1.28);
        let aslant = Vector3::new(0.0, 0.75_f64.sqrt(), 0.5);
        near(lamp.light(&Vector3::zeros(), &aslant), 0.64);
        assert_eq!(lamp.light(&Vector3::zeros(), &-Vector3::z()), None);
    }
}
