//! Segmentation images: instance and class of each pixel.
use bevy::prelude::IntoScheduleConfigs as _;
use morse_api::{
    object::Objects,
    prelude::*,
    render::{Channels, Label, Renderer},
    samples::Samples,
};

use crate::camera::{self, Camera, Lens, PictureBuffers, View, lens::camera};

camera! {
    /// Camera whose pixels are indices of instances and of classes; 0 means no instance, or no known class.
    ///
    /// An instance is a robot with all its components, or a frame of the scene. Its classes are those that its geometry
    /// inherits from (`isa`), the type that the simulation file assigns to it under `objects`, and `robot`. Objects that are
    /// mostly transparent (alpha below 0.5) are ignored.
    SegmentationCamera: 256 by 256, focal 0.035 m, from 0.1 to 100.0 m, top row first true;
    /// Classes in the order of their indices, from 1; an instance of several classes has the first one. By default all
    /// existing classes, sorted.
    classes: Vec<String> = Vec::new(),
}

/// One frame.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SegmentationCameraData {
    /// Rows of the image.
    pub height: u32,
    /// Columns of the image.
    pub width: u32,
    /// Index of the instance at each pixel, 16-bit numbers, row by row.
    pub instances: Samples<u16>,
    /// Index of the class at each pixel, 16-bit numbers, row by row.
    pub classes: Samples<u16>,
    /// Names of the instances, from index 1 on, sorted.
    pub instance_names: Vec<String>,
    /// Names of the classes, from index 1 on.
    pub class_names: Vec<String>,
    /// Intrinsic matrix: maps points at depth 1 to columns and rows.
    #[reflect(@Unit("px"), @Fixed)]
    pub intrinsic_matrix: [[f64; 3]; 3],
    /// Distortion of the lens: k1, k2, p1, p2 and k3 of ROS's `plumb_bob`.
    #[reflect(@Unit(""), @Fixed)]
    pub distortion: [f64; 5],
}

impl Clone for SegmentationCameraData {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Self) {
        (self.height, self.width) = (source.height, source.width);
        self.instances.clone_from(&source.instances);
        self.classes.clone_from(&source.classes);
        self.instance_names.clone_from(&source.instance_names);
        self.class_names.clone_from(&source.class_names);
        self.intrinsic_matrix = source.intrinsic_matrix;
        self.distortion = source.distortion;
    }
}

/// Indices of instance and class of each geometry, by its index in images. Derived from scene and settings.
#[derive(Component, Default)]
struct Names {
    numbers: Vec<[u16; 2]>,
    instances: Vec<String>,
    classes: Vec<String>,
}

impl Sensor for SegmentationCamera {
    const KIND: &'static str = "segmentation_camera";
    const FREQUENCY: Option<f64> = Some(20.0);
    type Data = SegmentationCameraData;

    fn memory(&self, level: &str) -> Memory {
        camera::memory(self, level)
    }

    fn check(&self, _: &World, _: Entity) -> Result<(), CheckError> {
        self.lens().check()
    }
}

impl Camera for SegmentationCamera {
    fn lens(&self) -> Lens {
        self.common()
    }

    fn views(&self, _: &str, views: &mut Vec<View>) {
        views.push(View::ahead(Channels {
            things: true,
            ..Channels::default()
        }));
    }

    fn write_data(
        &self,
        _: &str,
        lens: &Lens,
        buffers: &mut PictureBuffers,
        data: &mut SegmentationCameraData,
    ) {
        (data.height, data.width) = (lens.height, lens.width);
        data.intrinsic_matrix = lens.intrinsic_matrix();
        data.distortion = lens.distortion;
        if let [picture] = buffers.pictures.as_mut_slice() {
            camera::flip(&mut picture.things, lens);
        }
    }
}

pub(super) fn plugin(app: &mut App) {
    camera::prepare::<SegmentationCamera>(app);
    app.register_required_components::<SegmentationCamera, Names>();
    app.init_resource::<Objects>()
        .add_sensor::<SegmentationCamera, _>(|| {
            (camera::render_views::<SegmentationCamera>, learn, name).chain()
        });
}

/// Computes the indices once.
fn learn(
    renderer: Option<Res<Renderer>>,
    objects: Res<Objects>,
    labels: Query<&Label>,
    mut cameras: Query<(&SegmentationCamera, &Due, &mut Names)>,
) {
    for (settings, due, mut names) in &mut cameras {
        if let (true, Some(renderer)) = (due.0 && names.numbers.is_empty(), renderer.as_deref()) {
            let geometry = renderer.0.geometry().into_iter();
            let known: Vec<Known> = geometry
                .map(|entity| Known::of(entity, &labels, &objects))
                .collect();
            *names = Names::new(&settings.classes, &known);
        }
    }
}

/// Instance and classes of a geometry.
struct Known {
    instance: String,
    classes: Vec<String>,
}

impl Known {
    fn of(entity: Entity, labels: &Query<&Label>, objects: &Objects) -> Self {
        let label = labels.get(entity).ok();
        let mut classes = label.map_or_else(Vec::new, |label| label.classes.to_vec());
        let of = objects.all().iter().filter(|object| object.owns(entity));
        classes.extend(of.map(|object| object.kind.clone()));
        Self {
            instance: label.map_or_else(String::new, |label| label.instance.to_string()),
            classes,
        }
    }
}

impl Names {
    /// Assigns indices to instances by their names, and to classes by their indices in a list, or else by their names.
    fn new(wanted: &[String], known: &[Known]) -> Self {
        let instances = sorted(known.iter().map(|known| &known.instance));
        let classes = if wanted.is_empty() {
            sorted(known.iter().flat_map(|known| &known.classes))
        } else {
            wanted.to_vec()
        };
        let number = |index: Option<usize>| {
            let number = index.and_then(|index| u16::try_from(index + 1).ok());
            number.unwrap_or(0)
        };
        let numbers = known.iter().map(|known| {
            let instance = instances.iter().position(|name| *name == known.instance);
            let class = classes
                .iter()
                .position(|class| known.classes.contains(class));
            [number(instance), number(class)]
        });
        Self {
            numbers: std::iter::once([0, 0]).chain(numbers).collect(),
            instances,
            classes,
        }
    }
}

fn sorted<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    let names: std::collections::BTreeSet<&String> = names.collect();
    names.into_iter().cloned().collect()
}

/// Writes the indices into the pixels.
fn name(
    mut cameras: Query<
        (&Due, &PictureBuffers, &Names, &mut SegmentationCameraData),
        With<SegmentationCamera>,
    >,
) {
    for (due, buffers, names, mut data) in &mut cameras {
        let (true, [picture]) = (due.0, buffers.pictures.as_slice()) else {
            continue;
        };
        let data = &mut *data;
        for (index, image) in [&mut data.instances, &mut data.classes]
            .into_iter()
            .enumerate()
        {
            image.rewrite(|image| {
                image.clear();
                image.extend(picture.things.iter().map(|&thing| {
                    let numbers = names.numbers.get(usize::from(thing));
                    numbers.map_or(0, |numbers| numbers[index])
                }));
            });
        }
        data.instance_names.clone_from(&names.instances);
        data.class_names.clone_from(&names.classes);
    }
}
