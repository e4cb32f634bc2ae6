//! Registration of kinds of middleware.
use bevy::{prelude::*, reflect::Typed as _};

use super::{ErasedContext, Failure, Middleware, MiddlewareContext, Running, prospect::examine};
use crate::kind::{About, ErasedSettings, Kinds, MiddlewareKind, Part, claim, demand};

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
        demand(Part::Settings, W::KIND, W::type_info());
        demand(Part::Settings, W::KIND, W::Output::type_info());
        demand(Part::Settings, W::KIND, W::Input::type_info());
        let kind = MiddlewareKind {
            about: About::of::<W>(),
            output: About::of::<W::Output>(),
            input: About::of::<W::Input>(),
            default_policy: W::DEFAULT_POLICY,
            views_world: W::VIEWS_WORLD,
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
    fn typed<T: Clone + 'static, P>(
        (end, settings): (P, ErasedSettings),
    ) -> Result<(P, T), Failure> {
        let settings = settings.downcast_ref::<T>().cloned();
        settings
            .map(|settings| (end, settings))
            .ok_or_else(|| Failure::Environment("settings of another kind".to_owned()))
    }
    let MiddlewareContext {
        name,
        directory,
        outputs,
        inputs,
        services,
        requests,
        wake,
        gate,
        world_view,
        offers,
    } = context;
    let Some(middleware) = settings.downcast_ref::<W>() else {
        return Err(Failure::Environment(format!(
            "`{name}`: settings of another kind"
        )));
    };
    middleware.start(MiddlewareContext {
        outputs: outputs.into_iter().map(typed).collect::<Result<_, _>>()?,
        inputs: inputs.into_iter().map(typed).collect::<Result<_, _>>()?,
        name,
        directory,
        services,
        requests,
        wake,
        gate,
        world_view,
        offers,
    })
}
