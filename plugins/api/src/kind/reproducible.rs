//! Types whose values are equal in every run: the only types that settings, data and commands may have.
use std::any::TypeId;

use bevy::{
    prelude::Entity,
    reflect::{NamedField, TypeInfo, UnnamedField, enums::VariantInfo},
};

use crate::fields::is_seen;

/// Purpose of a type in a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Its settings.
    Settings,
    /// Its local data, which is hashed and exported.
    Data,
    /// Its command, which is hashed.
    Command,
}

impl Role {
    fn noun(self) -> &'static str {
        match self {
            Self::Settings => "settings",
            Self::Data => "data",
            Self::Command => "command",
        }
    }
}

/// Panics on a type that makes runs differ from each other: an error in the program, not in its input.
#[track_caller]
pub(crate) fn demand(role: Role, word: &str, info: &'static TypeInfo) {
    if let Some((path, why)) = flaw(role, info) {
        let field = if path.is_empty() {
            String::new()
        } else {
            format!(": field `{}`", path.join("."))
        };
        panic!("{} of `{word}`{field} is {why}", role.noun());
    }
}

/// Returns the path to the first field that differs from run to run, and the reason.
fn flaw(role: Role, info: &'static TypeInfo) -> Option<(Vec<&'static str>, String)> {
    let mut search = Search {
        role,
        path: Vec::new(),
        seen: Vec::new(),
    };
    let why = search.look_at(info)?;
    Some((search.path, why))
}

struct Search {
    role: Role,
    /// Path to the type that is being examined, and to the flaw once it is detected.
    path: Vec<&'static str>,
    /// Types that were examined, since a type may contain itself.
    seen: Vec<TypeId>,
}

impl Search {
    fn look_at(&mut self, info: &'static TypeInfo) -> Option<String> {
        if self.seen.contains(&info.type_id()) {
            return None;
        }
        self.seen.push(info.type_id());
        if is_seen(info) {
            return None;
        }
        if let Some(why) = why_not(self.role, info) {
            return Some(why);
        }
        match info {
            TypeInfo::Struct(info) => {
                self.first(info.iter().map(|field| (name(field), field.type_info())))
            }
            TypeInfo::TupleStruct(info) => self.first(info.iter().map(of_index)),
            TypeInfo::Tuple(info) => self.first(info.iter().map(of_index)),
            TypeInfo::List(info) => self.inside(info.item_info()),
            TypeInfo::Array(info) => self.inside(info.item_info()),
            TypeInfo::Map(info) => self
                .inside(info.key_info())
                .or_else(|| self.inside(info.value_info())),
            TypeInfo::Enum(info) => info.iter().find_map(|variant| match variant {
                VariantInfo::Struct(variant) => {
                    self.first(variant.iter().map(|field| (name(field), field.type_info())))
                }
                VariantInfo::Tuple(variant) => self.first(variant.iter().map(of_index)),
                VariantInfo::Unit(_) => None,
            }),
            TypeInfo::Set(_) | TypeInfo::Opaque(_) => None,
        }
    }

    fn inside(&mut self, info: Option<&'static TypeInfo>) -> Option<String> {
        self.look_at(info?)
    }

    fn first(
        &mut self,
        fields: impl Iterator<Item = (Option<&'static str>, Option<&'static TypeInfo>)>,
    ) -> Option<String> {
        for (name, info) in fields {
            let Some(info) = info else {
                continue;
            };
            self.path.extend(name);
            let reason = self.look_at(info);
            if reason.is_some() {
                return reason;
            }
            self.path
                .truncate(self.path.len() - usize::from(name.is_some()));
        }
        None
    }
}

fn name(field: &'static NamedField) -> Option<&'static str> {
    Some(field.name())
}

/// Returns no name for a field of a tuple.
fn of_index(field: &'static UnnamedField) -> (Option<&'static str>, Option<&'static TypeInfo>) {
    (None, field.type_info())
}

/// Pointer types by the beginnings of their paths: addresses differ in each run.
const POINTERS: [&str; 9] = [
    "alloc::sync::Arc<",
    "alloc::rc::Rc<",
    "bevy_platform::sync::Arc<",
    "alloc::sync::Weak<",
    "alloc::rc::Weak<",
    "*const ",
    "*mut ",
    "fn(",
    "core::ptr::",
];

/// Returns the flaw of a type itself, and the type to use instead.
fn why_not(role: Role, info: &'static TypeInfo) -> Option<String> {
    let path = info.type_path();
    let ident = info.type_path_table().ident().unwrap_or_default();
    let short = info.type_path_table().short_path();
    if info.is::<Entity>() {
        return Some(
            "an `Entity`, whose number depends on what else there is; use a name".to_owned(),
        );
    }
    if ident.contains("HashMap") {
        return Some("an unordered map; use `BTreeMap`".to_owned());
    }
    if ident.contains("HashSet") {
        return Some("an unordered set; use a sorted `Vec`".to_owned());
    }
    if POINTERS.iter().any(|pointer| path.starts_with(pointer)) {
        return Some(format!(
            "a pointer, `{short}`, whose value is an address in memory; use the value itself"
        ));
    }
    let is_lost = matches!(info, TypeInfo::Opaque(_) | TypeInfo::Set(_));
    (role != Role::Settings && is_lost).then(|| {
        format!(
            "of the type `{short}`, which can be neither hashed nor exported; use numbers, text, lists, or structs of \
             them"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::{
        collections::{BTreeMap, HashMap, HashSet},
        sync::Arc,
    };

    use bevy::{prelude::*, reflect::Typed};

    use super::*;
    use crate::{dynamic::DynamicValue, named::Named, samples::Samples};

    #[derive(Reflect)]
    struct Inner {
        fine: Vec<[f64; 3]>,
        map: HashMap<String, f64>,
    }

    #[derive(Reflect)]
    struct Outer {
        fine: BTreeMap<String, f64>,
        list: Vec<Option<Inner>>,
    }

    #[derive(Reflect)]
    enum Choice {
        None,
        One { who: Entity },
    }

    #[derive(Reflect)]
    struct Chosen(Choice);

    #[derive(Reflect)]
    struct Sets {
        names: HashSet<String>,
    }

    #[derive(Reflect)]
    struct Bevys {
        map: bevy::platform::collections::HashMap<String, f64>,
    }

    #[derive(Reflect)]
    struct Shared {
        name: Arc<str>,
    }

    #[derive(Reflect, Clone)]
    #[reflect(opaque)]
    struct Closed;

    #[derive(Reflect)]
    struct Lost {
        fine: u8,
        closed: Closed,
    }

    /// Everything that is fine, and a type within itself.
    #[derive(Reflect)]
    struct Fine {
        numbers: (f64, f32, u8, u16, u32, u64, i8, i16, i32, i64, bool),
        text: Option<String>,
        map: BTreeMap<u32, Vec<String>>,
        picture: Samples<u8>,
        dynamic: DynamicValue,
        named: Named,
        more: Vec<Fine>,
    }

    fn of<T: Typed>(role: Role) -> String {
        flaw(role, T::type_info()).map_or_else(String::new, |(path, why)| {
            format!("{}: {why}", path.join("."))
        })
    }

    #[test]
    fn what_differs_from_run_to_run_is_refused() {
        for role in [Role::Settings, Role::Data, Role::Command] {
            assert_eq!(
                of::<Outer>(role),
                "list.map: an unordered map; use `BTreeMap`"
            );
            assert!(of::<Bevys>(role).starts_with("map: an unordered map"));
            assert!(of::<Sets>(role).starts_with("names: an unordered set"));
            assert!(of::<Chosen>(role).starts_with("who: an `Entity`"));
            assert!(of::<Shared>(role).starts_with("name: a pointer, `Arc<"));
            assert_eq!(of::<Fine>(role), "");
        }
        assert!(of::<Lost>(Role::Data).starts_with("closed: of the type `Closed`"));
        assert_eq!(of::<Lost>(Role::Settings), "");
    }
}
