//! View of the user, which clients of MORSE read and set: its first-person camera.
use bevy::prelude::*;
use morse_api::{
    angles::from_yaw_pitch_roll,
    prelude::{Deserialize, Reflect},
    service::{AddService as _, NoArguments, Outcome, Service, ServiceError},
};
use serde_json::json;

use super::Itself;

type Matrix = [[f64; 4]; 4];

type Answer = fn(&mut World, Entity, NoArguments) -> Result<Outcome, ServiceError>;

/// Viewpoint and projection of the user's view. Stored for renderers, and no state of the world.
#[derive(Resource, Clone, Debug, PartialEq)]
pub struct View {
    /// Pose in the world: the view direction is the -z axis, and the y axis points up.
    pub transform: Matrix,
    /// Projection matrix, in the convention of OpenGL.
    pub projection: Matrix,
    /// Far clipping distance, m.
    pub far_clip: f64,
}

impl Default for View {
    /// The view of MORSE's builder.
    #[expect(clippy::approx_constant, reason = "the digits of MORSE's builder")]
    fn default() -> Self {
        let turned = from_yaw_pitch_roll([0.7854, 0.0, 0.7854]).to_rotation_matrix();
        let turned = turned.matrix();
        let mut transform = [[0.0; 4]; 4];
        for ((row, coordinate), axis) in transform.iter_mut().zip([5.0, -5.0, 5.0]).zip(0..3) {
            for (value, of) in row.iter_mut().zip(turned.row(axis).iter()) {
                *value = *of;
            }
            row[3] = coordinate;
        }
        transform[3][3] = 1.0;
        // A lens of 20 mm before a sensor of 32 mm by 24 mm.
        let (near, far) = (0.1, 100.0);
        let projection = [
            [2.0 * 20.0 / 32.0, 0.0, 0.0, 0.0],
            [0.0, 2.0 * 20.0 / 24.0, 0.0, 0.0],
            [
                0.0,
                0.0,
                -(far + near) / (far - near),
                -2.0 * far * near / (far - near),
            ],
            [0.0, 0.0, -1.0, 0.0],
        ];
        Self {
            transform,
            projection,
            far_clip: far,
        }
    }
}

impl View {
    fn position(&self) -> [f64; 3] {
        let [x, y, z, _] = self.transform.map(|row| row[3]);
        [x, y, z]
    }
}

/// Arguments of `set_camarafp_far_clip`.
#[derive(Reflect, Deserialize)]
struct Far {
    /// Far clipping distance, m.
    far_clip: f64,
}

/// Arguments of `set_camarafp_position`.
#[derive(Reflect, Deserialize)]
struct Position {
    /// Position in the world, m.
    position: [f64; 3],
}

/// Arguments of the services that take a matrix.
#[derive(Reflect, Deserialize)]
struct Rows {
    /// Four rows with four numbers.
    rows: Matrix,
}

pub(super) fn add(app: &mut App) {
    app.init_resource::<View>();
    let reads: [(_, _, Answer); 3] = [
        (
            "get_camarafp_position",
            "Returns the position of the view, m.",
            |world, _, _| Ok(Outcome::Done(json!(world.resource::<View>().position()))),
        ),
        (
            "get_camarafp_transform",
            "Returns the pose of the view as the four rows of a matrix.",
            |world, _, _| Ok(Outcome::Done(json!(world.resource::<View>().transform))),
        ),
        (
            "get_camarafp_projection_matrix",
            "Returns the projection of the view as the four rows of a matrix.",
            |world, _, _| Ok(Outcome::Done(json!(world.resource::<View>().projection))),
        ),
    ];
    for (name, docs, answer) in reads {
        app.add_service::<Itself>(Service::new(name, docs, answer).read_only());
    }
    add_changes(app);
}

fn add_changes(app: &mut App) {
    app.add_service::<Itself>(
        Service::new(
            "set_camarafp_far_clip",
            "Sets the far clipping distance of the view.",
            |world, _, Far { far_clip }| {
                if far_clip.is_nan() || far_clip <= 0.0 {
                    return Ok(Outcome::NOTHING);
                }
                world.resource_mut::<View>().far_clip = far_clip;
                Ok(Outcome::Done(far_clip.into()))
            },
        )
        .returns("the distance, or nothing if it is none"),
    )
    .add_service::<Itself>(
        Service::new(
            "set_camarafp_position",
            "Moves the view.",
            |world, _, Position { position }| {
                finite(&position)?;
                let mut view = world.resource_mut::<View>();
                for (row, value) in view.transform.iter_mut().zip(position) {
                    row[3] = value;
                }
                Ok(Outcome::Done(json!(position)))
            },
        )
        .returns("the position"),
    )
    .add_service::<Itself>(
        Service::new(
            "set_camarafp_transform",
            "Sets the pose of the view.",
            |world, _, Rows { rows }| {
                finite(rows.as_flattened())?;
                world.resource_mut::<View>().transform = rows;
                Ok(Outcome::Done(json!(rows)))
            },
        )
        .returns("the matrix"),
    )
    .add_service::<Itself>(
        Service::new(
            "set_camarafp_projection_matrix",
            "Sets the projection of the view.",
            |world, _, Rows { rows }| {
                finite(rows.as_flattened())?;
                world.resource_mut::<View>().projection = rows;
                Ok(Outcome::Done(json!(rows)))
            },
        )
        .returns("the matrix"),
    );
}

fn finite(numbers: &[f64]) -> Result<(), ServiceError> {
    if numbers.iter().all(|number| number.is_finite()) {
        Ok(())
    } else {
        Err(ServiceError::Failed("a number is not finite".to_owned()))
    }
}
