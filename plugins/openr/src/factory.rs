//! Factories, which create the objects that a memory stick refers to by file name.
use std::{collections::BTreeMap, sync::Arc};

use bevy::prelude::App;
use morse_api::middleware::Offers;

use crate::object_runner::ObjectInstance;

/// Creates an object, with its default interface and priority, which a stick may override.
pub type Factory = Arc<dyn Fn() -> ObjectInstance + Send + Sync>;

/// Factories by the name of the file that they replace, in capitals: `LEGS.BIN`.
#[derive(Clone, Default)]
pub struct Factories {
    /// Objects that sticks may refer to.
    pub objects: BTreeMap<String, Factory>,
    /// Objects that exist on each robot, before those of the stick.
    pub system: Vec<Factory>,
}

/// Registers objects.
pub trait AddObject {
    /// Registers an object under the name of its file: `LEGS.BIN`.
    fn add_object(
        &mut self,
        bin: &str,
        make: impl Fn() -> ObjectInstance + Send + Sync + 'static,
    ) -> &mut Self;

    /// Registers a system object, which exists whatever the stick contains.
    fn add_system_object(
        &mut self,
        make: impl Fn() -> ObjectInstance + Send + Sync + 'static,
    ) -> &mut Self;
}

impl AddObject for App {
    fn add_object(
        &mut self,
        bin: &str,
        make: impl Fn() -> ObjectInstance + Send + Sync + 'static,
    ) -> &mut Self {
        change(self, |factories| {
            let bin = bin.to_ascii_uppercase();
            factories.objects.insert(bin, Arc::new(make));
        })
    }

    fn add_system_object(
        &mut self,
        make: impl Fn() -> ObjectInstance + Send + Sync + 'static,
    ) -> &mut Self {
        change(self, |factories| factories.system.push(Arc::new(make)))
    }
}

fn change(app: &mut App, change: impl FnOnce(&mut Factories)) -> &mut App {
    let mut offers = app.world_mut().get_resource_or_init::<Offers>();
    offers.change(change);
    app
}
