//! Frames on request: the service `capture` of all cameras.
use morse_api::{prelude::*, service::Status, state::Stateful};
use serde_json::json;

/// Number of frames that are still to be taken; negative for no limit. Part of the state.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture(pub i64);

impl Default for Capture {
    fn default() -> Self {
        Self(-1)
    }
}

impl Stateful for Capture {}

impl Capture {
    /// Returns true if a frame is to be taken.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.0 != 0
    }

    /// Counts a frame that was taken.
    pub fn count(&mut self, task: &mut Task) {
        if self.0 > 0 {
            self.0 -= 1;
            if self.0 == 0 {
                task.end(Status::Success, json!(null));
            }
        }
    }
}

/// Arguments of `capture`.
#[derive(Reflect, Deserialize)]
pub struct Frames {
    /// Number of frames; negative for no limit.
    pub n: i64,
}

/// Returns the service.
#[must_use]
pub fn service() -> Service {
    Service::new(
        "capture",
        "Takes a number of frames, then stops. Initially cameras take frames without limit, as after a negative \
         number; such a request is never answered, but can be cancelled; 0 stops the camera. \
         While a request is under way, another one is refused.",
        capture,
    )
    .cancellable(stop)
}

fn capture(world: &mut World, entity: Entity, frames: Frames) -> Result<Outcome, ServiceError> {
    if let Some(mut capture) = world.get_mut::<Capture>(entity) {
        capture.0 = frames.n;
    }
    Ok(if frames.n == 0 {
        Outcome::NOTHING
    } else {
        Outcome::Pending
    })
}

/// Stops a camera, and ends its running request.
pub fn interrupt(world: &mut World, camera: Entity) {
    stop(world, camera);
    if let Some(mut task) = world.get_mut::<Task>(camera) {
        task.end(Status::Preempted, json!(null));
    }
}

fn stop(world: &mut World, entity: Entity) {
    if let Some(mut capture) = world.get_mut::<Capture>(entity) {
        capture.0 = 0;
    }
}
