//! Sensors and actuators of the simulation as objects: `rover.gps` is the subject `rover.gps.gps.S`, and `rover.motion` the
//! observer `rover.motion.v_omega.O`. The data are JSON; their type is the name of the kind. A camera also has a subject of
//! images without JSON: `rover.camera.rgba.S`.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::reflect::structs::{DynamicStruct, Struct};
use morse_api::{
    command::CommandSender,
    fields::{data_to_json, from_json},
    port::Observer,
    samples::Samples,
};
use serde_json::Value as Json;

use crate::{
    body::image::{PICTURE, Picture},
    context::{Context, Level},
    object::{NotifyEvent, Object, Payload, SystemEvent},
    object_runner::ObjectInstance,
    region::Region,
    service::{Interface, Service, ServiceName, Side},
    status::Status,
};

/// Priority of the simulation's components: they do not wait for objects.
const PRIORITY: u8 = 0xff;

/// Observer of a sensor, which is reused after each reset.
pub(crate) type Port = Arc<Mutex<Observer>>;

/// Returns an object for a sensor.
pub(crate) fn sensor(port: &Port) -> ObjectInstance {
    let observer = port.lock().unwrap_or_else(PoisonError::into_inner);
    observer.stay_ready();
    // Discards measurements from before the reset.
    while observer.try_recv().is_some() {}
    let mut interface = Interface::new(&observer.info.path).extra("Reading");
    let subject = |data: &str| service(&observer.info.path, data, Side::Subject);
    interface.subjects.push(subject(observer.info.kind));
    if observer.info.kind == CAMERA {
        interface.subjects.push(subject(PICTURE));
    }
    ObjectInstance::new(interface, Sensor(port.clone())).with_priority(PRIORITY)
}

/// Returns an object for an actuator.
pub(crate) fn actuator(sender: &CommandSender) -> ObjectInstance {
    let mut interface = Interface::new(&sender.info.path);
    let service = service(&sender.info.path, sender.info.kind, Side::Observer);
    interface.observers.push(service);
    ObjectInstance::new(interface, Actuator(sender.clone())).with_priority(PRIORITY)
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

/// Kind of colour cameras.
const CAMERA: &str = "video_camera";

/// Indices of the subjects of a sensor: readings, and images of a camera.
const READING: usize = 0;
const IMAGE: usize = 1;

struct Sensor(Port);

impl Object for Sensor {
    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        let observer = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_wanted = context.link_count(READING) > 0;
        let is_seen = context.link_count(IMAGE) > 0;
        while let Some(reading) = observer.try_recv() {
            if is_seen && let Some(picture) = picture(reading.data()) {
                context.set_region(IMAGE, &picture);
            }
            if !is_wanted {
                continue;
            }
            let mut json = data_to_json(&observer.info.fields, reading.data());
            if let Json::Object(fields) = &mut json {
                fields.insert("timestamp".to_owned(), reading.seconds().into());
            }
            context.set_data(READING, Region::from(json));
        }
        context.notify_observers(READING);
        if is_seen {
            context.notify_observers(IMAGE);
        }
    }
}

/// Returns the image in the data of a camera.
fn picture(data: &dyn Struct) -> Option<Region> {
    let side = |name: &str| data.field(name)?.try_downcast_ref::<u32>().copied();
    let pixels = data.field("image")?.try_downcast_ref::<Samples<u8>>()?;
    let size = [side("width")? as usize, side("height")? as usize];
    let picture = Picture {
        size,
        pixels: pixels.values(),
    };
    Some(picture.region())
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
