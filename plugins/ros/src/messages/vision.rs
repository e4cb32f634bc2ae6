//! Compressed images, and objects in the view of cameras.
use serde::{Deserialize, Serialize};

use super::{Bytes, Definition, Header, Message, Pose, PoseWithCovariance, Vector};

messages! {
    /// Image in the format of a file.
    "sensor_msgs" CompressedImage {
        /// Time stamp and frame.
        header: Header,
        /// Format of the data: `png`, or with `jpeg` and the colours.
        format: String,
        /// The file.
        data: Bytes,
    }
    /// Class of an object, and its probability.
    "vision_msgs" ObjectHypothesis {
        /// The class.
        class_id: String,
        /// Probability, 0 to 1.
        score: f64,
    }
    /// Class and pose of an object.
    "vision_msgs" ObjectHypothesisWithPose {
        /// The class.
        hypothesis: ObjectHypothesis,
        /// The pose.
        pose: PoseWithCovariance,
    }
    /// Box around an object.
    "vision_msgs" BoundingBox3D {
        /// Pose of the centre.
        center: Pose,
        /// Side lengths, m; zeros if they are unknown.
        size: Vector,
    }
    /// An object.
    "vision_msgs" Detection3D {
        /// Time stamp and frame.
        header: Header,
        /// Classes that it may have.
        results: Vec<ObjectHypothesisWithPose>,
        /// Box around it.
        bbox: BoundingBox3D,
        /// Name of the object.
        id: String,
    }
    /// Objects.
    "vision_msgs" Detection3DArray {
        /// Time stamp and frame.
        header: Header,
        /// The objects.
        detections: Vec<Detection3D>,
    }
}
