//! Sensors and actuators of the simulation as objects: `rover.gps` is the subject `rover.gps.gps.S`, and `rover.motion` the
//! observer `rover.motion.v_omega.O`. The data are JSON; their type is the name of the kind.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::reflect::structs::DynamicStruct;
use morse_api::{
    command::CommandSender,
    fields::{data_to_json, from_json},
    port::Observer,
};
use serde_json::Value as Json;

use crate::{
    context::{Context, Level},
    object::{NotifyEvent, Object, Payload, SystemEvent},
    object_runner::Part,
    region::Region,
    service::{Interface, Service, ServiceName, Side},
    status::Status,
};

/// Priority of the simulation's components: they do not wait for objects.
const PRIORITY: u8 = 0xff;

/// Observer of a sensor, which is reused after each reset.
pub(crate) type Port = Arc<Mutex<Observer>>;

/// Returns an object for a sensor.
pub(crate) fn sensor(port: &Port) -> Part {
    let observer = port.lock().unwrap_or_else(PoisonError::into_inner);
    observer.stay_ready();
    // Discards measurements from before the reset.
    while observer.try_recv().is_some() {}
    let mut interface = Interface::new(&observer.info.path).extra("Reading");
    let service = service(&observer.info.path, observer.info.kind, Side::Subject);
    interface.subjects.push(service);
    Part::new(interface, Sensor(port.clone())).with_priority(PRIORITY)
}

/// Returns an object for an actuator.
pub(crate) fn actuator(sender: &CommandSender) -> Part {
    let mut interface = Interface::new(&sender.info.path);
    let service = service(&sender.info.path, sender.info.kind, Side::Observer);
    interface.observers.push(service);
    Part::new(interface, Actuator(sender.clone())).with_priority(PRIORITY)
}

fn service(path: &str, kind: &str, side: Side) -> Service {
    let (object, service) = path.rsplit_once('.').unwrap_or((path, path));
    Service {
        name: ServiceName {
            object: object.to_owned(),
            service: service.to_owned(),
            data: kind.to_owned(),
            side,
        },
        hears_connections: false,
        hears_events: side == Side::Observer,
    }
}

struct Sensor(Port);

impl Object for Sensor {
    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        let observer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = context.link_count(0) > 0;
        while let Some(reading) = observer.try_recv() {
            if !is_wanted {
                continue;
            }
            let mut json = data_to_json(&observer.info.fields, reading.data());
            if let Json::Object(fields) = &mut json {
                fields.insert("timestamp".to_owned(), reading.seconds().into());
            }
            context.set_data(0, Region::from(json));
        }
        context.notify_observers(0);
    }
}

struct Actuator(CommandSender);

impl Object for Actuator {
    fn do_stop(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.deassert_ready(0)
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        for region in &event.data {
            if let Err(why) = command(&self.0, region) {
                context.log(Level::Error, &why);
            }
        }
        context.assert_ready_to(event.observer, event.sender);
    }
}

/// Sends a command; missing fields keep their values.
fn command(sender: &CommandSender, region: &Region) -> Result<(), String> {
    let Some(Json::Object(fields)) = region.json() else {
        return Err("a command is a JSON object of fields".to_owned());
    };
    let mut command = DynamicStruct::default();
    // Objects may send received data back, which have a time stamp.
    for (name, value) in fields.iter().filter(|(name, _)| *name != "timestamp") {
        let known = &sender.info.fields;
        let field = known.get(name).ok_or_else(|| {
            let names: Vec<&str> = known.0.iter().map(|field| field.name).collect();
            format!(
                "there is no field `{name}`; there are: {}",
                names.join(", ")
            )
        })?;
        let value = from_json(field, value)
            .ok_or_else(|| format!("`{name}` requires {}", field.type_name))?;
        command.insert_boxed(name.clone(), value);
    }
    let sent = sender.send(Box::new(command));
    sent.map_err(|error| error.to_string())
}
