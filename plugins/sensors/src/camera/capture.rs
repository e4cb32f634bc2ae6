//! Frames on request: the service `capture` of all cameras.
use morse_api::{prelude::*, service::Status, state::Stateful};
use serde_json::json;

/// Number of frames that a camera is still to take; negative: without end. It is state.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capture(pub i64);

impl Default for Capture {
    fn default() -> Self {
        Self(-1)
    }
}

impl Stateful for Capture {}

impl Capture {
    /// Tells whether a frame is to be taken.
    #[must_use]
    pub fn is_on(self) -> bool {
        self.0 != 0
    }

    /// A frame was taken.
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
    /// Number of frames; negative: without end.
    pub n: i64,
}

/// The service.
#[must_use]
pub fn service() -> Service {
    Service::new(
        "capture",
        "Takes so many frames, and then no more until it is asked again. Cameras begin as if asked for a negative \
         number: they take frames without end, and such a request is never answered, but can be cancelled; 0 stops them. \
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

/// Stops a camera, and ends the request that it is busy with.
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
