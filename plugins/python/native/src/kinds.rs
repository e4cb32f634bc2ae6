//! Kinds of component that are written in Python: sensors, actuators and modifiers as classes.
//!
//! - `shape`, `record`: fields that a class declares, as structs that the simulator can describe, hash and export;
//! - `class`: classes and their objects; `tree`: state of objects, for snapshots and hashes;
//! - `context`: the world during a call; `data`: data that modifiers change;
//! - `sensor`, `actuator`, `modifier`: the kinds, which call the objects; `saved`: their state.
mod actuator;
mod class;
mod context;
mod data;
mod modifier;
mod record;
mod saved;
mod sensor;
mod shape;
mod tree;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bevy::prelude::*;
use morse_api::kind::{About, ErasedSettings, Kinds};
use morse_sim::simulation::{Extensions, keep, kinds, no_extensions};
use pyo3::{exceptions::PyValueError, prelude::*};

use class::{Class, Settings};
pub(crate) use context::Context;
use record::{Datum, Order, Record, Setting};
use shape::{Declared, Shape, kept};

/// Family of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Sensor,
    Actuator,
    Modifier,
}

/// All classes, the extensions with them, and all kinds with these, once they are known.
struct Registered {
    classes: Vec<(Family, Arc<Class>, About)>,
    /// Number of registrations.
    number: u64,
    extensions: Extensions,
    kinds: Option<Arc<Kinds>>,
}

static REGISTERED: Mutex<Registered> = Mutex::new(Registered {
    classes: Vec::new(),
    number: 0,
    extensions: &no_extensions,
    kinds: None,
});

fn registered() -> MutexGuard<'static, Registered> {
    REGISTERED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the extensions with all classes that are registered now. Simulations that exist keep theirs.
pub(crate) fn extensions() -> Extensions {
    registered().extensions
}

/// Returns true if a class is registered.
pub(crate) fn has_classes() -> bool {
    !registered().classes.is_empty()
}

/// Returns the [`extensions`], and all kinds with them. Kinds are collected once: a new episode of an environment would spend
/// a quarter of its time on them.
pub(crate) fn extensions_and_kinds() -> (Extensions, Arc<Kinds>) {
    let (number, extensions) = {
        let registered = registered();
        if let Some(kinds) = &registered.kinds {
            return (registered.extensions, kinds.clone());
        }
        (registered.number, registered.extensions)
    };
    // Without the lock: a thread that registers a class holds Python's.
    let kinds = Arc::new(kinds(extensions));
    let mut registered = registered();
    if registered.number == number {
        registered.kinds = Some(kinds.clone());
    }
    (extensions, kinds)
}

/// A class, as the package describes it.
#[derive(FromPyObject)]
pub(crate) struct Description {
    #[pyo3(item)]
    family: String,
    #[pyo3(item)]
    kind: String,
    #[pyo3(item)]
    docs: String,
    #[pyo3(item)]
    settings: Vec<Declared>,
    #[pyo3(item)]
    data: Vec<Declared>,
    #[pyo3(item)]
    frequency: Option<f64>,
    #[pyo3(item)]
    moves_robot: bool,
    #[pyo3(item)]
    fields: Vec<String>,
}

/// Registers a class as a kind. It replaces an earlier class of the same kind, for simulations that are made from now on.
#[pyfunction]
pub(crate) fn register_kind(
    py: Python<'_>,
    class: Py<PyAny>,
    description: Description,
) -> PyResult<()> {
    let family = match description.family.as_str() {
        "sensor" => Family::Sensor,
        "actuator" => Family::Actuator,
        _ => Family::Modifier,
    };
    let name = &description.kind;
    let built_in = py.detach(|| kinds(&no_extensions));
    let is_taken = match family {
        Family::Sensor => built_in.sensors.contains_key(name.as_str()),
        Family::Actuator => built_in.actuators.contains_key(name.as_str()),
        Family::Modifier => built_in.modifiers.contains_key(name.as_str()),
    };
    if is_taken {
        let text = format!("there is a built-in {} `{name}`", description.family);
        return Err(PyValueError::new_err(text));
    }
    let data = match family {
        Family::Actuator => Shape::new::<Record<Order>>(py, &description.docs, &description.data)?,
        _ => Shape::new::<Record<Datum>>(py, &description.docs, &description.data)?,
    };
    let class = Arc::new(Class {
        kind: kept(name),
        class,
        settings: Shape::new::<Record<Setting>>(py, &description.docs, &description.settings)?,
        data,
        frequency: description.frequency,
        moves_robot: description.moves_robot,
        fields: description.fields,
    });
    let about = about(&class);
    let mut registered = registered();
    registered
        .classes
        .retain(|(other, known, _)| *other != family || known.kind != class.kind);
    registered.classes.push((family, class, about));
    let classes = registered.classes.clone();
    registered.number += 1;
    registered.extensions = keep(move |app| add(app, &classes));
    registered.kinds = None;
    Ok(())
}

/// Describes the settings of a class.
fn about(class: &Arc<Class>) -> About {
    let own = class.clone();
    About {
        settings: class.settings.info,
        read: Box::leak(Box::new(
            move |source: &mut dyn erased_serde::Deserializer<'_>| {
                let record = record::read(own.settings, source)?;
                let class = own.clone();
                Ok(Arc::new(Settings { class, record }) as ErasedSettings)
            },
        )),
        view: |settings| Some(settings.downcast_ref::<Settings>()?.record.as_reflect()),
    }
}

fn add(app: &mut App, classes: &[(Family, Arc<Class>, About)]) {
    let of = |family| -> Vec<(Arc<Class>, About)> {
        let own = classes.iter().filter(|(other, ..)| *other == family);
        own.map(|(_, class, about)| (class.clone(), *about))
            .collect()
    };
    sensor::register(app, &of(Family::Sensor));
    actuator::register(app, &of(Family::Actuator));
    modifier::register(app, &of(Family::Modifier));
    saved::register(app);
}
