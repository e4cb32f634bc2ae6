//! Overlays: services of one's own over those of a component, under other names or made of several.
//!
//! An overlay is a component of its own path that lies over another one of its robot, or over the robot itself. Its services are
//! registered as those of all components; a handler asks the component below by [`pass_on`]. Only
//! services have overlays, data and commands do not.
use bevy::{ecs::component::Mutable, prelude::*, reflect::Typed};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::{
    check::CheckError,
    component::Path,
    kind::{About, ErasedSettings, KindOf, Kinds, OverlayKind, Part, claim, demand},
    service::{self, Outcome, OwnServices, ServiceError, Task},
    settings::{self, SettingsOf},
    state::AddState as _,
};

/// A kind of overlay. The type itself holds the settings.
pub trait Overlay: Component<Mutability = Mutable> + Clone + DeserializeOwned + Typed {
    /// The word for it in simulation files.
    const KIND: &'static str;
    /// True if it lies over a robot itself, and answers under the robot's name, too; else it lies over one of
    /// the robot's components.
    const OVER_ROBOT: bool = false;

    /// Prepares an overlay, once everything below it is there: checks what it needs, and adds services
    /// that depend on its settings ([`OwnServices`]).
    ///
    /// # Errors
    ///
    /// What is missing, and how to provide it, for the user to read.
    fn install(&self, _world: &mut World, _overlay: Entity) -> Result<(), CheckError> {
        Ok(())
    }
}

/// Marks overlays, and gives them their common part.
#[derive(Component, Clone, Copy, Default)]
#[require(OwnServices, Task)]
pub struct IsOverlay;

/// The component that an overlay lies over, or the robot.
#[derive(Component, Clone)]
pub struct Over(pub Path);

/// Lets a service of the component below answer; see [`service::pass_on`].
///
/// # Errors
///
/// What the other service refused.
pub fn pass_on(
    world: &mut World,
    overlay: Entity,
    service: &str,
    arguments: &Json,
) -> Result<Outcome, ServiceError> {
    let Some(Over(below)) = world.get::<Over>(overlay).cloned() else {
        return Err(ServiceError::Failed(
            "this overlay lies over nothing".to_owned(),
        ));
    };
    service::pass_on(world, below.as_str(), service, arguments)
}

/// Registers overlays.
pub trait AddOverlay {
    /// Makes `O` known under its word.
    ///
    /// # Panics
    ///
    /// Two kinds of overlay claim the same word; or the settings have a field that would make a run differ from the next
    /// one, such as an unordered map.
    fn add_overlay<O: Overlay>(&mut self) -> &mut Self;
}

impl AddOverlay for App {
    fn add_overlay<O: Overlay>(&mut self) -> &mut Self {
        demand(Part::Settings, O::KIND, O::type_info());
        self.register_state::<Task>();
        let world = self.world_mut();
        settings::register(world);
        world.register_required_components::<O, IsOverlay>();
        let kind = OverlayKind {
            about: About::of::<O>(),
            insert: insert::<O>,
            over_robot: O::OVER_ROBOT,
            install: |world, overlay| match world.get::<O>(overlay).cloned() {
                Some(settings) => settings.install(world, overlay),
                None => Ok(()),
            },
        };
        claim(
            &mut world.get_resource_or_init::<Kinds>().overlays,
            O::KIND,
            kind,
        );
        self
    }
}

fn insert<O: Overlay>(entity: &mut EntityWorldMut<'_>, settings: &ErasedSettings) {
    if let Some(own) = settings.downcast_ref::<O>() {
        let access = SettingsOf::new::<O>(settings.clone(), |_, _| Ok(()));
        entity.insert((own.clone(), access, KindOf(O::KIND)));
    }
}
