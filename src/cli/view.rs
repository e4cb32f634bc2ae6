//! `--view`: the simulation in a window. The window is on the main thread, as some systems require; the simulation runs on
//! another one.
use std::{sync::Arc, thread};

use super::{exit, results::Results, run, say};
use crate::{
    middleware::viewer::{self, Window, WindowSender, window_channel},
    simulation::{Extensions, keep, load::Plan},
};
use bevy::prelude::App;
use morse_simulation_file::{
    Spanned,
    model::{Middleware, Settings},
};

/// Stack size of the simulation's thread, bytes: the usual size of the main thread's stack.
const STACK: usize = 8 << 20;

/// Runs a scene in a window; returns the exit code of the run.
pub fn run(args: &run::Args, extensions: Extensions, color: bool) -> u8 {
    let (sender, receiver) = window_channel();
    let extensions = keep(move |app: &mut App| {
        extensions(app);
        viewer::plugin(app);
    });
    // The sender is moved into the thread: if it ends before there is a simulation, the receiver does not wait for ever.
    let simulate = move || {
        // Not locked: messages of the window's libraries must not wait for a simulation that waits for the window.
        let (mut out, mut err) = (Results::new(std::io::stdout()), std::io::stderr());
        let code = run::run(
            args,
            extensions,
            &|plan| add(plan, &sender),
            color,
            &mut out,
            &mut err,
        );
        out.code(code, &mut err)
    };
    thread::scope(|scope| {
        let simulation = thread::Builder::new()
            .name("simulation".to_owned())
            .stack_size(STACK);
        let running = simulation.spawn_scoped(scope, simulate);
        let Ok(running) = running else {
            say(
                &mut std::io::stderr(),
                "error: no thread could be started for the simulation",
            );
            return exit::ENVIRONMENT;
        };
        let shown = receiver
            .wait()
            .map_or(Ok(()), |context| viewer::show(context, shots(args)));
        // A panic of the simulation has been reported already.
        let code = running.join().unwrap_or(exit::SIMULATION);
        match shown {
            Err(why) if code == exit::FINE => {
                say(&mut std::io::stderr(), format_args!("error: {why}"));
                exit::ENVIRONMENT
            }
            _ => code,
        }
    })
}

/// Returns the requested images of the window.
fn shots(args: &run::Args) -> Vec<viewer::ScreenshotRequest> {
    let shots = args.view_screenshot.iter();
    let shot = |shot: &super::pictures::PictureRequest| viewer::ScreenshotRequest {
        time: shot.at,
        file: shot.file.clone(),
    };
    shots.map(shot).collect()
}

/// Adds the window to the plan from the files.
fn add(plan: &mut Plan, sender: &WindowSender) {
    let settings = Window {
        sender: Some(sender.clone()),
    };
    let middleware = Middleware {
        kind: Spanned::from("window".to_owned()),
        settings: Settings(Arc::new(settings)),
    };
    let name = Spanned::from("--view".to_owned());
    plan.simulation.middlewares.insert(name, middleware);
}
