//! Noise of sensors: the modifiers that change readings in the same manner.

use morse_scene::bounds::Bounds;

use super::{component::Component, fields};
use crate::{components, problems::Problems, xml::Element};

/// Nanoteslas, the unit of magnetometers, per tesla.
const NANO: f64 = 1e9;

/// Errors of a number, in its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Noise {
    /// Standard deviation of each reading.
    sigma: f64,
    /// Constant error.
    bias: f64,
    /// Standard deviation of the constant error.
    spread: f64,
    /// Error that drifts: its standard deviation after a second, and its correlation time, s.
    drift: Option<[f64; 2]>,
    /// Step that readings are rounded to.
    step: Option<f64>,
}

impl Noise {
    fn has_constant(&self) -> bool {
        self.bias != 0.0 || self.spread > 0.0
    }

    fn is_felt(&self) -> bool {
        self.sigma > 0.0 || self.has_constant() || self.drift.is_some() || self.step.is_some()
    }
}

/// Reads the `<noise>` of an element; `None` if it has none.
pub(super) fn read(element: &Element, problems: &mut Problems) -> Option<Noise> {
    let noise = element.named("noise").next()?;
    is_any(noise).then(|| errors(noise, problems))
}

/// Returns the type of a noise, which is an attribute or, until version 1.4, an element.
fn kind(noise: &Element) -> Option<String> {
    let kind = noise.attribute("type").map(|kind| kind.value.trim());
    let inner = || noise.named("type").next().map(Element::text);
    kind.map(str::to_owned).or_else(inner)
}

/// Returns true unless the type of a noise is `none`.
fn is_any(noise: &Element) -> bool {
    kind(noise).as_deref() != Some("none")
}

/// Reads the numbers of a noise.
fn errors(noise: &Element, problems: &mut Problems) -> Noise {
    let mut number = |name, bounds| fields::number(noise, name, bounds, problems).unwrap_or(0.0);
    let (any, positive) = (Bounds::within(1e12), Bounds::between(0.0, 1e12));
    let drift = [
        number("dynamic_bias_stddev", positive),
        number("dynamic_bias_correlation_time", Bounds::between(0.0, 1e9)),
    ];
    let step = number("precision", positive);
    let is_rounded = kind(noise).as_deref() == Some("gaussian_quantized");
    Noise {
        sigma: number("stddev", positive),
        bias: number("mean", any) + number("bias_mean", any),
        spread: number("bias_stddev", positive),
        // Gazebo requires both.
        drift: (drift[0] > 0.0 && drift[1] >= 1e-9).then_some(drift),
        step: (is_rounded && step > 0.0).then_some(step),
    }
}

/// Adds the noise that the elements of a sensor give to its readings.
pub(super) fn add(element: &Element, component: &mut Component, problems: &mut Problems) {
    let inner = |names: &[&'static str]| {
        let mut elements = names.iter().map(|&name| element.named(name).next());
        elements.find_map(|elements| elements)
    };
    match component.kind {
        "laser_scanner" => {
            let noise = inner(&["lidar", "ray"]).and_then(|scan| read(scan, problems));
            component.range_noise(noise);
        }
        "video_camera" | "depth_camera" => {
            let noise = inner(&["camera"]).and_then(|camera| read(camera, problems));
            component.image_noise(noise);
        }
        "imu" => {
            if let Some(imu) = inner(&["imu"]) {
                vector(imu, "angular_velocity", component, problems);
                vector(imu, "linear_acceleration", component, problems);
                both(imu, component, problems);
            }
        }
        "force_torque" => {
            if let Some(own) = inner(&["force_torque"]) {
                vector(own, "force", component, problems);
                vector(own, "torque", component, problems);
            }
        }
        "magnetometer" => {
            let own = inner(&["magnetometer"]);
            for axis in ["x", "y", "z"] {
                let axes = own.and_then(|own| own.named(axis).next());
                let noise = axes.and_then(|axis| read(axis, problems));
                component.noise(axis, noise, NANO);
            }
        }
        "barometer" => {
            let own = inner(&["air_pressure"]).and_then(|own| own.named("pressure").next());
            component.noise("pressure", own.and_then(|own| read(own, problems)), 1.0);
        }
        "gps" => {
            if let Some(own) = inner(&["navsat", "gps"]) {
                position(own, component, problems);
            }
        }
        _ => {}
    }
}

/// Adds the noise of the three axes of a vector.
fn vector(element: &Element, name: &str, component: &mut Component, problems: &mut Problems) {
    let Some(own) = element.named(name).next() else {
        return;
    };
    let axes = ["x", "y", "z"].map(|axis| {
        let axis = own.named(axis).next();
        axis.and_then(|axis| read(axis, problems))
    });
    if axes[0] == axes[1] && axes[1] == axes[2] {
        component.noise(name, axes[0], 1.0);
        return;
    }
    for (index, noise) in axes.into_iter().enumerate() {
        component.noise(&format!("{name}.{index}"), noise, 1.0);
    }
}

/// Adds the noise of an IMU as SDF wrote it until version 1.4: one for all axes of a vector.
fn both(imu: &Element, component: &mut Component, problems: &mut Problems) {
    let Some(noise) = imu.named("noise").next().filter(|noise| is_any(noise)) else {
        return;
    };
    for (name, field) in [
        ("rate", "angular_velocity"),
        ("accel", "linear_acceleration"),
    ] {
        let own = noise.named(name).next();
        let own = own.map(|own| errors(own, problems));
        component.noise(field, own, 1.0);
    }
}

/// Adds the noise of a position on Earth.
fn position(element: &Element, component: &mut Component, problems: &mut Problems) {
    let mut read_below = |sensing: &str, name: &str| {
        let own = element.named(sensing).next();
        let axis = own.and_then(|own| own.named(name).next());
        axis.and_then(|axis| read(axis, problems))
    };
    let [horizontal, vertical] =
        ["horizontal", "vertical"].map(|name| read_below("position_sensing", name));
    let velocities = ["horizontal", "vertical"].map(|name| read_below("velocity_sensing", name));
    if velocities.iter().flatten().any(Noise::is_felt) {
        component.approximation = Some([
            "the noise of the velocity of a GPS receiver is not read",
            "write it into a simulation file, with `level: raw, modifiers: [(kind: \"gaussian\", fields: [\"velocity\"], sigma: 0.1)]`",
        ]);
    }
    component.check_constant(horizontal);
    component.check_constant(vertical);
    let [across, up] = [horizontal, vertical].map(|noise| noise.map_or(0.0, |noise| noise.sigma));
    if across > 0.0 || up > 0.0 {
        component.modifier(&format!(
            "(kind: \"gps_noise\", sigma: [{across}, {across}, {up}])"
        ));
    }
}

impl Component {
    /// Adds the errors of a field, whose unit is a fraction of that of the description.
    fn noise(&mut self, field: &str, noise: Option<Noise>, factor: f64) {
        let Some(noise) = noise else { return };
        let [sigma, bias, spread] = [noise.sigma, noise.bias, noise.spread].map(|one| one * factor);
        if sigma > 0.0 {
            self.modifier(&components::gaussian(field, sigma));
        }
        if noise.has_constant() {
            self.modifier(&format!(
                "(kind: \"bias\", fields: [\"{field}\"], value: {bias}, sigma: {spread})"
            ));
        }
        if let Some([sigma, time]) = noise.drift {
            let sigma = sigma * factor;
            self.modifier(&format!(
                "(kind: \"random_walk\", fields: [\"{field}\"], sigma: {sigma}, correlation_time: {time})"
            ));
        }
        self.round(field, noise.step.map(|step| step * factor));
    }

    /// Rounds a field to multiples of a step.
    fn round(&mut self, field: &str, step: Option<f64>) {
        if let Some(step) = step {
            let step = step.clamp(1e-12, 1e12);
            self.modifier(&format!(
                "(kind: \"quantization\", fields: [\"{field}\"], step: {step})"
            ));
        }
    }

    /// Adds the errors of the ranges of a scanner.
    fn range_noise(&mut self, noise: Option<Noise>) {
        let Some(noise) = noise else { return };
        let most = 1e6;
        let [sigma, spread] = [noise.sigma, noise.spread].map(|sigma| sigma.min(most));
        let bias = noise.bias.clamp(-most, most);
        if sigma > 0.0 || noise.has_constant() {
            let constant = match noise.has_constant() {
                true => format!(", bias: {bias}, bias_sigma: {spread}"),
                false => String::new(),
            };
            self.modifier(&format!(
                "(kind: \"range_noise\", sigma: {sigma}{constant})"
            ));
        }
        self.check_drift(Some(noise));
    }

    /// Reports constant errors of sensors whose modifiers have none.
    fn check_constant(&mut self, noise: Option<Noise>) {
        if noise.is_some_and(|noise| noise.has_constant()) {
            self.approximation = Some([
                "constant errors of cameras and GPS receivers are not read",
                "omit `<mean>`, `<bias_mean>` and `<bias_stddev>`, or write a modifier of your own",
            ]);
        }
        self.check_drift(noise);
    }

    /// Reports drifts and rounding of sensors whose modifiers have none.
    fn check_drift(&mut self, noise: Option<Noise>) {
        if noise.is_some_and(|noise| noise.drift.is_some() || noise.step.is_some()) {
            self.approximation = Some([
                "errors of scanners, cameras and GPS receivers that drift or are rounded are not read",
                "omit `<dynamic_bias_stddev>` and `<precision>`, or write modifiers into a simulation file",
            ]);
        }
    }

    /// Adds the noise of the pixels of a camera, or of its depths.
    fn image_noise(&mut self, noise: Option<Noise>) {
        self.check_constant(noise);
        let sigma = noise.map_or(0.0, |noise| noise.sigma);
        if sigma > 0.0 {
            let sigma = sigma.min(1000.0);
            self.modifier(&match self.kind {
                "depth_camera" => {
                    format!("(kind: \"depth_noise\", sigma: {sigma}, growth: 0)")
                }
                _ => format!("(kind: \"image_noise\", sigma: {sigma})"),
            });
        }
    }
}
