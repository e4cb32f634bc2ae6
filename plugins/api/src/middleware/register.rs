//! Registration of kinds of middleware.
use bevy::{prelude::*, reflect::Typed as _};

use super::{ErasedContext, Failure, Middleware, MiddlewareContext, Running, prospect::examine};
use crate::kind::{About, ErasedSettings, Kinds, MiddlewareKind, Role, claim, demand};

/// Registers middlewares.
pub trait AddMiddleware {
    /// Registers the kind `W` under its name.
    ///
    /// # Panics
    ///
    /// Two kinds of middleware have the same name; or settings have a field that makes runs differ from each other, such as
    /// an unordered map.
    fn add_middleware<W: Middleware>(&mut self) -> &mut Self;
}

impl AddMiddleware for App {
    fn add_middleware<W: Middleware>(&mut self) -> &mut Self {
        demand(Role::Settings, W::KIND, W::type_info());
        demand(Role::Settings, W::KIND, W::Output::type_info());
        demand(Role::Settings, W::KIND, W::Input::type_info());
        let kind = MiddlewareKind {
            about: About::of::<W>(),
            output: About::of::<W::Output>(),
            input: About::of::<W::Input>(),
            default_policy: W::DEFAULT_POLICY,
            views_world: W::VIEWS_WORLD,
            runs_objects: W::RUNS_OBJECTS,
            examine: examine::<W>,
            start: start::<W>,
        };
        claim(
            &mut self.world_mut().get_resource_or_init::<Kinds>().middlewares,
            W::KIND,
            kind,
        );
        self
    }
}

fn start<W: Middleware>(
    settings: &ErasedSettings,
    context: ErasedContext,
) -> Result<Box<dyn Running>, Failure> {
    let Some(middleware) = settings.downcast_ref::<W>() else {
        let name = context.name;
        return Err(Failure::Environment(format!(
            "`{name}`: settings of another kind"
        )));
    };
    middleware.start(context.typed()?)
}

impl ErasedContext {
    /// Returns the context with the types of the settings of outputs and inputs.
    ///
    /// # Errors
    ///
    /// The settings have other types.
    pub fn typed<O: Clone + 'static, I: Clone + 'static>(
        self,
    ) -> Result<MiddlewareContext<O, I>, Failure> {
        fn typed<T: Clone + 'static, P>(
            (end, settings): (P, ErasedSettings),
        ) -> Result<(P, T), Failure> {
            let settings = settings.downcast_ref::<T>().cloned();
            settings
                .map(|settings| (end, settings))
                .ok_or_else(|| Failure::Environment("settings of another kind".to_owned()))
        }
        Ok(MiddlewareContext {
            outputs: self
                .outputs
                .into_iter()
                .map(typed)
                .collect::<Result<_, _>>()?,
            inputs: self
                .inputs
                .into_iter()
                .map(typed)
                .collect::<Result<_, _>>()?,
            name: self.name,
            directory: self.directory,
            services: self.services,
            requests: self.requests,
            wake: self.wake,
            gate: self.gate,
            world_view: self.world_view,
            graph: self.graph,
            offers: self.offers,
        })
    }
}
