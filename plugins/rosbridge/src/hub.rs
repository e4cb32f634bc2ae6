//! State that all clients share, apart from the topics of the simulation.
use std::collections::BTreeMap;

use crate::{
    actions::Actions, broker::Broker, outbox::Outbox, parameters::Parameters,
    republisher::Republisher,
};

/// Services, actions, parameters and frames of all clients.
#[derive(Default)]
pub(crate) struct Hub {
    /// Services and actions of clients.
    pub(crate) broker: Broker,
    /// Actions of actuators.
    pub(crate) actions: Actions,
    /// Frames whose poses clients request.
    pub(crate) republisher: Republisher,
    /// Parameters.
    pub(crate) parameters: Parameters,
    /// Requests of trajectories without an action, by path of the actuator.
    pub(crate) trajectories: BTreeMap<String, u64>,
    /// Messages to be sent.
    pub(crate) outbox: Outbox,
}
