//! Other names and arguments of services, for compatibility with existing clients.
use std::{collections::BTreeMap, fmt, sync::Arc};

use bevy::reflect::TypeInfo;
use morse_api::{
    overlay::{AddOverlay as _, Over, Overlay, pass_on},
    prelude::*,
    service::{AnyValue, OwnServices, find, service_of, services_of},
};
use serde::{
    Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};
use serde_json::{Map, Value as Json};

/// Adds services that call those of a component under other names, with arguments in another order or with default values.
#[derive(Component, Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Rename {
    /// The new names, each with its service: `{ "move": "goto" }`, or with arguments `{ "move": (service: "goto", arguments:
    /// ["y", "x"], defaults: { "z": 0 }) }`.
    pub names: BTreeMap<String, Renamed>,
}

/// Meaning of a new name.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
pub struct Renamed {
    /// Service of the component.
    pub service: String,
    /// Names of the service's arguments, in the order of the new service's arguments; unchanged by default.
    pub arguments: Vec<String>,
    /// Values of arguments that the caller does not give.
    pub defaults: BTreeMap<String, AnyValue>,
}

/// The long form of [`Renamed`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Long {
    service: String,
    #[serde(default)]
    arguments: Vec<String>,
    #[serde(default)]
    defaults: BTreeMap<String, AnyValue>,
}

impl<'de> Deserialize<'de> for Renamed {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Renamed;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a service, or `(service: …)`")
            }

            fn visit_str<E>(self, service: &str) -> Result<Renamed, E> {
                Ok(Renamed {
                    service: service.to_owned(),
                    ..Renamed::default()
                })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Renamed, A::Error> {
                let Long {
                    service,
                    arguments,
                    defaults,
                } = Long::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Renamed {
                    service,
                    arguments,
                    defaults,
                })
            }
        }
        source.deserialize_any(Either)
    }
}

impl Overlay for Rename {
    const KIND: &'static str = "rename";

    fn install(&self, world: &mut World, overlay: Entity) -> Result<(), CheckError> {
        let path = world.get::<Over>(overlay).map(|over| over.0.clone());
        let below = path
            .as_ref()
            .and_then(|path| find(world, path.as_str()))
            .ok_or_else(|| CheckError::unmet("there is nothing below"))?;
        let mut services = Vec::new();
        for (name, renamed) in &self.names {
            services.push(Arc::new(renamed.over(world, below, name)?));
        }
        world.entity_mut(overlay).insert(OwnServices(services));
        Ok(())
    }
}

pub(super) fn plugin(app: &mut App) {
    app.add_overlay::<Rename>();
}

impl Renamed {
    /// Returns the service for a new name.
    fn over(&self, world: &World, below: Entity, name: &str) -> Result<Service, CheckError> {
        let wanted = &self.service;
        let path = world
            .get::<ComponentPath>(below)
            .cloned()
            .unwrap_or_default();
        let Some((_, target)) = service_of(world, below, wanted) else {
            let all = services_of(world, below);
            let all: Vec<&str> = all.iter().map(|service| &*service.name).collect();
            return Err(CheckError::unmet(format!(
                "`{path}` has no service `{wanted}`; it has {}",
                all.join(", ")
            )));
        };
        let known = names(target.arguments);
        let unknown = self
            .arguments
            .iter()
            .chain(self.defaults.keys())
            .find(|argument| !known.contains(&argument.as_str()));
        if let Some(argument) = unknown {
            return Err(CheckError::unmet(format!(
                "`{wanted}` of `{path}` has no argument `{argument}`; it takes {}",
                known.join(", ")
            )));
        }
        let (renamed, own_name) = (self.clone(), name.to_owned());
        let run = move |world: &mut World, overlay: Entity, given: &Json| {
            let given = renamed.translate((&*world, overlay), &own_name, &known, given)?;
            pass_on(world, overlay, &renamed.service, &given)
        };
        let docs = format!("{} (`{wanted}` of `{path}`.)", target.docs);
        let mut service = Service::untyped(name.to_owned(), docs, target.arguments, run)
            .returns(target.result.clone());
        service.acts = target.acts;
        Ok(if target.is_async {
            service.passed_on(None)
        } else {
            service
        })
    }

    /// Returns the arguments of the component's service; `known` are their names.
    fn translate(
        &self,
        (world, overlay): (&World, Entity),
        name: &str,
        known: &[&'static str],
        given: &Json,
    ) -> Result<Json, ServiceError> {
        if self.arguments.is_empty() && self.defaults.is_empty() {
            return Ok(given.clone());
        }
        let component = || {
            let path = world.get::<ComponentPath>(overlay);
            path.map(ToString::to_string).unwrap_or_default()
        };
        let order: Vec<&str> = if self.arguments.is_empty() {
            known.to_vec()
        } else {
            self.arguments.iter().map(String::as_str).collect()
        };
        let mut all = Map::new();
        match given {
            Json::Array(values) if values.len() > order.len() => {
                return Err(ServiceError::WrongArity {
                    component: component(),
                    service: name.to_owned(),
                    given: values.len(),
                    expected: order.len(),
                    is_bare: false,
                    cause: None,
                });
            }
            Json::Array(values) => {
                let pairs = order.iter().zip(values);
                all.extend(pairs.map(|(name, value)| ((*name).to_owned(), value.clone())));
            }
            Json::Object(values) => all.clone_from(values),
            Json::Null => {}
            _ => {
                return Err(ServiceError::WrongType {
                    component: component(),
                    service: name.to_owned(),
                    position: None,
                    field: None,
                    cause: "a list is expected".to_owned(),
                });
            }
        }
        for (name, value) in &self.defaults {
            all.entry(name).or_insert_with(|| value.0.clone());
        }
        Ok(Json::Object(all))
    }
}

/// Returns the names of arguments.
fn names(arguments: &'static TypeInfo) -> Vec<&'static str> {
    match arguments {
        TypeInfo::Struct(info) => info.iter().map(bevy::reflect::NamedField::name).collect(),
        _ => Vec::new(),
    }
}
