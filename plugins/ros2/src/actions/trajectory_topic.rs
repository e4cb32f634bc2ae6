//! Topic on which an actuator accepts trajectories.
use morse_api::service::Status;
use morse_ros::{
    actions::{plain, trajectory::arguments},
    messages::{JointTrajectory, Message as _},
};
use ros2_client::Subscription;

use super::Opened;
use crate::{
    Quality,
    ends::End,
    opening::{Opening, profile},
    serving::{Calls, Serve},
};

/// The topic.
pub(super) struct Topic {
    arm: String,
    subscription: Subscription<JointTrajectory>,
    /// Number of the last request.
    request: Option<u64>,
}

impl Topic {
    pub(super) fn open(opening: &mut Opening, name: &str, arm: &str) -> Opened {
        let quality = profile(Quality::Reliable);
        let topic = opening.topic(name, JointTrajectory::TYPE, &quality)?;
        let subscription = opening.node.create_subscription(&topic, Some(quality));
        let subscription: Subscription<JointTrajectory> =
            subscription.map_err(|why| format!("topic `{name}`: {why}"))?;
        let end = End::new(name, JointTrajectory::TYPE, true);
        opening.ends.add(subscription.guid(), end);
        Ok(Box::new(Self {
            arm: arm.to_owned(),
            subscription,
            request: None,
        }))
    }

    fn follow(&mut self, calls: &Calls, trajectory: &JointTrajectory) {
        let notes = calls.notes.clone();
        let arm = self.arm.clone();
        let refused =
            move |why: &str| notes.add(format!("`{arm}`: a trajectory is refused: {why}"));
        let arguments = match arguments(trajectory) {
            Ok(arguments) => arguments,
            Err(why) => return refused(&why.to_string()),
        };
        // An actuator follows one trajectory at a time: the new one replaces the old one.
        if let Some(running) = self.request.take() {
            calls.cancel(running);
        }
        let later = refused.clone();
        let sent = calls.send((&self.arm, "trajectory"), arguments, move |reply| {
            if reply.status == Status::Failed {
                later(&plain(&reply.value));
            }
        });
        match sent {
            Ok(request) => self.request = Some(request),
            Err(why) => refused(&why),
        }
    }
}

impl Serve for Topic {
    fn update(&mut self, calls: &Calls) {
        // The last one counts.
        let mut last = None;
        loop {
            match self.subscription.take() {
                Ok(Some((trajectory, _))) => last = Some(trajectory),
                Ok(None) => break,
                Err(why) => {
                    let arm = &self.arm;
                    calls
                        .notes
                        .add(format!("`{arm}`: a trajectory is invalid: {why}"));
                }
            }
        }
        if let Some(trajectory) = last {
            self.follow(calls, &trajectory);
        }
    }
}
