//! Objects in the view of a semantic camera.
use morse_api::{fields::data_to_json, reading::SensorInfo};
use serde_json::Value as Json;

use crate::{
    data::Sample,
    messages::{
        BoundingBox3D, Detection3D, Detection3DArray, ObjectHypothesis, ObjectHypothesisWithPose,
        Point, Pose, PoseWithCovariance, Quaternion,
    },
    pictures,
};

/// Field of the data with the objects.
const OBJECTS: &str = "visible_objects";

/// Returns true if the readings of a sensor are objects.
pub(crate) fn is_detector(info: &SensorInfo) -> bool {
    info.fields.get(OBJECTS).is_some()
}

/// Returns the objects: in the axes of images if the camera has `relative`, otherwise in `map`.
pub(crate) fn detections(sample: &Sample<'_>) -> Detection3DArray {
    let is_relative = sample.info.settings.get("relative").and_then(Json::as_bool);
    let header = sample.header(match is_relative {
        Some(true) => pictures::frame(&sample.info.path, ""),
        _ => "map".to_owned(),
    });
    let data = data_to_json(&sample.info.fields, sample.reading.data());
    let objects = data.get(OBJECTS).and_then(Json::as_array);
    let detections = objects.into_iter().flatten().map(|object| {
        let pose = pose(object);
        let result = ObjectHypothesisWithPose {
            hypothesis: ObjectHypothesis {
                class_id: text(object, "type"),
                score: 1.0,
            },
            pose: PoseWithCovariance {
                pose: pose.clone(),
                ..PoseWithCovariance::default()
            },
        };
        Detection3D {
            header: header.clone(),
            results: vec![result],
            bbox: BoundingBox3D {
                center: pose,
                ..BoundingBox3D::default()
            },
            id: text(object, "name"),
        }
    });
    Detection3DArray {
        detections: detections.collect(),
        header,
    }
}

fn text(object: &Json, name: &str) -> String {
    object[name].as_str().unwrap_or_default().to_owned()
}

fn pose(object: &Json) -> Pose {
    let at = |index: usize| object["position"][index].as_f64().unwrap_or(f64::NAN);
    let coordinate = |name: &str| object["orientation"][name].as_f64().unwrap_or(f64::NAN);
    Pose {
        position: Point {
            x: at(0),
            y: at(1),
            z: at(2),
        },
        orientation: Quaternion {
            x: coordinate("x"),
            y: coordinate("y"),
            z: coordinate("z"),
            w: coordinate("w"),
        },
    }
}
