//! Numbers outside of the valid ranges: each is refused at the position where it is written, for every attribute and field.
#![cfg(test)]
mod morse;

use std::path::Path;

use morse_sim::{
    Simulation,
    scene::{
        bounds::Bounds,
        diagnostic::{Diagnostic, Severity},
        load::{LoadOptions, parse_str},
        model::{ATTRIBUTES, Attribute, Frame, Geometry, Kind, Scene, Shape},
        robray::codes,
    },
    simulation::{load::Plan, no_extensions},
};

/// Returns a valid scene except for an attribute with a given value.
fn scene(attribute: &Attribute, value: &str) -> String {
    let name = attribute.name;
    let own = format!("{name} {value};");
    let others = |others: &[&str]| {
        let others = others
            .iter()
            .filter(|other| !other.starts_with(&format!("{name} ")));
        others.copied().collect::<String>()
    };
    if attribute.frame {
        let joint = others(&["type revolute;", "axis [0, 0, 1];"]);
        return format!("frame a {{}} frame b {{ parent a; {joint} {own} }}");
    }
    let shape = match name {
        "delta" | "thickness" => others(&[
            "shape grid;",
            "dimension [1, 1];",
            "delta [1, 1];",
            "thickness 1;",
        ]),
        "radius" | "height" => others(&["shape cylinder;", "radius 1;", "height 1;"]),
        "start_radius" | "end_radius" => others(&[
            "shape cone;",
            "start_radius 1;",
            "end_radius 1;",
            "height 1;",
        ]),
        _ => others(&["shape box;", "dimension [1, 1, 1];"]),
    };
    format!("frame a {{ geometry {{ {shape} {own} }} }}")
}

/// Returns values of the attribute in which one number, at any index, is this one.
fn values(attribute: &Attribute, number: f64) -> Vec<String> {
    let number = format!("{number:e}");
    let array = |fair: &[&str]| {
        let indices = 0..fair.len();
        let with_number_at = |index| {
            let mut numbers: Vec<&str> = fair.to_vec();
            numbers[index] = number.as_str();
            format!("[{}]", numbers.join(", "))
        };
        indices.map(with_number_at).collect()
    };
    match attribute.kind {
        Kind::Number => vec![number],
        Kind::Numbers(count) => array(&["0.5"].repeat(count)),
        Kind::ThreeOrMore | Kind::TwoOrThree => array(&["0.5"; 3]),
        Kind::Inertia => array(&["1", "1", "1", "0", "0", "0"]),
        // Keeps the order of the limits.
        Kind::Interval => vec![format!("[{number}, {number}]")],
        Kind::Name | Kind::Word(_) => Vec::new(),
    }
}

fn diagnostics_of(text: &str, simulated: bool) -> Vec<Diagnostic> {
    let options = LoadOptions {
        simulated,
        ..LoadOptions::default()
    };
    match parse_str(text, "test", Path::new(""), &options) {
        Ok(loaded) => loaded.warnings,
        Err(failed) => failed.diagnostics,
    }
}

fn beyond(bounds: Bounds) -> Vec<f64> {
    let Bounds {
        least,
        most,
        smallest,
    } = bounds;
    let mut beyond = vec![
        least - least.abs().max(1.0),
        most + most.abs().max(1.0),
        1e300,
        -1e300,
    ];
    beyond.extend((smallest > 0.0 || least > 0.0).then_some(1e-320));
    beyond.retain(|number| number.is_finite() && !bounds.contains(*number));
    beyond
}

#[test]
fn every_number_of_a_scene_has_a_range_that_holds() {
    for attribute in ATTRIBUTES {
        let name = attribute.name;
        let is_number = !matches!(attribute.kind, Kind::Name | Kind::Word(_));
        assert_eq!(
            attribute.bounds.is_some(),
            is_number,
            "`{name}` has no range"
        );
        let Some(bounds) = attribute.bounds else {
            continue;
        };
        for value in [bounds.least, bounds.most]
            .into_iter()
            .flat_map(|number| values(attribute, number))
        {
            let said = diagnostics_of(&scene(attribute, &value), true);
            let refused = said.iter().find(|said| said.code == codes::OUT_OF_RANGE);
            assert!(refused.is_none(), "{name} {value}: {refused:?}");
        }
        if bounds == Bounds::ANY {
            continue;
        }
        for value in beyond(bounds)
            .into_iter()
            .flat_map(|number| values(attribute, number))
        {
            let text = scene(attribute, &value);
            for simulated in [false, true] {
                let said = diagnostics_of(&text, simulated);
                let of_range = [codes::OUT_OF_RANGE, codes::WRONG_VALUE];
                let refused = said.iter().find(|said| of_range.contains(&said.code));
                let refused = refused.unwrap_or_else(|| panic!("{text}: {said:?}"));
                let is_error = attribute.extension || simulated && !attribute.is_of_looks();
                assert_eq!(refused.severity == Severity::Error, is_error, "{text}");
                let range = refused.span().unwrap().range();
                assert_eq!(&text[range], value, "{text}");
                assert!(!refused.help.is_empty(), "{text}");
            }
        }
    }
}

#[test]
fn shapes_without_extent_are_pointed_out() {
    for (shape, is_flat) in [
        ("shape box; dimension [1, 0, 1];", true),
        ("shape sphere; radius 0;", true),
        ("shape cylinder; radius 1; height 0;", true),
        ("shape cone; start_radius 0; end_radius 0; height 1;", true),
        ("shape cone; start_radius 0; end_radius 1; height 1;", false),
        ("shape box; dimension [1, 0, 1]; collision 0;", false),
    ] {
        let said = diagnostics_of(&format!("frame a {{ geometry {{ {shape} }} }}"), true);
        let is_said = said.iter().any(|said| said.code == codes::NO_EXTENT);
        assert_eq!(is_said, is_flat, "{shape}: {said:?}");
    }
    // The language allows it; it is certainly a mistake.
    let box_without_sizes = "frame a { geometry { shape box; } }";
    let said = |simulated| diagnostics_of(box_without_sizes, simulated)[0].clone();
    assert_eq!(said(false).code, codes::NO_EXTENT);
    assert_eq!(
        (said(true).code, said(true).is_error()),
        (codes::MISSING_ATTRIBUTE, true)
    );
}

fn build(plan: Plan) -> String {
    match Simulation::build(plan, &no_extensions) {
        Ok(_) => String::new(),
        Err(error) => error.to_string(),
    }
}

#[test]
fn scenes_made_in_rust_have_the_same_ranges() {
    for (shape, scale) in [
        (Shape::Sphere { radius: -1.0 }, 1.0),
        (Shape::Sphere { radius: 1.0 }, 1e300),
        (
            Shape::Box {
                dimension: [1.0, 1e39, 1.0],
            },
            1.0,
        ),
    ] {
        let mut geometry = Geometry::new(shape.clone());
        geometry.scale = scale;
        let mut plan = Plan::default();
        let frame = Frame::new("a").with(geometry);
        plan.assembly.scene.add_frame(frame).unwrap();
        let said = build(plan);
        assert!(said.contains("scene::out-of-range"), "{shape:?}: {said}");
    }
    let mut heavy = Frame::new("a");
    heavy.mass = Some(1e308);
    assert!(Scene::default().add_frame(heavy).is_err());
}

#[test]
fn environments_made_in_rust_are_checked_before_anything_is_built() {
    for (rate, gravity, field) in [
        (1e-20, -9.81, "environment.rate"),
        (0.0, -9.81, "environment.rate"),
        (f64::NAN, -9.81, "environment.rate"),
        (1e300, -9.81, "environment.rate"),
        (60.0, 1e25, "environment.gravity"),
    ] {
        let mut plan = Plan::default();
        plan.simulation.environment.rate = rate.into();
        plan.simulation.environment.gravity.z = gravity;
        let said = build(plan);
        assert!(said.contains(field), "{rate} {gravity}: {said}");
    }
}

#[test]
fn joints_that_move_together_have_limits_that_overlap() {
    let joint = |name: &str, limits: &str| {
        format!(
            "frame {name} {{ parent base; type revolute; axis [0, 0, 1]; variable v; \
             limit_position {limits}; }}"
        )
    };
    let said = |other: &str| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.robray");
        let text = format!(
            "frame base {{}} {}{}",
            joint("a", "[0, 1]"),
            joint("b", other)
        );
        std::fs::write(&path, text).unwrap();
        Simulation::load(&path).map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(said("[0.5, 2]"), "");
    assert!(
        said("[2, 3]").contains("scene::limits"),
        "{}",
        said("[2, 3]")
    );
}

#[test]
fn joints_that_move_together_hang_on_one_base() {
    let folder = tempfile::tempdir().unwrap();
    let said = |base: &str, mode: &str| {
        let scene = format!(
            "frame one {{}}\nframe two {{ translation [2, 0, 0]; type floating; mass 1; }}\n\
             frame a {{ parent one; type revolute; axis [0, 0, 1]; variable v; }}\n\
             frame b {{ parent {base}; type revolute; axis [0, 0, 1]; variable v; }}\n"
        );
        std::fs::write(folder.path().join("a.robray"), scene).unwrap();
        let text = format!(
            r#"Simulation(scene: "a.robray", bodies: {{ "two": () }}, joints: {{ "v": (mode: {mode}) }})"#
        );
        let opened = Simulation::parse(&text, folder.path(), &no_extensions);
        opened.map_or_else(|error| error.to_string(), |_| String::new())
    };
    assert_eq!(said("one", "dynamic"), "");
    assert_eq!(said("two", "kinematic"), "");
    let error = said("two", "dynamic");
    for excerpt in [
        "scene::shared-variable",
        "the variable `v` moves joints of two mechanisms",
        "a.robray:4:",
        "this one belongs to `two`",
        "give `b` a `variable` of its own",
        "\"v\": (mode: kinematic)",
    ] {
        assert!(error.contains(excerpt), "{excerpt}: {error}");
    }
}
