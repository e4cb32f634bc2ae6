//! Steps of a paused simulation: the action `SimulateSteps`.
use std::sync::PoisonError;

use morse_api::service::Status;
use morse_ros::actions::{Action, Request};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::{FAILED, OK, PACKAGE, Verdict};
use crate::{
    actions::{Opened, open_action},
    opening::Opening,
    serving::Requests,
};

/// Goal of `SimulateSteps`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Goal {
    steps: u64,
}

/// Result of `SimulateSteps`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Outcome {
    result: Verdict,
}

/// Feedback of `SimulateSteps`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Feedback {
    completed_steps: u64,
    remaining_steps: u64,
}

/// The action.
struct Steps {
    requests: Requests,
    /// Ticks per second.
    rate: f64,
}

/// Opens the action.
///
/// # Errors
///
/// DDS refuses the action.
pub(super) fn open(opening: &mut Opening, requests: &Requests, rate: f64) -> Opened {
    let requests = requests.clone();
    let steps = Steps { requests, rate };
    open_action(opening, "/simulate_steps", "simulation", steps)
}

impl Action for Steps {
    type Goal = Goal;
    type Outcome = Outcome;
    type Feedback = Feedback;
    const TYPE: (&'static str, &'static str) = (PACKAGE, "SimulateSteps");

    fn request(&self, goal: &Goal) -> Result<(&'static str, Json), String> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let pacing = requests.1.as_ref().map(|pacing| pacing.get());
        if !pacing.is_some_and(|(is_held, _)| is_held) {
            return Err("the simulation is not paused".to_owned());
        }
        match goal.steps {
            0 => Err("there are no steps to make".to_owned()),
            steps => Ok(("step", json!({ "ticks": steps }))),
        }
    }

    /// The interface has a result code for steps of a simulation that is not paused.
    fn aborts_refused(&self) -> bool {
        true
    }

    fn stop_request(&self) -> Option<Request> {
        Some(("simulation".to_owned(), "pause", json!([])))
    }

    fn outcome(&self, _: &Goal, status: Status, value: &Json) -> Outcome {
        let result = match status {
            Status::Success => Verdict::new(OK, ""),
            Status::Preempted => Verdict::new(FAILED, "the steps were cancelled"),
            Status::Failed => Verdict::new(FAILED, morse_ros::actions::plain(value)),
        };
        Outcome { result }
    }

    fn feedback_request(&self) -> Option<Request> {
        Some(("time".to_owned(), "now", json!([])))
    }

    fn feedback(&self, goal: &Goal, _: &Json, [_, since]: [u64; 2]) -> Option<Feedback> {
        let steps = libm::round(since as f64 * 1e-9 * self.rate);
        // Without a rate there is no count.
        let completed = (steps.is_finite()).then_some(steps as u64)?.min(goal.steps);
        Some(Feedback {
            completed_steps: completed,
            remaining_steps: goal.steps - completed,
        })
    }
}
