//! `--output`: readings of all sensors through an additional middleware.
use std::sync::Arc;

use morse_diagnostics::{Diagnostic, report::Report};
use morse_simulation_file::{
    Family, Spanned, Vocabulary as _,
    model::{Middleware, Output, Settings},
};
use serde::de::{
    Error as _,
    value::{Error as ValueError, MapDeserializer},
};

use crate::simulation::{
    kinds::{Kinds, Words},
    load::Plan,
};

/// Adds the middlewares of all `--output` arguments, each connected to all sensors.
///
/// # Errors
///
/// An argument is not of the form `text:DIRECTORY` or `csv:DIRECTORY`.
pub fn add(plan: &mut Plan, arguments: &[String], kinds: &Kinds) -> Result<(), Box<Report>> {
    for argument in arguments {
        let Some((format, directory)) = argument.split_once(':').filter(|(format, directory)| {
            matches!(*format, "text" | "csv") && !directory.is_empty()
        }) else {
            return Err(refused(
                &format!("unknown `--output {argument}`"),
                "write `--output text:DIRECTORY` or `--output csv:DIRECTORY`",
            ));
        };
        connect(plan, argument, format, directory, kinds)
            .map_err(|error| refused(&format!("`--output {argument}`: {error}"), ""))?;
    }
    Ok(())
}

fn connect(
    plan: &mut Plan,
    argument: &str,
    format: &str,
    directory: &str,
    kinds: &Kinds,
) -> Result<(), erased_serde::Error> {
    let read = |family, field: &'static str, value: &str| {
        let fields = [(field, value)]
            .into_iter()
            .filter(|(field, _)| !field.is_empty());
        let mut fields =
            <dyn erased_serde::Deserializer>::erase(MapDeserializer::<_, ValueError>::new(fields));
        Words(kinds).read(family, "text", &mut fields).map(Settings)
    };
    let name = Spanned::from(format!("--output {argument}"));
    // Arguments are relative to the working directory, settings of a simulation file to that file.
    let directory = std::path::absolute(directory).map_err(erased_serde::Error::custom)?;
    let settings = read(
        Family::Middleware,
        "directory",
        &directory.to_string_lossy(),
    )?;
    let output = read(Family::Output, "format", format)?;
    plan.simulation.middlewares.insert(
        name.clone(),
        Middleware {
            kind: Spanned::from("text".to_owned()),
            settings,
        },
    );
    for robot in plan.simulation.robots.values_mut() {
        for sensor in robot.sensors.values_mut() {
            sensor.outputs.insert(
                name.clone(),
                Output {
                    policy: None,
                    settings: output.clone(),
                },
            );
        }
    }
    Ok(())
}

pub(super) fn refused(message: &str, help: &str) -> Box<Report> {
    let problem = Diagnostic::error("usage::output", message);
    let problem = if help.is_empty() {
        problem
    } else {
        problem.help(help)
    };
    let mut report = Report::default();
    report.add([problem], &Arc::default());
    Box::new(report)
}
