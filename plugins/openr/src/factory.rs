//! Factories: what makes the objects that a stick names by their files.
use std::{collections::BTreeMap, sync::Arc};

use bevy::prelude::App;
use morse_api::middleware::Offers;

use crate::cell::Part;

/// Makes an object, with the interface and priority that it has unless a stick says otherwise.
pub type Factory = Arc<dyn Fn() -> Part + Send + Sync>;

/// Factories by the name of the file that they stand for, in capitals: `LEGS.BIN`.
#[derive(Clone, Default)]
pub struct Factories {
    /// Objects that sticks may name.
    pub objects: BTreeMap<String, Factory>,
    /// Objects that are there on each robot, before those of the stick.
    pub system: Vec<Factory>,
}

/// Registers objects.
pub trait AddObject {
    /// Makes an object known by the name of its file: `LEGS.BIN`.
    fn add_object(
        &mut self,
        bin: &str,
        make: impl Fn() -> Part + Send + Sync + 'static,
    ) -> &mut Self;

    /// Adds an object of the system: it is there whatever a stick says.
    fn add_system_object(&mut self, make: impl Fn() -> Part + Send + Sync + 'static) -> &mut Self;
}

impl AddObject for App {
    fn add_object(
        &mut self,
        bin: &str,
        make: impl Fn() -> Part + Send + Sync + 'static,
    ) -> &mut Self {
        change(self, |factories| {
            let bin = bin.to_ascii_uppercase();
            factories.objects.insert(bin, Arc::new(make));
        })
    }

    fn add_system_object(&mut self, make: impl Fn() -> Part + Send + Sync + 'static) -> &mut Self {
        change(self, |factories| factories.system.push(Arc::new(make)))
    }
}

fn change(app: &mut App, change: impl FnOnce(&mut Factories)) -> &mut App {
    let mut offers = app.world_mut().get_resource_or_init::<Offers>();
    offers.change(change);
    app
}
