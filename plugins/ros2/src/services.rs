//! Services that control the simulation: those without arguments, as `std_srvs/srv/Trigger`.
use morse_api::service::{Reply, Status};
use ros2_client::Message;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use crate::{
    opening::Opening,
    responses::shortened,
    serving::{Answer, Serve, Service},
};

/// Services of the component `simulation`, each as `/simulation/NAME`.
const SERVICES: [&str; 4] = [
    "reset",
    "reset_objects",
    "suspend_dynamics",
    "restore_dynamics",
];

/// A structure without fields has one byte in CDR.
#[derive(Clone, Default, Serialize, Deserialize)]
pub(crate) struct Empty {
    structure_needs_at_least_one_member: u8,
}

impl Message for Empty {}

/// Response of `std_srvs/srv/Trigger`.
#[derive(Clone, Serialize, Deserialize)]
struct TriggerResponse {
    success: bool,
    message: String,
}

impl Message for TriggerResponse {}

impl Answer for TriggerResponse {
    fn unsendable(message: String) -> Option<Self> {
        let success = false;
        Some(Self { success, message })
    }
}

impl TriggerResponse {
    fn new(reply: Reply) -> Self {
        Self {
            success: reply.status == Status::Success,
            message: match reply.value {
                Json::Null => String::new(),
                Json::String(text) => shortened(text),
                value => shortened(value.to_string()),
            },
        }
    }
}

/// Opens the services.
///
/// # Errors
///
/// DDS refuses a service.
pub(crate) fn open(opening: &mut Opening) -> Result<Vec<Box<dyn Serve>>, String> {
    let open_one = |service: &'static str| {
        let name = format!("/simulation/{service}");
        let served = Service::<Empty, TriggerResponse>::new(
            opening,
            &name,
            ("std_srvs", "Trigger"),
            move |calls, _, respond| {
                let later = respond.clone();
                let reply = move |reply| later.send(TriggerResponse::new(reply));
                if let Err(message) = calls.send(("simulation", service), json!([]), reply) {
                    respond.send(TriggerResponse {
                        success: false,
                        message,
                    });
                }
            },
        )?;
        Ok(Box::new(served) as Box<dyn Serve>)
    };
    SERVICES.into_iter().map(open_one).collect()
}
