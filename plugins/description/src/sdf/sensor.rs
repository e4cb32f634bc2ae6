//! Reader of `<sensor>`: the component of a simulation file that measures the same.

use morse_scene::{bounds::Bounds, model::rotation_from_rpy};
use nalgebra::Isometry3;

use super::{component::Component, fields, noise};
use crate::{problems::Problems, xml::Element};

/// Largest elevation of the middle of a scanner, rad.
const STEEP: f64 = 1.5;

/// Largest angle between the first and the last ray of a scanner, rad.
const WHOLE_TURN: f64 = 6.3;

/// Altitude of the upper end of the troposphere, m.
const TROPOPAUSE: f64 = 11_000.0;

/// Kinds of sensors with the kinds of components, or the remedy for sensors that the simulator lacks.
const KINDS: &[(&[&str], Result<&str, &str>)] = &[
    (
        &["ray", "gpu_ray", "lidar", "gpu_lidar"],
        Ok("laser_scanner"),
    ),
    (&["camera", "rgbd", "rgbd_camera"], Ok("video_camera")),
    (&["depth", "depth_camera"], Ok("depth_camera")),
    (&["logical_camera"], Ok("semantic_camera")),
    (&["imu"], Ok("imu")),
    (&["gps", "navsat"], Ok("gps")),
    (&["magnetometer"], Ok("magnetometer")),
    (&["air_pressure"], Ok("barometer")),
    (&["air_speed"], Ok("airspeed")),
    (&["contact"], Ok("contact")),
    (&["force_torque"], Ok("force_torque")),
    (
        &["altimeter"],
        Err("write `\"height\": (kind: \"pose\")` into a simulation file: its `z` is the height"),
    ),
    (
        &["multicamera"],
        Err("write a `video_camera` for each camera into a simulation file"),
    ),
    (
        &["segmentation", "segmentation_camera"],
        Err("write `\"eye\": (kind: \"segmentation_camera\")` into a simulation file"),
    ),
    (
        &["sonar"],
        Err("write `\"sonar\": (kind: \"infrared\")` into a simulation file: it has a few rays"),
    ),
];

/// Returns the component of a sensor, or the remedy if there is none.
pub(crate) fn read(
    element: &Element,
    has_origin: bool,
    problems: &mut Problems,
) -> Result<Component, &'static str> {
    let kind = element
        .attribute("type")
        .map_or("", |kind| kind.value.trim());
    let known = KINDS.iter().find(|(words, _)| words.contains(&kind));
    let kind = match known {
        Some((_, Ok(component))) => *component,
        Some((_, Err(help))) => return Err(help),
        None => return Err("`morse-sim list sensors` lists the sensors of simulation files"),
    };
    if kind == "magnetometer" && !has_origin {
        return Err(
            "add `<spherical_coordinates>` to the world: the field depends on the place on Earth",
        );
    }
    let mut component = Component {
        kind,
        settings: String::new(),
        pose: Isometry3::identity(),
        approximation: None,
        collisions: Vec::new(),
    };
    configure(element, &mut component, problems);
    if kind == "gps" && has_origin {
        // Latitude, longitude, altitude and the velocity.
        component.set("level", "raw");
    }
    // Modifiers are the last setting.
    noise::add(element, &mut component, problems);
    Ok(component)
}

/// Sets the settings of a component from its sensor.
fn configure(element: &Element, component: &mut Component, problems: &mut Problems) {
    match component.kind {
        "laser_scanner" => {
            let names = ["lidar", "ray"];
            let scan = names.iter().find_map(|name| element.named(name).next());
            if let Some(scan) = scan {
                lidar(scan, component, problems);
            }
        }
        "video_camera" | "depth_camera" => {
            if let Some(camera) = element.named("camera").next() {
                self::camera(camera, component, problems);
            }
            if element
                .attribute("type")
                .is_some_and(|kind| kind.value.starts_with("rgbd"))
            {
                component.set("level", "rgbd");
            }
        }
        "semantic_camera" => {
            if let Some(camera) = element.named("logical_camera").next() {
                clip(camera, component, problems);
                fov(camera, component, problems);
            }
        }
        "force_torque" => {
            let own = element.named("force_torque").next();
            let direction = own.and_then(|own| own.named("measure_direction").next());
            if direction.is_some_and(|direction| direction.text() == "parent_to_child") {
                component.set("direction", "\"parent_to_child\"");
            }
        }
        "contact" => {
            let contact = element.named("contact").next();
            let named = contact
                .into_iter()
                .flat_map(|contact| contact.named("collision"));
            component.collisions = named.map(fields::written).collect();
        }
        "barometer" => {
            let own = element.named("air_pressure").next();
            let altitude = own.and_then(|own| {
                fields::number(
                    own,
                    "reference_altitude",
                    Bounds::within(TROPOPAUSE),
                    problems,
                )
            });
            if let Some(altitude) = altitude.filter(|altitude| *altitude != 0.0) {
                component.set("reference_pressure", &pressure(altitude).to_string());
            }
        }
        _ => {}
    }
}

/// Returns the pressure at an altitude (m) in the troposphere of the International Standard Atmosphere, Pa.
fn pressure(altitude: f64) -> f64 {
    101_325.0 * libm::pow(1.0 - 0.0065 * altitude / 288.15, 5.255_88)
}

/// Sets the rays of a scanner: those of SDF from the least angle to the greatest.
fn lidar(scan: &Element, component: &mut Component, problems: &mut Problems) {
    let axis = |name: &'static str| {
        let scan = scan.named("scan").next();
        scan.and_then(|scan| scan.named(name).next())
    };
    // Scanners that turn are often described from 0 to a whole turn.
    let angle = Bounds::within(WHOLE_TURN);
    let mut rays = |name: &'static str, most: f64| {
        let own = axis(name)?;
        let samples = fields::number(own, "samples", Bounds::between(1.0, most), problems);
        let least = fields::number(own, "min_angle", angle, problems).unwrap_or(0.0);
        let greatest = fields::number(own, "max_angle", angle, problems).unwrap_or(0.0);
        let samples = samples.unwrap_or(1.0).floor();
        let window = (greatest - least).clamp(0.0, WHOLE_TURN);
        Some((samples, window, f64::midpoint(least, greatest)))
    };
    let (samples, window, middle) = rays("horizontal", 1e5).unwrap_or((640.0, 3.0, 0.0));
    let (window, resolution) = match samples > 1.0 && window > 0.0 {
        true => (window, (window / (samples - 1.0)).max(1e-5)),
        false => (0.0, WHOLE_TURN),
    };
    component.set("scan_window", &window.to_string());
    component.set("resolution", &resolution.to_string());
    if let Some((layers, height, center)) = rays("vertical", 1024.0) {
        if layers > 1.0 {
            component.set("layers", &layers.to_string());
            component.set("layer_separation", &(height / (layers - 1.0)).to_string());
            component.set("layer_offset", "0");
        }
        if center != 0.0 {
            component.set("layer_middle", &center.clamp(-STEEP, STEEP).to_string());
        }
        if layers > 1.0 || center != 0.0 {
            component.set("convention", "spherical");
        }
    }
    component.pose.rotation = rotation_from_rpy(0.0, 0.0, middle);
    let range = scan.named("range").next();
    let range = range.and_then(|range| {
        let bounds = Bounds::between(0.001, f64::MAX);
        fields::number(range, "max", bounds, problems)
    });
    if let Some(range) = range {
        component.set("laser_range", &range.min(1e6).to_string());
    }
}

fn camera(camera: &Element, component: &mut Component, problems: &mut Problems) {
    fov(camera, component, problems);
    let pose = fields::pose(camera, problems);
    match pose.relative_to {
        None => component.pose = pose.local,
        Some(_) => {
            component.approximation = Some([
                "poses of cameras relative to other frames are not read",
                "write the `<pose>` of the `<camera>` relative to its sensor, without `relative_to`",
            ]);
        }
    }
    if let Some(image) = camera.named("image").next() {
        for name in ["width", "height"] {
            let pixels = fields::number(image, name, Bounds::between(1.0, 16_384.0), problems);
            if let Some(pixels) = pixels {
                component.set(name, &pixels.floor().to_string());
            }
        }
    }
    match camera.named("clip").next() {
        Some(planes) => clip(planes, component, problems),
        None if component.kind == "depth_camera" => {
            // The planes of SDF, not those of the component.
            component.set("near", "0.1");
            component.set("far", "100");
        }
        None => {}
    }
    if let Some(lens) = camera.named("distortion").next() {
        let factor = Bounds::within(1000.0);
        let names = ["k1", "k2", "p1", "p2", "k3"];
        let all = names.map(|name| fields::number(lens, name, factor, problems).unwrap_or(0.0));
        if all != [0.0; 5] && component.kind == "video_camera" {
            component.set("distortion", &format!("{all:?}"));
        }
    }
}

/// Sets the horizontal field of view.
fn fov(camera: &Element, component: &mut Component, problems: &mut Problems) {
    let bounds = Bounds::between(0.001, 6.3);
    if let Some(fov) = fields::number(camera, "horizontal_fov", bounds, problems) {
        component.set("fov", &fov.min(3.13).to_string());
    }
}

/// Sets the least and the greatest depth.
fn clip(planes: &Element, component: &mut Component, problems: &mut Problems) {
    for name in ["near", "far"] {
        let depth = fields::number(planes, name, Bounds::between(1e-6, 1e8), problems);
        if let Some(depth) = depth {
            component.set(name, &depth.to_string());
        }
    }
}
