//! Modifiers that are written in Python.
use std::sync::Arc;

use bevy::{prelude::*, reflect::structs::Struct};
use morse_api::{
    fault::Faults,
    fields::{Field, Fields},
    kind::{About, ErasedSettings, Kinds, ModifierKind},
    modifier::{
        AddModifier as _, BindError, Modifier, ModifierOutcome, ModifierState, Modify, Site,
    },
    tick::Clock,
};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyDict};
use serde::Deserialize;

use super::{
    class::{Class, Instance, Settings},
    context::Context,
    data,
    tree::Tree,
};

/// Stands for modifiers in Python, of all classes.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
struct PythonModifier {}

impl Modifier for PythonModifier {
    const KIND: &'static str = "python_modifier";

    fn bind(&self, _: &Fields, _: &Site<'_>) -> Result<Box<dyn Modify>, BindError> {
        Err(BindError::needs("a class of Python"))
    }
}

/// Registers the classes as kinds of modifier.
pub(crate) fn register(app: &mut App, classes: &[(Arc<Class>, About)]) {
    if classes.is_empty() {
        return;
    }
    app.add_modifier::<PythonModifier>();
    let mut kinds = app.world_mut().resource_mut::<Kinds>();
    let Some(common) = kinds.modifiers.remove(PythonModifier::KIND) else {
        return;
    };
    for (class, about) in classes {
        let kind = ModifierKind {
            about: *about,
            bind,
            check: |_, _| Ok(()),
            ..common
        };
        kinds.modifiers.insert(class.kind, kind);
    }
}

fn bind(
    settings: &ErasedSettings,
    fields: &Fields,
    site: &Site<'_>,
) -> Result<Box<dyn Modify>, BindError> {
    let settings = settings.downcast_ref::<Settings>();
    let settings = settings.ok_or_else(|| BindError::needs("settings of its own kind"))?;
    let named = &settings.class.fields;
    let missing = named.iter().find(|name| fields.get(name).is_none());
    if let Some(missing) = missing {
        return Err(BindError::needs(format!("a field `{missing}`")));
    }
    let is_named = |field: &&Field| named.is_empty() || named.iter().any(|name| name == field.name);
    Ok(Box::new(Bound {
        object: settings.make().map_err(BindError::needs)?,
        path: site.path.to_owned(),
        fields: fields.0.iter().filter(is_named).cloned().collect(),
        faults: site.world.get_resource().cloned().unwrap_or_default(),
    }))
}

/// A modifier that is bound to the data of a component.
struct Bound {
    object: Arc<Instance>,
    path: String,
    fields: Vec<Field>,
    faults: Faults,
}

impl Modify for Bound {
    fn modify(&self, data: &mut dyn Struct, state: &mut ModifierState, clock: &Clock) {
        let called = self.object.call(&self.path, |object| {
            let py = object.py();
            if let Some(saved) = unpack(&state.values) {
                Instance::restore(object, &saved)?;
            }
            let context = pyo3::Bound::new(py, Context::of_modifier(clock, &state.random))?;
            let values = PyDict::new(py);
            for field in &self.fields {
                values.set_item(field.name, data::to_python(py, field, data)?)?;
            }
            let kept = object.call_method1("modify", (&values, &context))?;
            if let Some(random) = context.get().take_random() {
                state.random = random;
            }
            for field in &self.fields {
                let value = values.get_item(field.name)?.ok_or_else(|| {
                    let text = format!("`modify` removed `{}` from the data", field.name);
                    PyTypeError::new_err(text)
                })?;
                data::write(field, data, &value)?;
            }
            state.values = pack(&Instance::state(object)?)?;
            Ok(kept.is_none() || kept.is_truthy()?)
        });
        match called {
            Ok(true) => {}
            Ok(false) => state.outcome = ModifierOutcome::Lost,
            Err(fault) => self.faults.add(fault),
        }
    }
}

/// Packs the state of an object into the numbers of a modifier's state: the number of bytes, and the bytes.
fn pack(tree: &Tree) -> PyResult<Vec<f64>> {
    if *tree == Tree::Map(Vec::new()) {
        return Ok(Vec::new());
    }
    let bytes = postcard::to_stdvec(tree);
    let bytes = bytes.map_err(|error| PyTypeError::new_err(error.to_string()))?;
    let words = bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        f64::from_bits(u64::from_le_bytes(word))
    });
    Ok(std::iter::once(bytes.len() as f64).chain(words).collect())
}

/// Unpacks a state; `None` if there is none.
fn unpack(numbers: &[f64]) -> Option<Tree> {
    let (count, words) = numbers.split_first()?;
    let mut bytes: Vec<u8> = words
        .iter()
        .flat_map(|word| word.to_bits().to_le_bytes())
        .collect();
    bytes.truncate(*count as usize);
    postcard::from_bytes(&bytes).ok()
}
