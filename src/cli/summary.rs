//! Summary at the end of a run, as text and as JSON.
use morse_diagnostics::{printable_path, report::Report};
use morse_physics::lost_body::LostBody;
use morse_simulation_file::Drawn;
use serde_json::{Value as Json, json};

use super::exit;
use crate::{
    run::{End, Summary},
    simulation::load::{Contacts, Floor},
};

/// State that the hash of a run covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Hashing {
    /// The final state.
    Final,
    /// The states of all ticks, as a chain: runs that diverge and converge again have different hashes.
    Every,
}

/// Inputs of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// Files that were read, in the order of reading.
    pub(super) files: Vec<String>,
    /// Seed of all randomness.
    pub(super) seed: u64,
    /// Values that were drawn from ranges of the simulation file.
    pub(super) drawn: Vec<Drawn>,
    /// Floor under a robot description that runs by itself.
    pub(super) floor: Option<Floor>,
}

/// Returns the reason for the end of a run, as an identifier, and its exit code.
pub(super) fn ending(end: &End) -> (&'static str, u8) {
    use morse_api::middleware::Failure;
    match end {
        End::Done => ("done", exit::FINE),
        End::Asked => ("asked", exit::FINE),
        End::Signal(number) => {
            let number = u8::try_from(*number).unwrap_or(0);
            ("signal", exit::SIGNAL.saturating_add(number))
        }
        End::TimedOut(_) => ("timeout", exit::TIMEOUT),
        End::Failure(Failure::Environment(_)) => ("environment", exit::ENVIRONMENT),
        End::Failure(Failure::PeerLost(_)) | End::LockstepLost(_) => ("peer_lost", exit::PEER),
        End::SimulationFailed(_) => ("simulation_fault", exit::SIMULATION),
    }
}

/// Returns the error that ended a run, if any.
pub(super) fn error(end: &End) -> Option<String> {
    match end {
        End::Done | End::Asked | End::Signal(_) => None,
        End::TimedOut(seconds) => Some(format!(
            "the run took longer than {seconds} s (`--timeout`), and ended there"
        )),
        End::Failure(failure) => Some(failure.to_string()),
        End::SimulationFailed(why) => Some(format!("simulation fault: {why}; the run ended there")),
        End::LockstepLost(lost) => Some(format!("{lost}; the run ended there")),
    }
}

/// Returns the summary as JSON.
pub(super) fn to_json(summary: &Summary, end: &End, subject: &Subject) -> Json {
    let mut object = serde_json::to_value(summary).unwrap_or_default();
    let (word, code) = ending(end);
    object["seed"] = subject.seed.into();
    object["files"] = json!(subject.files);
    if !subject.drawn.is_empty() {
        object["drawn"] = drawn_json(&subject.drawn);
    }
    if let Some(floor) = &subject.floor {
        object["floor"] =
            json!({ "height": floor.height, "collides": floor.contacts == Contacts::Stands });
    }
    object["end"] = word.into();
    object["exit_code"] = code.into();
    if let Some(error) = error(end) {
        object["error"] = error.into();
    }
    object
}

/// Returns drawn values by their paths.
pub(super) fn drawn_json(drawn: &[Drawn]) -> Json {
    let values = drawn.iter();
    let values = values.map(|drawn| (drawn.path.clone(), Json::from(drawn.value.as_str())));
    Json::Object(values.collect())
}

/// Returns a failure before the run began, as JSON.
pub(super) fn failure_json(report: Option<&Report>, error: Option<&str>, code: u8) -> Json {
    let mut object = json!({ "end": "not_begun", "exit_code": code });
    if let Some(error) = error {
        object["error"] = error.into();
    }
    if let Some(report) = report {
        object["diagnostics"] = report.to_json();
    }
    object
}

/// Returns the summary as some lines of text.
pub(super) fn to_text(summary: &Summary, end: &End, subject: &Subject) -> String {
    let Summary {
        steps,
        sim_seconds,
        wall_seconds,
        rtf,
        rtf_min,
        slowest_tick,
        state_hash,
        drops,
        tick_seconds: _,
        lost,
        middlewares: _,
        reports,
    } = summary;
    let mut text = format!(
        "{steps} ticks, {sim_seconds:.3} s simulated in {wall_seconds:.3} s ({rtf:.1} times real time)\n"
    );
    if *drops > 0 {
        text += &format!(
            "{drops} readings were dropped: their observers were slower than the simulation\n"
        );
    }
    for body in lost {
        text += &lost_body(body);
    }
    for (name, report) in reports {
        text += &format!("`{name}`:\n{report}");
    }
    text += &format!("state {state_hash}\n");
    let why = match end {
        End::Done => "all ticks were made".to_owned(),
        End::Asked => "ended by a client".to_owned(),
        End::Signal(number) => format!("signal {number}"),
        End::TimedOut(_) => "timeout".to_owned(),
        End::Failure(_) | End::LockstepLost(_) | End::SimulationFailed(_) => {
            "an error, see there".to_owned()
        }
    };
    text += &format!("end: {why}; seed {}", subject.seed);
    if let Some(slowest) = slowest_tick {
        text += &format!(
            "; slowest second {rtf_min:.1} times real time, slowest tick {} ({:.1} ms)",
            slowest.tick,
            slowest.wall_seconds * 1e3
        );
    }
    text += &drawn(&subject.drawn);
    text += &subject.floor.as_ref().map(floor).unwrap_or_default();
    if !subject.files.is_empty() {
        let files: Vec<String> = subject
            .files
            .iter()
            .map(|file| printable_path(file))
            .collect();
        text += &format!("\nfiles: {}", files.join(", "));
    }
    text
}

/// Returns a line on the values that were drawn, as `--set` takes them.
fn drawn(values: &[Drawn]) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|drawn| format!("{}={}", drawn.path, drawn.value))
        .collect();
    match values.is_empty() {
        true => String::new(),
        false => format!("\ndrawn: {}", values.join(", ")),
    }
}

/// Returns a line on the floor that was added.
fn floor(floor: &Floor) -> String {
    let contacts = match floor.contacts {
        Contacts::Stands => "",
        Contacts::Fixed => ", drawn without contacts",
        Contacts::Falls => ", through which it falls, since it has no collision geometry",
    };
    // A height that is rounded to zero has no sign.
    let height = (floor.height * 1e3).round() / 1e3 + 0.0;
    format!(
        "\nfloor: added at z = {height:.3} m, the lowest point of the robot{contacts}; `--no-floor` leaves it out"
    )
}

/// Returns a line on a body that the physics lost.
fn lost_body(lost: &LostBody) -> String {
    let LostBody {
        body,
        tick,
        cause,
        with,
    } = lost;
    let others = match with.len() {
        0 => String::new(),
        others => format!(" (and {others} on its joints)"),
    };
    format!("lost `{body}`{others} in tick {tick}: {cause}\n")
}
