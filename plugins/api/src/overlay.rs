//! Overlays: services that rename or combine the services of a component.
//!
//! An overlay is a component with its own path that lies over another component of its robot, or over the robot itself. Its
//! services are registered as those of all components; a handler forwards requests to the component below by [`pass_on`].
//! Overlays have services only, neither data nor commands.
use bevy::{ecs::component::Mutable, prelude::*, reflect::Typed};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use crate::{
    check::CheckError,
    component::ComponentPath,
    kind::{About, ErasedSettings, KindOf, Kinds, OverlayKind, Role, claim, demand},
    service::{self, Outcome, OwnServices, ServiceError, Task},
    settings::{self, SettingsOf},
    state::AddState as _,
};

/// A kind of overlay. The type itself holds the settings.
pub trait Overlay: Component<Mutability = Mutable> + Clone + DeserializeOwned + Typed {
    /// Name of the kind in simulation files.
    const KIND: &'static str;
    /// True if it lies over a robot itself, and also answers under the robot's name; false if it lies over one of the
    /// robot's components.
    const OVER_ROBOT: bool = false;

    /// Prepares an overlay once the components below it exist: checks its requirements, and adds services that depend on its
    /// settings ([`OwnServices`]).
    ///
    /// # Errors
    ///
    /// The unmet requirement, and how to meet it, as a message for the user.
    fn install(&self, _world: &mut World, _overlay: Entity) -> Result<(), CheckError> {
        Ok(())
    }
}

/// Marks overlays, and inserts the components that they have in common.
#[derive(Component, Clone, Copy, Default)]
#[require(OwnServices, Task)]
pub struct IsOverlay;

/// Path of the component over which an overlay lies, or of the robot.
#[derive(Component, Clone)]
pub struct Over(pub ComponentPath);

/// Forwards a request to a service of the component below; see [`service::pass_on`].
///
/// # Errors
///
/// The other service refused the request.
pub fn pass_on(
    world: &mut World,
    overlay: Entity,
    service: &str,
    arguments: &Json,
) -> Result<Outcome, ServiceError> {
    let Some(Over(below)) = world.get::<Over>(overlay).cloned() else {
        return Err(ServiceError::Failed(
            "this overlay has no component".to_owned(),
        ));
    };
    service::pass_on(world, below.as_str(), service, arguments)
}

/// Registers overlays.
pub trait AddOverlay {
    /// Registers the kind `O` under its name.
    ///
    /// # Panics
    ///
    /// Two kinds of overlay have the same name; or the settings have a field that makes runs differ from each other, such as
    /// an unordered map.
    fn add_overlay<O: Overlay>(&mut self) -> &mut Self;
}

impl AddOverlay for App {
    fn add_overlay<O: Overlay>(&mut self) -> &mut Self {
        demand(Role::Settings, O::KIND, O::type_info());
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
