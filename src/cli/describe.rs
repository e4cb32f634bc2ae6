//! `morse-sim describe`: documentation of a kind, from the doc comments and units in the code.
mod markdown;
mod robots;
mod ros;
mod rules;
mod text;

use std::{borrow::Cow, collections::BTreeMap, io::Write};

use bevy::{prelude::*, reflect::TypeInfo};
use clap::Args as ClapArgs;
use morse_api::{
    component::Level,
    dynamic::no_json_number,
    fields::{Field, Fields},
    kind::{
        About, ActuatorKind, ErasedSettings, MiddlewareKind, ModifierKind, OverlayKind, SensorKind,
    },
    modifier::{ModifierState, Modify, Side, Site},
    random::Random,
    service::{self, Service, Services},
    settings,
};
use morse_diagnostics::nearest;
use morse_scene::morse_robots::MorseRobot;
use serde_json::Value as Json;

use self::ros::Ros;
use super::{exit, say};
use crate::simulation::{Extensions, components, kinds::Kinds};

/// Describe a kind of sensor, actuator, modifier, overlay or middleware, a robot, or all of them
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct Args {
    /// Name of the kind in simulation files, such as gps; a robot, such as atrv; simulation, time or communication; or
    /// motion, for MORSE's rules
    #[arg(required_unless_present = "all")]
    pub kind: Option<String>,
    /// Describe everything
    #[arg(long, conflicts_with = "kind")]
    pub all: bool,
    /// Print JSON: one object per kind
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print a page of Markdown
    #[arg(long)]
    pub markdown: bool,
}

/// Description of a kind.
#[derive(Default)]
struct Description {
    word: &'static str,
    family: &'static str,
    docs: String,
    settings: Vec<Setting>,
    /// Defaults of the settings, unless a setting is required.
    defaults: BTreeMap<&'static str, Json>,
    /// "data" or "command", and its fields.
    fields: Option<(&'static str, Fields)>,
    levels: &'static [&'static str],
    /// Default frequency of a sensor's measurements, if not every tick, Hz.
    frequency: Option<f64>,
    /// Messages of ROS of a sensor or actuator.
    ros: Vec<Ros>,
    services: Vec<Signature>,
    /// Compatible kinds: modifiers of a component, components of a modifier.
    fits: Vec<&'static str>,
    /// Physical properties of a robot.
    robot: Option<MorseRobot>,
    snippet: String,
}

/// A setting, or a field of a struct within one.
struct Setting {
    /// Name of the setting; `wheels.radius` for a field within another setting.
    name: String,
    field: Field,
}

/// A service, its arguments and its result.
#[derive(Clone)]
struct Signature {
    name: Cow<'static, str>,
    docs: Cow<'static, str>,
    arguments: Fields,
    result: Cow<'static, str>,
    is_async: bool,
}

/// Runs the command.
pub fn run(args: &Args, extensions: Extensions, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    if args.kind.as_deref() == Some(rules::WORD) {
        if args.json {
            say(out, rules::as_json());
        } else if args.markdown {
            write!(out, "{}", rules::as_markdown()).ok();
        } else {
            write!(out, "{}", rules::as_text()).ok();
        }
        return exit::FINE;
    }
    let mut app = App::empty();
    components(&mut app, extensions);
    let kinds = app.world().resource::<Kinds>().clone();
    let all = words(app.world(), &kinds);
    let mut descriptions = Vec::new();
    match &args.kind {
        Some(word) => {
            descriptions.extend(describe(app.world_mut(), &kinds, word));
            if descriptions.is_empty() {
                let near = nearest(word, all.into_iter().chain([rules::WORD]))
                    .map(|near| format!("; did you mean `{near}`?"))
                    .unwrap_or_default();
                let word = morse_diagnostics::printable(word);
                say(err, format_args!("error: unknown kind `{word}`{near}"));
                return exit::INPUT;
            }
        }
        None => {
            for word in all {
                descriptions.extend(describe(app.world_mut(), &kinds, word));
            }
        }
    }
    if args.json {
        descriptions
            .iter()
            .for_each(|description| say(out, text::as_json(description)));
    } else if args.markdown {
        write!(out, "{}", markdown::page(&descriptions)).ok();
    } else {
        let texts: Vec<String> = descriptions.iter().map(text::as_text).collect();
        write!(out, "{}", texts.join("\n\n")).ok();
    }
    exit::FINE
}

/// Returns the descriptions of all kinds as text, by family and word.
pub(super) fn texts(extensions: Extensions) -> BTreeMap<(&'static str, &'static str), String> {
    let mut app = App::empty();
    components(&mut app, extensions);
    let kinds = app.world().resource::<Kinds>().clone();
    let mut texts = BTreeMap::new();
    for word in words(app.world(), &kinds) {
        for description in describe(app.world_mut(), &kinds, word) {
            texts.insert((description.family, word), text::as_text(&description));
        }
    }
    texts
}

/// Returns all services of the program, as rows of a list.
pub(super) fn services(extensions: Extensions) -> Vec<(String, String)> {
    let mut app = App::empty();
    components(&mut app, extensions);
    let mut rows: Vec<(String, String)> = app
        .world()
        .resource::<Services>()
        .all()
        .map(|service| (service.name.to_string(), service.docs.to_string()))
        .collect();
    rows.sort();
    rows.dedup();
    rows
}

/// Returns the names that can be described, each once, sorted.
fn words(world: &World, kinds: &Kinds) -> Vec<&'static str> {
    let globals = world.resource::<Services>().globals();
    let mut words: Vec<&'static str> = kinds
        .sensors
        .keys()
        .chain(kinds.actuators.keys())
        .chain(kinds.modifiers.keys())
        .chain(kinds.overlays.keys())
        .chain(kinds.middlewares.keys())
        .copied()
        .chain(globals.map(|(name, _)| name))
        .chain(robots::words())
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

fn describe(world: &mut World, kinds: &Kinds, word: &str) -> Vec<Description> {
    let sensor = kinds.sensors.get_key_value(word);
    let actuator = kinds.actuators.get_key_value(word);
    let modifier = kinds.modifiers.get_key_value(word);
    let overlay = kinds.overlays.get_key_value(word);
    let middleware = kinds.middlewares.get_key_value(word);
    let global = world
        .resource::<Services>()
        .globals()
        .find(|(name, _)| *name == word);
    let mut descriptions = Vec::new();
    descriptions.extend(sensor.map(|(word, kind)| of_sensor(world, kinds, word, kind)));
    descriptions.extend(actuator.map(|(word, kind)| of_actuator(world, kinds, word, kind)));
    descriptions.extend(modifier.map(|(word, kind)| of_modifier(world, kinds, word, kind)));
    descriptions.extend(overlay.map(|(word, kind)| of_overlay(world, word, kind)));
    descriptions.extend(middleware.map(|(word, kind)| of_middleware(word, kind)));
    descriptions.extend(global.map(|(word, entity)| of_global(world, word, entity)));
    descriptions.extend(robots::describe(word));
    descriptions
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
        frequency: kind.frequency,
        ros: Ros::of_sensor(kind),
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
        ros: Ros::of_actuator(&fields),
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
    // Services that it adds to a component.
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
        (kind.attach)(
            &mut entity,
            bound,
            ModifierState::new(Random::new(0, "", "")),
        );
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

fn of_overlay(world: &mut World, word: &'static str, kind: &OverlayKind) -> Description {
    let mut entity = world.spawn_empty();
    (kind.insert)(&mut entity, &defaults(kind.about));
    let entity = entity.id();
    let snippet = if kind.over_robot {
        format!("overlays: {{ \"{word}\": (kind: \"{word}\") }}")
    } else {
        format!(
            "actuators: {{ \"motion\": (kind: \"v_omega\") }},\n\
             overlays: {{ \"{word}\": (kind: \"{word}\", of: \"motion\") }}"
        )
    };
    Description {
        services: signatures(world, entity),
        ..about("overlay", word, kind.about, snippet)
    }
}

fn of_middleware(word: &'static str, kind: &MiddlewareKind) -> Description {
    let snippet = format!("middlewares: {{ \"{word}\": (kind: \"{word}\") }}");
    Description {
        fields: Some(("output", Fields::of(kind.output.settings, None))),
        ..about("middleware", word, kind.about, snippet)
    }
}

/// Describes a service that belongs to no component.
fn of_global(world: &World, word: &'static str, entity: Entity) -> Description {
    Description {
        word,
        family: "service",
        docs: format!("Requests to `{word}` are answered by the simulation itself."),
        services: signatures(world, entity),
        ..Description::default()
    }
}

fn about(family: &'static str, word: &'static str, about: About, snippet: String) -> Description {
    let defaults = settings::defaults(about).into_iter();
    Description {
        word,
        family,
        docs: paragraphs(about.settings.docs().unwrap_or_default()),
        settings: settings_of(about.settings, ""),
        defaults: defaults
            // An infinite default is explained in the docs.
            .filter(|(_, value)| no_json_number(value).is_none())
            .map(|(field, value)| (field.name(), value))
            .collect(),
        snippet: about.example().map_or(snippet, str::to_owned),
        ..Description::default()
    }
}

/// Returns the settings of a kind, each followed by its inner fields.
fn settings_of(info: &'static TypeInfo, outer: &str) -> Vec<Setting> {
    let mut settings = Vec::new();
    for field in Fields::of(info, None).0 {
        let name = format!("{outer}{}", field.name);
        let inside = field.info.and_then(inner_struct);
        let inside = inside.map_or_else(Vec::new, |info| settings_of(info, &format!("{name}.")));
        settings.push(Setting { name, field });
        settings.extend(inside);
    }
    settings
}

/// Returns the struct type of a setting, or of the elements of a list. A struct with a single field is written as one value,
/// such as a date as text.
fn inner_struct(info: &'static TypeInfo) -> Option<&'static TypeInfo> {
    match info {
        TypeInfo::List(list) => inner_struct(list.item_info()?),
        TypeInfo::Array(array) => inner_struct(array.item_info()?),
        TypeInfo::Map(map) => inner_struct(map.value_info()?),
        TypeInfo::Struct(fields) => (fields.field_len() > 1).then_some(info),
        _ => None,
    }
}

/// Returns documentation with one line per paragraph.
fn paragraphs(docs: &str) -> String {
    let paragraphs = docs.trim().split("\n\n");
    let joined =
        paragraphs.map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "));
    joined.collect::<Vec<_>>().join("\n\n")
}

/// Returns the settings with all defaults.
fn defaults(about: About) -> ErasedSettings {
    about.defaults().unwrap_or_else(|| std::sync::Arc::new(()))
}

fn bind(
    kind: &ModifierKind,
    settings: &ErasedSettings,
    fields: &Fields,
    world: &World,
    side: Side,
) -> Option<Box<dyn Modify>> {
    let site = Site {
        world,
        side,
        path: "",
    };
    (kind.bind)(settings, fields, &site).ok()
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
        name: service.name.clone(),
        docs: service.docs.clone(),
        arguments: Fields::of(service.arguments, None),
        result: service.result.clone(),
        is_async: service.is_async,
    };
    service::services_of(world, entity)
        .iter()
        .map(|service| signature(service))
        .collect()
}
