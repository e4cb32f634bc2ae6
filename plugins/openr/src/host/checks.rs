//! Checks before the objects are started: the stick, and the objects and components that it refers to.
use std::collections::BTreeMap;

use morse_api::middleware::{Obstacle, Prospect, Weight};
use morse_diagnostics::Diagnostic;

use super::{Nothing, OpenR};
use crate::{factory::Factories, files::problem::CODE, stick::Contents};

impl OpenR {
    /// Returns the problems of the stick, of its objects and of the body.
    pub(super) fn obstacles(&self, prospect: &Prospect<'_, Nothing, Nothing>) -> Vec<Obstacle> {
        let contents = match self.contents(prospect.directory) {
            Ok(contents) => contents,
            Err(why) => {
                let missing = Obstacle::new(Weight::Files, why.to_string());
                return vec![missing.help("`directory` is relative to the simulation file")];
            }
        };
        let problems = contents.problems.iter().map(|problem| {
            let weight = match problem.is_error() {
                true => Weight::Files,
                false => Weight::Warning,
            };
            Obstacle::new(weight, contents.describe(problem))
        });
        let mut obstacles: Vec<Obstacle> = problems.collect();
        let factories = prospect.offers.get::<Factories>().cloned();
        let factories = factories.unwrap_or_default();
        let missing = unknown(&contents, &factories, &self.external);
        obstacles.extend(missing.map(|why| Obstacle::new(Weight::Files, why)));
        let differs = different(&contents, &factories, &self.external);
        obstacles.extend(differs.map(|why| Obstacle::new(Weight::Files, why)));
        for bin in self.external.keys() {
            let wrong = is_external(&bin.to_ascii_uppercase(), &contents).err();
            obstacles.extend(wrong.map(|why| Obstacle::new(Weight::Files, why)));
        }
        let sensors = prospect.outputs.iter().map(|(sensor, _)| *sensor);
        let actuators = prospect.inputs.iter().map(|(actuator, _)| *actuator);
        let body = self.body(&contents, sensors, actuators).err();
        obstacles.extend(body.map(|why| Obstacle::new(Weight::Settings, why)));
        obstacles
    }
}

/// Checks whether an object can run in a separate process.
pub(super) fn is_external(bin: &str, contents: &Contents) -> Result<(), String> {
    let object = contents.objects.iter().find(|object| object.bin == bin);
    let object = object.ok_or_else(|| format!("`{bin}` is not on the stick"))?;
    match object.interface {
        Some(_) => Ok(()),
        None => Err(format!(
            "`{bin}` is in a process of its own: the stick has to have its stub.cfg"
        )),
    }
}

/// Returns the first object of a stick without a factory.
pub(super) fn unknown(
    contents: &Contents,
    factories: &Factories,
    external: &BTreeMap<String, u16>,
) -> Option<String> {
    let known = &factories.objects;
    let mut objects = contents.objects.iter();
    let is_external = |bin: &str| external.keys().any(|name| name.eq_ignore_ascii_case(bin));
    let missing =
        objects.find(|object| !known.contains_key(&object.bin) && !is_external(&object.bin))?;
    let names: Vec<&str> = known.keys().map(String::as_str).collect();
    Some(format!(
        "cannot open module file `{}`: no object of that name is built in; there are: {}",
        missing.bin,
        names.join(", ")
    ))
}

/// Returns the first difference of a `stub.cfg` from the services of its built-in object, with its position.
pub(super) fn different(
    contents: &Contents,
    factories: &Factories,
    external: &BTreeMap<String, u16>,
) -> Option<String> {
    let is_external = |bin: &str| external.keys().any(|name| name.eq_ignore_ascii_case(bin));
    let built_in = contents
        .objects
        .iter()
        .filter(|object| !is_external(&object.bin));
    let mut differences = built_in.filter_map(|object| {
        let declared = object.interface.as_ref()?;
        let own = factories.objects.get(&object.bin)?().interface;
        let why = declared.difference(&own)?;
        let help = "the built-in object handles its own services, in its order";
        let message = format!("{why} in the object of `{}`", object.bin);
        let problem = Diagnostic::error(CODE, message).help(help);
        Some(contents.describe(&match object.stub {
            Some(start) => problem.at(start, ""),
            None => problem,
        }))
    });
    differences.next()
}
