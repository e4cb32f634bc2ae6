//! `morse-sim describe`: everything the program knows of one kind, from the code's own docs and units.
use std::{fmt::Write as _, io::Write};

use bevy::prelude::*;
use clap::Args as ClapArgs;
use morse_api::{
    component::Level,
    fields::{Field, Fields},
    kind::{About, ActuatorKind, MiddlewareKind, ModifierKind, SensorKind, Settings},
    modifier::{Memory, Modify, Side, Site},
    random::Random,
    service::{self, Service, Services},
};
use serde::de::value::{Error as ValueError, MapDeserializer};
use serde_json::{Value as Json, json};

use super::{exit, say};
use crate::{
    kinds::{Kinds, summary},
    scene::diagnostic::nearest,
    simulation::{Parts, components},
};

/// Describe a kind of sensor, actuator, modifier or middleware
#[derive(Clone, Debug, ClapArgs)]
pub struct Args {
    /// Its word in simulation files, such as gps
    pub kind: String,
    /// Print a JSON object
    #[arg(long)]
    pub json: bool,
}

/// What is known of a kind.
#[derive(Default)]
struct Description {
    word: &'static str,
    family: &'static str,
    docs: String,
    settings: Fields,
    /// "data" or "command", and its fields.
    fields: Option<(&'static str, Fields)>,
    levels: &'static [&'static str],
    services: Vec<Signature>,
    /// The kinds that fit: modifiers of a component, components of a modifier.
    fits: Vec<&'static str>,
    snippet: String,
}

/// A service and its arguments.
struct Signature {
    name: &'static str,
    docs: &'static str,
    arguments: Fields,
    is_async: bool,
}

/// Runs the command.
pub fn run(args: &Args, parts: Parts<'_>, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let mut app = App::empty();
    components(&mut app, parts);
    let kinds = app.world().resource::<Kinds>().clone();
    let found = describe(app.world_mut(), &kinds, &args.kind);
    if found.is_empty() {
        let words = kinds
            .sensors
            .keys()
            .chain(kinds.actuators.keys())
            .chain(kinds.modifiers.keys())
            .chain(kinds.middlewares.keys());
        let near = nearest(&args.kind, words.copied())
            .map(|near| format!("; did you mean `{near}`?"))
            .unwrap_or_default();
        say(
            err,
            format_args!(
                "error: no kind is called `{}`{near}",
                crate::scene::diagnostic::printable(&args.kind)
            ),
        );
        return exit::INPUT;
    }
    for description in found {
        if args.json {
            say(out, as_json(&description));
        } else {
            write!(out, "{}", as_text(&description)).ok();
        }
    }
    exit::FINE
}

/// All services of the program, as rows of a list.
pub(super) fn services(parts: Parts<'_>) -> Vec<(String, String)> {
    let mut app = App::empty();
    components(&mut app, parts);
    let mut rows: Vec<(String, String)> = app
        .world()
        .resource::<Services>()
        .all()
        .map(|service| (service.name.to_owned(), service.docs.to_owned()))
        .collect();
    rows.sort();
    rows.dedup();
    rows
}

fn describe(world: &mut World, kinds: &Kinds, word: &str) -> Vec<Description> {
    let sensor = kinds.sensors.get_key_value(word);
    let actuator = kinds.actuators.get_key_value(word);
    let modifier = kinds.modifiers.get_key_value(word);
    let middleware = kinds.middlewares.get_key_value(word);
    let mut found = Vec::new();
    found.extend(sensor.map(|(word, kind)| of_sensor(world, kinds, word, kind)));
    found.extend(actuator.map(|(word, kind)| of_actuator(world, kinds, word, kind)));
    found.extend(modifier.map(|(word, kind)| of_modifier(world, kinds, word, kind)));
    found.extend(middleware.map(|(word, kind)| of_middleware(word, kind)));
    found
}

fn of_sensor(
    world: &mut World,
    kinds: &Kinds,
    word: &'static str,
    kind: &SensorKind,
) -> Description {
    let fields = Fields::of(kind.data, kind.levels.first().copied());
    let mut entity = world.spawn_empty();
    let random = Random::new(0, "", "");
    (kind.insert)(&mut entity, &defaults(kind.about), Level::default(), random);
    let entity = entity.id();
    let snippet = format!("sensors: {{ \"{word}\": (kind: \"{word}\") }}");
    Description {
        fields: Some(("data", Fields::of(kind.data, None))),
        levels: kind.levels,
        services: signatures(world, entity),
        fits: fitting_modifiers(world, kinds, &fields, Side::Measurement),
        ..about("sensor", word, kind.about, snippet)
    }
}

fn of_actuator(
    world: &mut World,
    kinds: &Kinds,
    word: &'static str,
    kind: &ActuatorKind,
) -> Description {
    let fields = Fields::of(kind.command, None);
    let mut entity = world.spawn_empty();
    (kind.insert)(&mut entity, &defaults(kind.about));
    let entity = entity.id();
    let snippet = format!("actuators: {{ \"{word}\": (kind: \"{word}\") }}");
    Description {
        services: signatures(world, entity),
        fits: fitting_modifiers(world, kinds, &fields, Side::Command),
        fields: Some(("command", fields)),
        ..about("actuator", word, kind.about, snippet)
    }
}

fn of_modifier(
    world: &mut World,
    kinds: &Kinds,
    word: &'static str,
    kind: &ModifierKind,
) -> Description {
    let settings = defaults(kind.about);
    let fits = |fields: &Fields, side| bind(kind, &settings, fields, world, side).is_some();
    let of_sensor = |sensor: &SensorKind| Fields::of(sensor.data, sensor.levels.first().copied());
    let sensors = kinds
        .sensors
        .iter()
        .filter(|(_, sensor)| fits(&of_sensor(sensor), Side::Measurement));
    let actuators = kinds
        .actuators
        .iter()
        .filter(|(_, actuator)| fits(&Fields::of(actuator.command, None), Side::Command));
    let fits: Vec<&str> = sensors
        .map(|(word, _)| *word)
        .chain(actuators.map(|(word, _)| *word))
        .collect();
    // What it offers on a component that has it.
    let bound = kinds.sensors.values().find_map(|sensor| {
        bind(
            kind,
            &settings,
            &of_sensor(sensor),
            world,
            Side::Measurement,
        )
    });
    let mut entity = world.spawn_empty();
    if let Some(bound) = bound {
        (kind.attach)(&mut entity, bound, Memory::new(Random::new(0, "", "")));
    }
    let entity = entity.id();
    Description {
        services: signatures(world, entity),
        fits,
        ..about(
            "modifier",
            word,
            kind.about,
            format!("modifiers: [(kind: \"{word}\")]"),
        )
    }
}

fn of_middleware(word: &'static str, kind: &MiddlewareKind) -> Description {
    let snippet = format!("middlewares: {{ \"{word}\": (kind: \"{word}\") }}");
    Description {
        fields: Some(("output", Fields::of(kind.output.settings, None))),
        ..about("middleware", word, kind.about, snippet)
    }
}

fn about(family: &'static str, word: &'static str, about: About, snippet: String) -> Description {
    let settings = Fields::of(about.settings, None);
    Description {
        word,
        family,
        docs: summary(about.settings),
        settings,
        snippet,
        ..Description::default()
    }
}

/// Settings of which none was given.
fn defaults(about: About) -> Settings {
    let nothing = std::iter::empty::<(&str, &str)>();
    let mut nothing =
        <dyn erased_serde::Deserializer>::erase(MapDeserializer::<_, ValueError>::new(nothing));
    (about.read)(&mut nothing).unwrap_or_else(|_| std::sync::Arc::new(()))
}

fn bind(
    kind: &ModifierKind,
    settings: &Settings,
    fields: &Fields,
    world: &World,
    side: Side,
) -> Option<Box<dyn Modify>> {
    (kind.bind)(settings, fields, &Site { world, side }).ok()
}

fn fitting_modifiers(
    world: &World,
    kinds: &Kinds,
    fields: &Fields,
    side: Side,
) -> Vec<&'static str> {
    let fits =
        |kind: &ModifierKind| bind(kind, &defaults(kind.about), fields, world, side).is_some();
    kinds
        .modifiers
        .iter()
        .filter(|(_, kind)| fits(kind))
        .map(|(word, _)| *word)
        .collect()
}

fn signatures(world: &World, entity: Entity) -> Vec<Signature> {
    let signature = |service: &Service| Signature {
        name: service.name,
        docs: service.docs,
        arguments: Fields::of(service.arguments, None),
        is_async: service.is_async,
    };
    service::services_of(world, entity)
        .into_iter()
        .map(signature)
        .collect()
}

fn as_text(description: &Description) -> String {
    let Description {
        word,
        family,
        docs,
        settings,
        fields,
        levels,
        services,
        fits,
        snippet,
    } = description;
    let mut text = format!("{word} ({family})\n{docs}\n");
    if !settings.0.is_empty() {
        text.push_str("\nSettings\n");
        text.push_str(&table(settings));
    }
    if let Some((noun, fields)) = fields
        && !fields.0.is_empty()
    {
        write!(
            text,
            "\n{}{}\n{}",
            noun[..1].to_uppercase(),
            &noun[1..],
            table(fields)
        )
        .ok();
    }
    if let Some((default, others)) = levels.split_first() {
        write!(text, "\nLevels\n  {default} (default)").ok();
        others
            .iter()
            .for_each(|level| write!(text, ", {level}").unwrap_or_default());
        text.push('\n');
    }
    text.push_str(&services_text(services));
    if !fits.is_empty() {
        let title = if *family == "modifier" {
            "Fits"
        } else {
            "Modifiers that fit"
        };
        write!(text, "\n{title}\n  {}\n", fits.join(", ")).ok();
    }
    write!(text, "\nIn a simulation file\n  {snippet}\n").ok();
    text
}

fn services_text(services: &[Signature]) -> String {
    let mut text = String::new();
    if !services.is_empty() {
        text.push_str("\nServices\n");
    }
    for service in services {
        let arguments: Vec<&str> = service
            .arguments
            .0
            .iter()
            .map(|argument| argument.name)
            .collect();
        let arguments = arguments.join(", ");
        let later = if service.is_async {
            " (answered when it is done)"
        } else {
            ""
        };
        writeln!(
            text,
            "  {}({arguments})  {}{later}",
            service.name, service.docs
        )
        .ok();
    }
    text
}

fn table(fields: &Fields) -> String {
    let width = |of: fn(&Field) -> usize| fields.0.iter().map(of).max().unwrap_or(0);
    let (names, units) = (
        width(|field| field.name.len()),
        width(|field| field.unit.unwrap_or("").len()),
    );
    let mut text = String::new();
    for field in &fields.0 {
        let docs = field
            .docs
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        let levels = field
            .levels
            .map(|levels| format!(" [{}]", levels.join(", ")))
            .unwrap_or_default();
        let line = format!(
            "  {:names$}  {:units$}  {docs}{levels}",
            field.name,
            field.unit.unwrap_or("")
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

fn as_json(description: &Description) -> Json {
    let Description {
        word,
        family,
        docs,
        settings,
        fields,
        levels,
        services,
        fits,
        snippet,
    } = description;
    let list = |fields: &Fields| -> Json {
        let field = |field: &Field| json!({ "name": field.name, "type": field.type_name, "unit": field.unit, "docs": field.docs, "levels": field.levels });
        fields.0.iter().map(field).collect()
    };
    let service = |service: &Signature| json!({ "name": service.name, "docs": service.docs, "arguments": list(&service.arguments), "async": service.is_async });
    let mut json = json!({
        "kind": word, "family": family, "docs": docs, "settings": list(settings), "levels": levels,
        "services": services.iter().map(service).collect::<Json>(), "fits": fits, "snippet": snippet,
    });
    if let (Some((noun, fields)), Some(object)) = (fields, json.as_object_mut()) {
        object.insert((*noun).to_owned(), list(fields));
    }
    json
}
