//! `IPStack`, the system object that polls the endpoints of the network in each frame.
use std::sync::Arc;

use crate::{lockstep::FRAME, prelude::*};

/// Name of the object.
const NAME: &str = "IPStack";

/// Returns the object.
pub(crate) fn object() -> ObjectInstance {
    ObjectInstance::new(Interface::new(NAME).extra("Frame"), Stack).with_priority(0xf8)
}

struct Stack;

impl Object for Stack {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(FRAME, 0);
        Status::SUCCESS
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(FRAME, 0);
        let now = context.now();
        let complete = context.platform(|platform| platform.network.poll(now));
        for (object, entry, completion) in complete.unwrap_or_default() {
            let payload: Payload = Some(Arc::new(completion));
            context.call(object, entry, payload);
        }
    }
}
