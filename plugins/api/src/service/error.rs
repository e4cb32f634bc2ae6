//! Errors of services, as data: middlewares format them for their protocols.
use std::fmt::Display;

use bevy::{
    prelude::{Entity, World},
    reflect::{PartialReflect, ReflectRef, TypeInfo, Typed},
};
use serde::de::DeserializeOwned;
use serde_json::Value as Json;

use super::Services;
use crate::{
    command::BadCommand,
    fields::{plain_name, range::ValueRange},
    json::no_json_number,
    path::path_of,
};

/// Reason why a request failed. Its text is plain English, for people; protocols with texts of their own format the
/// variants.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServiceError {
    /// The service or the component does not exist.
    #[error("the service `{service}` has not been registered for `{component}`")]
    Unregistered {
        /// Component of the request.
        component: String,
        /// Service of the request.
        service: String,
    },
    /// Wrong number of arguments.
    #[error(
        "wrong number of arguments for `{service}` of `{component}`: {given} given, {expected} expected{}",
        in_brackets(.cause.as_deref())
    )]
    WrongArity {
        /// Component of the request.
        component: String,
        /// Service of the request.
        service: String,
        /// Number of positional arguments in the request.
        given: usize,
        /// Number of arguments of the service, including optional ones.
        expected: usize,
        /// True for a request without arguments to a sync service.
        is_bare: bool,
        /// Missing argument, as the reader of arguments reports it; `None` if there were too many.
        cause: Option<String>,
    },
    /// An argument has the wrong type or form.
    #[error(
        "wrong type of {} for `{service}` of `{component}`: {cause}",
        argument(*.position, .field.as_deref())
    )]
    WrongType {
        /// Component of the request.
        component: String,
        /// Service of the request.
        service: String,
        /// Position of the argument, from 0; `None` if the whole list is invalid.
        position: Option<usize>,
        /// Name of the argument.
        field: Option<String>,
        /// Reason why the value does not fit.
        cause: String,
    },
    /// Another service is under way and is not interrupted by this one.
    #[error("A service ({service}) is already running")]
    Busy {
        /// The busy component.
        component: String,
        /// The service under way.
        service: String,
    },
    /// Any other error, as the service reports it.
    #[error("{0}")]
    Failed(String),
}

fn in_brackets(cause: Option<&str>) -> String {
    cause.map_or_else(String::new, |cause| format!(" ({cause})"))
}

fn argument(position: Option<usize>, field: Option<&str>) -> String {
    match (position, field) {
        (_, Some(field)) => format!("argument `{field}`"),
        (Some(position), None) => format!("argument {}", position + 1),
        (None, None) => "arguments".to_owned(),
    }
}

impl ServiceError {
    /// Returns the refusal of a handler with a text or an error.
    #[must_use]
    pub fn failed(why: impl Display) -> Self {
        Self::Failed(why.to_string())
    }
}

impl From<BadCommand> for ServiceError {
    fn from(error: BadCommand) -> Self {
        Self::failed(error)
    }
}

/// Returns the name of an entity: its path, or the name of a part of the simulation itself.
pub(crate) fn name_of(world: &World, entity: Entity) -> String {
    let services = world.get_resource::<Services>();
    let mut globals = services.into_iter().flat_map(Services::globals);
    let global = globals.find(|(_, known)| *known == entity);
    global.map_or_else(|| path_of(world, entity), |(name, _)| name.to_owned())
}

/// Reads arguments: by position from an array, by name from an object; null is an empty array.
pub(super) fn arguments<A: DeserializeOwned + Typed>(
    (world, entity): (&World, Entity),
    name: &str,
    json: &Json,
) -> Result<A, ServiceError> {
    let expected = match A::type_info() {
        TypeInfo::Struct(info) => info.field_len(),
        _ => 0,
    };
    let empty = Json::Array(Vec::new());
    let json = if json.is_null() { &empty } else { json };
    let given = json.as_array().map_or(0, Vec::len);
    let wrong_arity = |cause: Option<String>| ServiceError::WrongArity {
        component: name_of(world, entity),
        service: name.to_owned(),
        given,
        expected,
        is_bare: false,
        cause,
    };
    if given > expected {
        return Err(wrong_arity(None));
    }
    if let Some(why) = unknown::<A>(json) {
        let component = name_of(world, entity);
        return Err(ServiceError::Failed(format!("`{component}` {name}: {why}")));
    }
    let arguments = A::deserialize(json).map_err(|error| {
        let cause = error.to_string();
        if cause.starts_with("invalid length") || cause.starts_with("missing field") {
            return wrong_arity(Some(cause));
        }
        let (position, field) = locate::<A>(json);
        let cause = strange_number(json, position, field.as_deref()).unwrap_or(cause);
        ServiceError::WrongType {
            component: name_of(world, entity),
            service: name.to_owned(),
            position,
            field,
            cause,
        }
    })?;
    match out_of_range(A::type_info(), arguments.as_partial_reflect()) {
        Some(why) => {
            let name = name_of(world, entity);
            Err(ServiceError::Failed(format!("`{name}`: {why}")))
        }
        None => Ok(arguments),
    }
}

/// Explains an argument that the service does not have.
fn unknown<A: Typed>(json: &Json) -> Option<String> {
    let (TypeInfo::Struct(info), Json::Object(given)) = (A::type_info(), json) else {
        return None;
    };
    let known: Vec<&str> = info.iter().map(|field| plain_name(field.name())).collect();
    let unknown = given.keys().find(|name| !known.contains(&name.as_str()))?;
    Some(match known.is_empty() {
        true => format!("there is no argument `{unknown}`; it takes none"),
        false => format!(
            "there is no argument `{unknown}`; it takes: {}",
            known.join(", ")
        ),
    })
}

/// Explains an argument that is out of its range.
fn out_of_range(info: &'static TypeInfo, arguments: &dyn PartialReflect) -> Option<String> {
    let (TypeInfo::Struct(info), ReflectRef::Struct(values)) = (info, arguments.reflect_ref())
    else {
        return None;
    };
    info.iter().enumerate().find_map(|(index, field)| {
        let range = field.get_attribute::<ValueRange>()?;
        let number = ValueRange::shown(range.violation(values.field_at(index)?)?);
        let name = plain_name(field.name());
        Some(format!("{number} in `{name}` is out of range: {range}"))
    })
}

/// Explains an argument that is infinite or NaN where a number is expected.
fn strange_number(json: &Json, position: Option<usize>, field: Option<&str>) -> Option<String> {
    let value = field.and_then(|field| json.get(field));
    let value = value.or_else(|| json.get(position?))?;
    let elements = value
        .as_array()
        .map_or(std::slice::from_ref(value), Vec::as_slice);
    let number = elements.iter().find_map(no_json_number)?;
    let name = field.map_or_else(String::new, |field| format!("`{field}` is "));
    Some(format!("{name}{number}, which is no finite number"))
}

/// Returns position and name of the argument that cannot be read.
fn locate<A: DeserializeOwned + Typed>(json: &Json) -> (Option<usize>, Option<String>) {
    use serde_path_to_error::Segment;
    let TypeInfo::Struct(info) = A::type_info() else {
        return (None, None);
    };
    let error = serde_path_to_error::deserialize::<_, A>(json).err();
    match error.as_ref().and_then(|error| error.path().iter().next()) {
        Some(Segment::Seq { index }) => {
            let name = info.field_at(*index).map(|field| field.name().to_owned());
            (Some(*index), name)
        }
        Some(Segment::Map { key }) => (info.index_of(key), Some(key.clone())),
        _ => (None, None),
    }
}

#[cfg(test)]
mod tests {
    use bevy::prelude::Reflect;
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Reflect, Debug, Deserialize)]
    struct Arguments {
        x: f64,
        #[serde(default)]
        name: String,
    }

    fn error(json: &Json) -> ServiceError {
        let mut world = World::new();
        let entity = world.spawn_empty().id();
        arguments::<Arguments>((&world, entity), "go", json).unwrap_err()
    }

    #[test]
    fn numbers_that_are_none_are_told() {
        for (number, word) in [(f64::NAN, "NaN"), (f64::INFINITY, "inf")] {
            let number = crate::dynamic::number_to_json(number);
            for json in [json!([number]), json!({ "x": number })] {
                let text = error(&json).to_string();
                let cause = format!("`x` is {word}, which is no finite number");
                assert!(
                    text.contains("argument `x` for `go`") && text.contains(&cause),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn numbers_of_arguments_are_told() {
        for (json, given, text) in [
            (
                json!([1, "a", 2]),
                3,
                "wrong number of arguments for `go` of ``: 3 given, 2 expected",
            ),
            (
                json!({ "name": "a" }),
                0,
                "wrong number of arguments for `go` of ``: 0 given, 2 expected (missing field `x`)",
            ),
            (
                json!(null),
                0,
                "wrong number of arguments for `go` of ``: 0 given, 2 expected (invalid length 0, expected struct Arguments with 2 elements)",
            ),
        ] {
            let error = error(&json);
            assert_eq!(error.to_string(), text);
            let ServiceError::WrongArity {
                given: reported,
                expected: 2,
                ..
            } = error
            else {
                panic!("{error:?}");
            };
            assert_eq!(reported, given);
        }
    }

    #[test]
    fn arguments_that_do_not_fit_are_named() {
        let named = |json: Json| match error(&json) {
            ServiceError::WrongType {
                position, field, ..
            } => (position, field),
            other => panic!("{other:?}"),
        };
        assert_eq!(named(json!(["a"])), (Some(0), Some("x".to_owned())));
        assert_eq!(named(json!([1, 2])), (Some(1), Some("name".to_owned())));
        assert_eq!(
            named(json!({ "x": 1, "name": {} })),
            (Some(1), Some("name".to_owned()))
        );
        assert_eq!(named(json!(7)), (None, None));
        assert_eq!(
            error(&json!(["a"])).to_string(),
            "wrong type of argument `x` for `go` of ``: invalid type: string \"a\", expected f64"
        );
    }
}
