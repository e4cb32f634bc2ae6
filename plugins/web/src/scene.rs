//! Constant data of the world, which viewers receive once: `scene.json`, and the triangles of meshes.
use morse_api::{
    body::BodyKind,
    lighting::Lighting,
    port::Observer,
    world_view::{ComponentInfo, ScaledMesh, Shape, ShapeInfo, Triangles, WorldView},
};
use nalgebra::{Isometry3, Point3, Vector3};
use serde_json::{Value as Json, json};

/// Returns the scene as JSON. Poses are `[x, y, z, qx, qy, qz, qw]`; sensors have their index among all sensors.
pub(crate) fn json(world_view: &WorldView) -> Vec<u8> {
    let scenery = &world_view.scenery;
    let bodies = scenery.bodies.iter().map(|body| {
        json!({
            "name": body.name, "robot": body.robot, "pose": pose(&body.pose),
            "kind": match body.kind {
                BodyKind::Dynamic => "dynamic",
                BodyKind::Fixed => "fixed",
                BodyKind::Kinematic => "kinematic",
            },
        })
    });
    let frames = scenery.frames.iter().map(|frame| {
        json!({ "name": frame.name, "body": frame.body, "pose": pose(&frame.body_from_frame) })
    });
    let robots = scenery
        .robots
        .iter()
        .map(|robot| json!({ "name": robot.name, "body": robot.body }));
    let components = scenery
        .components
        .iter()
        .map(|component| of_component(component, &world_view.sensors));
    let lamps = scenery.lamps.iter();
    let lamps = lamps.filter_map(|index| Some(of_lamp(scenery.components.get(*index)?)));
    let first = world_view.sensors.len();
    let graphs = world_view.graphs.iter().enumerate();
    let graphs = graphs.map(|(index, (name, _))| json!({ "name": name, "channel": first + index }));
    let scene = json!({
        "name": scenery.name,
        "rate": scenery.rate,
        "light": light(&scenery.lighting),
        "view": {
            "eye": point(&world_view.view.eye), "target": point(&world_view.view.target),
            "angle": world_view.lens.angle, "near": world_view.lens.near, "far": world_view.lens.far,
            "selected": world_view.selected,
        },
        "bodies": bodies.collect::<Vec<_>>(),
        "shapes": scenery.shapes.iter().map(of_shape).collect::<Vec<_>>(),
        "meshes": scenery.meshes.len(),
        "frames": frames.collect::<Vec<_>>(),
        "robots": robots.collect::<Vec<_>>(),
        "components": components.collect::<Vec<_>>(),
        "lamps": lamps.collect::<Vec<_>>(),
        "graphs": graphs.collect::<Vec<_>>(),
    });
    scene.to_string().into_bytes()
}

fn point(point: &Point3<f64>) -> Json {
    json!([point.x, point.y, point.z])
}

/// Returns the direction of the sun and the sum of all light (linear).
fn light(lighting: &Lighting) -> Json {
    let [above, below] = lighting.ambient.light();
    let towards: [f64; 3] = Vector3::from(lighting.sun.direction).normalize().into();
    json!({
        "direction": towards.map(short),
        "sun": lighting.sun.light(), "above": above, "below": below,
    })
}

fn of_lamp(component: &ComponentInfo) -> Json {
    json!({ "body": component.body, "pose": pose(&component.body_from_component) })
}

fn of_component(component: &ComponentInfo, sensors: &[Observer]) -> Json {
    let mut json = json!({
        "path": component.path, "robot": component.robot, "kind": component.kind,
        "role": if component.is_sensor { "sensor" } else { "actuator" },
        "frequency": component.frequency,
        "body": component.body, "pose": pose(&component.body_from_component),
    });
    let index = sensors
        .iter()
        .position(|sensor| *sensor.info.path == *component.path);
    if let Some((index, sensor)) = index.and_then(|index| Some((index, sensors.get(index)?))) {
        let fields = sensor.info.fields.0.iter().map(|field| {
            json!({ "name": field.name, "unit": field.unit, "docs": field.docs, "flat": field.is_flat })
        });
        json["sensor"] = index.into();
        json["level"] = sensor.info.level.into();
        json["fields"] = fields.collect::<Vec<_>>().into();
    }
    json
}

fn of_shape(shape: &ShapeInfo) -> Json {
    let form = match &shape.shape {
        Shape::Box { dimension } => json!({ "box": dimension.map(short) }),
        Shape::Sphere { radius } => json!({ "sphere": short(*radius) }),
        Shape::Cylinder { radius, height } => {
            let cone = [radius, radius, height].map(|value| short(*value));
            json!({ "cone": cone })
        }
        Shape::Cone {
            start_radius,
            end_radius,
            height,
        } => {
            let cone = [start_radius, end_radius, height].map(|value| short(*value));
            json!({ "cone": cone })
        }
        Shape::Capsule { radius, height } => {
            let capsule = [radius, height].map(|value| short(*value));
            json!({ "capsule": capsule })
        }
        Shape::Grid {
            dimension,
            delta,
            thickness,
        } => json!({ "grid": [dimension[0], dimension[1], delta[0], delta[1], *thickness] }),
        Shape::Mesh(ScaledMesh { mesh, scale }) => json!({ "mesh": mesh, "scale": short(*scale) }),
    };
    json!({
        "body": shape.body, "pose": pose(&shape.body_from_shape), "form": form,
        "color": shape.color.map(short),
    })
}

fn pose(pose: &Isometry3<f64>) -> [f64; 7] {
    let (at, turned) = (&pose.translation.vector, &pose.rotation.coords);
    [at.x, at.y, at.z, turned.x, turned.y, turned.z, turned.w].map(short)
}

/// Rounds a number to the digits that an image needs.
fn short(number: f64) -> f64 {
    (number as f32).to_string().parse().unwrap_or(number)
}

/// Returns triangles as bytes, little-endian: number of vertices, faces and parts (3 u32), vertices (3 f32 each), faces (3
/// u32 each), parts: first face and end (2 u32 each), and red, green and blue (3 f32, sRGB). Other faces have the colour of the
/// shape.
pub(crate) fn mesh(triangles: &Triangles) -> Vec<u8> {
    let mut out = Vec::with_capacity(12 + 12 * (triangles.vertices.len() + triangles.faces.len()));
    out.extend((triangles.vertices.len() as u32).to_le_bytes());
    out.extend((triangles.faces.len() as u32).to_le_bytes());
    out.extend((triangles.parts.len() as u32).to_le_bytes());
    out.extend(
        triangles
            .vertices
            .as_flattened()
            .iter()
            .flat_map(|value| value.to_le_bytes()),
    );
    out.extend(
        triangles
            .faces
            .as_flattened()
            .iter()
            .flat_map(|corner| corner.to_le_bytes()),
    );
    for part in &triangles.parts {
        let faces = [part.faces.start, part.faces.end];
        out.extend(faces.iter().flat_map(|face| (*face as u32).to_le_bytes()));
        let color = part.color.iter();
        out.extend(color.flat_map(|channel| (*channel as f32).to_le_bytes()));
    }
    out
}

#[cfg(test)]
mod tests {
    use morse_api::world_view::{Gloss, Part};

    use super::*;

    #[test]
    fn numbers_are_short() {
        for (number, text) in [
            (0.9, "0.9"),
            (1.0 / 3.0, "0.33333334"),
            (-0.0, "-0.0"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(json!(short(number)).to_string(), text);
        }
    }

    #[test]
    fn light_is_linear() {
        let mut lighting = Lighting::default();
        lighting.sun.direction = [0.0, -2.0, 0.0];
        lighting.sun.color = [1.0, 0.0, 1.0];
        lighting.sun.strength = 0.5;
        lighting.ambient.above = [0.0; 3];
        let json = light(&lighting);
        assert_eq!(json["direction"], json!([0.0, -1.0, 0.0]));
        assert_eq!(json["sun"], json!([0.5, 0.0, 0.5]));
        assert_eq!(json["above"], json!([0.0, 0.0, 0.0]));
    }

    #[test]
    fn triangles() {
        let one = Triangles {
            vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            faces: vec![[0, 1, 2]],
            parts: vec![Part {
                faces: 0..1,
                color: [0.0, 0.5, 1.0],
                image: None,
                gloss: Gloss::default(),
            }],
            ..Triangles::default()
        };
        let bytes = mesh(&one);
        assert_eq!(bytes.len(), 12 + 36 + 12 + 20);
        assert_eq!(bytes[..12], [3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(bytes[24..28], 1.0_f32.to_le_bytes());
        assert_eq!(bytes[48..60], [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[60..68], [0, 0, 0, 0, 1, 0, 0, 0]);
        assert_eq!(bytes[72..76], 0.5_f32.to_le_bytes());
    }
}
