//! Requirements on every kind: docs, units, an example that loads; and one schedule order for all of them.
use bevy::{
    ecs::schedule::{LogLevel, ScheduleBuildSettings},
    prelude::*,
    reflect::{NamedField, TypeInfo, Typed as _},
};
use morse_api::{fields::Unit, kind::Kinds, service::Services, tick::Tick};
use morse_sim::{
    Simulation,
    simulation::{kinds, load::Plan, no_extensions},
};

/// A documented type, and its name.
type Subject = (String, &'static TypeInfo);

/// Returns the settings, data and commands of all kinds.
fn subjects(kinds: &Kinds) -> Vec<Subject> {
    let mut subjects = Vec::new();
    let mut add = |family: &str, word: &str, what: &str, info| {
        subjects.push((format!("{family} {word}, {what}"), info));
    };
    for (word, kind) in &kinds.sensors {
        add("sensor", word, "settings", kind.about.settings);
        add("sensor", word, "data", kind.data);
    }
    for (word, kind) in &kinds.actuators {
        add("actuator", word, "settings", kind.about.settings);
        add("actuator", word, "command", kind.command);
    }
    for (word, kind) in &kinds.modifiers {
        add("modifier", word, "settings", kind.about.settings);
    }
    for (word, kind) in &kinds.overlays {
        add("overlay", word, "settings", kind.about.settings);
    }
    for (word, kind) in &kinds.middlewares {
        add("middleware", word, "settings", kind.about.settings);
        add("middleware", word, "output", kind.output.settings);
        add("middleware", word, "input", kind.input.settings);
    }
    subjects
}

/// Returns types, fields and variants without docs, and numbers without units, also in nested types.
fn undescribed((name, info): &Subject) -> Vec<String> {
    let mut gaps = Vec::new();
    if is_own(info) && info.docs().is_none_or(|docs| docs.trim().is_empty()) {
        gaps.push(format!(
            "{name}: `{}` has no docs",
            info.type_path_table().short_path()
        ));
    }
    match info {
        TypeInfo::Struct(info) => info
            .iter()
            .for_each(|field| of_field(name, field, &mut gaps)),
        TypeInfo::Enum(info) => {
            for variant in info.iter() {
                let name = format!("{name}, {}", variant.name());
                if is_own_path(info.type_path())
                    && variant_docs(variant).is_none_or(|docs| docs.trim().is_empty())
                {
                    gaps.push(format!("{name}: no docs"));
                }
                if let bevy::reflect::enums::VariantInfo::Struct(fields) = variant {
                    fields
                        .iter()
                        .for_each(|field| of_field(&name, field, &mut gaps));
                }
            }
        }
        _ => {}
    }
    gaps
}

fn of_field(name: &str, field: &NamedField, gaps: &mut Vec<String>) {
    let name = format!("{name}, {}", field.name());
    if field.docs().is_none_or(|docs| docs.trim().is_empty()) {
        gaps.push(format!("{name}: no docs"));
    }
    let Some(info) = field.type_info() else {
        return;
    };
    if is_numeric(info) && field.get_attribute::<Unit>().is_none() {
        gaps.push(format!("{name}: no unit"));
    }
    if let Some(inner) = inside(info) {
        gaps.extend(undescribed(&(name.clone(), inner)));
    }
}

fn variant_docs(variant: &bevy::reflect::enums::VariantInfo) -> Option<&str> {
    use bevy::reflect::enums::VariantInfo;
    match variant {
        VariantInfo::Struct(variant) => variant.docs(),
        VariantInfo::Tuple(variant) => variant.docs(),
        VariantInfo::Unit(variant) => variant.docs(),
    }
}

/// Returns true if a type is a real number, or an array, list or option of a numeric type.
fn is_numeric(info: &'static TypeInfo) -> bool {
    info.is::<f64>() || info.is::<f32>() || container(info).is_some_and(is_numeric)
}

/// Returns the type of the elements of an array, list, option or map.
fn container(info: &'static TypeInfo) -> Option<&'static TypeInfo> {
    match info {
        TypeInfo::Array(array) => array.item_info(),
        TypeInfo::List(list) => list.item_info(),
        TypeInfo::Map(map) => map.value_info(),
        TypeInfo::Enum(option) if option.type_path().starts_with("core::option::Option") => {
            match option.variant("Some")? {
                bevy::reflect::enums::VariantInfo::Tuple(some) => some.field_at(0)?.type_info(),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns our own type inside of a field.
fn inside(info: &'static TypeInfo) -> Option<&'static TypeInfo> {
    container(info).map_or_else(|| is_own(info).then_some(info), inside)
}

fn is_own(info: &TypeInfo) -> bool {
    is_own_path(info.type_path())
}

fn is_own_path(path: &str) -> bool {
    path.starts_with("morse_") || path.starts_with("suite::")
}

#[test]
fn every_field_has_docs_and_every_number_a_unit() {
    let kinds = kinds(&no_extensions);
    let subjects = subjects(&kinds);
    assert!(subjects.len() >= 8, "{}", subjects.len());
    let gaps: Vec<String> = subjects.iter().flat_map(undescribed).collect();
    assert!(gaps.is_empty(), "{} gaps:\n{}", gaps.len(), gaps.join("\n"));
}

#[test]
fn a_gap_is_reported() {
    #[derive(Reflect)]
    struct Inner {
        /// Said.
        limit: f32,
    }
    /// Settings.
    #[derive(Reflect)]
    struct Planted {
        /// Said.
        #[reflect(@Unit("m"))]
        fine: f64,
        #[reflect(@Unit("m"))]
        silent: Option<[f64; 3]>,
        /// Said.
        bare: Vec<[f64; 3]>,
        /// Said.
        count: u32,
        /// Said.
        inner: Vec<Inner>,
    }
    let mut gaps = undescribed(&("planted".to_owned(), Planted::type_info()));
    gaps.sort();
    let expected = [
        "planted, bare: no unit",
        "planted, inner, limit: no unit",
        "planted, inner: `Inner` has no docs",
        "planted, silent: no docs",
    ];
    assert_eq!(gaps, expected);
}

#[test]
fn every_service_and_its_arguments_have_docs() {
    let mut app = App::empty();
    app.add_plugins((
        morse_sim::sensor::plugin,
        morse_sim::actuator::plugin,
        morse_sim::modifier::plugin,
        morse_sim::service::plugin,
    ));
    let mut gaps = Vec::new();
    for service in app.world().resource::<Services>().all() {
        if service.docs.trim().is_empty() {
            gaps.push(format!("service {}: no docs", service.name));
        }
        if let TypeInfo::Struct(arguments) = service.arguments {
            let silent = arguments
                .iter()
                .filter(|field| field.docs().is_none_or(|docs| docs.trim().is_empty()));
            gaps.extend(
                silent.map(|field| format!("service {}, {}: no docs", service.name, field.name())),
            );
        }
    }
    assert!(gaps.is_empty(), "{}", gaps.join("\n"));
}

/// Builds a schedule again, where two systems without a defined order are an error.
fn one_order(world: &mut World) -> Result<(), String> {
    world.schedule_scope(FixedUpdate, |world, schedule| {
        schedule.set_build_settings(ScheduleBuildSettings {
            ambiguity_detection: LogLevel::Error,
            ..default()
        });
        // A schedule that was already built is built again when a system is added.
        schedule.add_systems((|| {}).after(Tick::Export));
        let built = schedule.initialize(world).map(drop);
        built.map_err(|error| error.to_string(schedule.graph(), world))
    })
}

#[test]
fn a_tick_has_one_order() {
    let mut simulation =
        Simulation::build(Plan::default(), &no_extensions).expect("an empty world");
    if let Err(error) = one_order(simulation.world_mut()) {
        panic!("{error}");
    }
    simulation.run(2).expect("two ticks");
    assert_eq!(simulation.tick(), 2);
}

#[test]
fn two_orders_are_reported() {
    #[derive(Resource)]
    struct Number(u8);
    let mut simulation = Simulation::build(Plan::default(), &|app: &mut App| {
        app.insert_resource(Number(1));
        app.add_systems(
            FixedUpdate,
            (
                |mut number: ResMut<Number>| number.0 += 1,
                |mut number: ResMut<Number>| number.0 *= 2,
            ),
        );
    })
    .expect("an empty world");
    assert!(one_order(simulation.world_mut()).is_err());
}
