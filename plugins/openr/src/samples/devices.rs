//! Small objects that each show one device: blinking lights, a logger of sensors, and gains of a servo.
use super::servos::{robot, status, switch_on};
use crate::{
    body::{
        primitives::{Kind, MICRO, Robot, Sensor},
        servo::Gains,
        vectors::{Command, CommandVector, Commands, Format, SAME_MODE, SensorVector},
    },
    prelude::*,
};

/// Lights that blink: white on the head, blue on the back.
const LIGHTS: [&str; 2] = ["PRM:/r1/c1/c2/c3/l2-LED2:l2", "PRM:/lu-LED3:lu"];

/// Duration of a state of a light, frames of 8 ms: half a second.
const PERIOD: u16 = 62;

/// Locator of the lights of a face, without their tag, and the tags.
const FACE: &str = "PRM:/r1/c1/c2/c3/";
const FACE_TAGS: [&str; 14] = [
    "la", "lb", "lc", "ld", "le", "lf", "lg", "lh", "li", "lj", "lk", "ll", "lm", "ln",
];

/// Intensities that pass over the lights of a face.
const WAVE: [i32; 4] = [255, 120, 30, 0];

pub(super) fn blink() -> ObjectInstance {
    let interface = Interface::new("Blink").subject("Blink", "OCommandVectorData");
    ObjectInstance::new(interface, Blink::default())
}

/// Makes a light of the head and one of the back blink, in turns. If the face has dimmed lights, a wave of intensities passes
/// over them.
#[derive(Default)]
struct Blink {
    lights: Vec<(u32, Kind)>,
    face: Vec<u32>,
    is_primed: bool,
}

impl Object for Blink {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        for locator in LIGHTS {
            let light = context.open_primitive(locator);
            let light = light.map(|id| (id, context.primitive_kind(id)));
            match light {
                Ok((id, kind)) => self.lights.extend(kind.map(|kind| (id, kind))),
                Err(status) => return status,
            }
        }
        let face = FACE_TAGS.map(|tag| format!("{FACE}{tag}-LED3:{tag}"));
        let face = face.iter().map(|locator| context.open_primitive(locator));
        self.face = face.filter_map(Result::ok).collect();
        Status::SUCCESS
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        if !event.is_assert {
            return;
        }
        let wave = |(light, &primitive): (usize, &u32)| {
            let command = |step: usize| Command {
                value: WAVE[(light + WAVE.len() - step) % WAVE.len()],
                mode: SAME_MODE,
                period: 2 * PERIOD / WAVE.len() as u16,
            };
            Commands {
                primitive,
                format: Format::Led3,
                frames: (0..WAVE.len()).map(command).collect(),
            }
        };
        let entry = |(turn, &(primitive, kind)): (usize, &(u32, Kind))| {
            let (format, brightest) = match kind {
                Kind::Dimmed => (Format::Led3, 255),
                _ => (Format::Led2, 1),
            };
            let command = |step: usize| Command {
                value: if step % 2 == turn % 2 { brightest } else { 0 },
                mode: SAME_MODE,
                period: PERIOD,
            };
            Commands {
                primitive,
                format,
                frames: (0..2).map(command).collect(),
            }
        };
        let lights = self.lights.iter().enumerate().map(entry);
        let face = self.face.iter().enumerate().map(wave);
        let vector = CommandVector::new(lights.chain(face).collect());
        // One vector is executed while the other is queued.
        for _ in 0..if self.is_primed { 1 } else { 2 } {
            context.set_region(0, &vector.region());
        }
        self.is_primed = true;
        context.notify_observers(0);
    }
}

/// Number of vectors of sensor values between two lines: about a second.
const VECTORS_PER_LINE: u32 = 31;

/// Sensors in a line of the log.
const LOGGED: [&str; 5] = [
    "PRM:/a1-Sensor:a1",
    "PRM:/a2-Sensor:a2",
    "PRM:/a3-Sensor:a3",
    "PRM:/p1-Sensor:p1",
    "PRM:/r1/c1/c2/c3/p2-Sensor:p2",
];

pub(super) fn logger() -> ObjectInstance {
    let interface = Interface::new("Logger").observer("Sensor", "OSensorFrameVectorData");
    ObjectInstance::new(interface, Logger::default())
}

/// Logs accelerations, distances, and the switches that are closed, each second.
#[derive(Default)]
struct Logger {
    sensors: Vec<u32>,
    received: u32,
}

impl Object for Logger {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let opened: Result<Vec<u32>, Status> = LOGGED
            .iter()
            .map(|locator| context.open_primitive(locator))
            .collect();
        status(opened.map(|sensors| self.sensors = sensors))
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        for region in &event.data {
            self.received += 1;
            let is_due = self.received.is_multiple_of(VECTORS_PER_LINE);
            if let (true, Ok(vector)) = (is_due, SensorVector::read(region)) {
                let line = self.line(robot(context), &vector);
                context.log(Level::Info, &line);
            }
        }
        context.assert_ready(event.observer);
    }
}

impl Logger {
    fn line(&self, robot: &Robot, vector: &SensorVector) -> String {
        let newest = |id: u32| vector.of(id)?.frames.last().copied();
        let value = |id: u32| newest(id).map_or(0.0, |value| f64::from(value.value) / MICRO);
        let [ahead, right, up, chest, far] =
            std::array::from_fn(|index| self.sensors.get(index).map_or(0.0, |id| value(*id)));
        let closed = robot.ids().filter_map(|(id, primitive)| {
            let Kind::Sensor(sensor, name) = primitive.kind else {
                return None;
            };
            let is_felt = matches!(sensor, Sensor::Switch | Sensor::Touch);
            (is_felt && newest(id)?.value > 0).then_some(name)
        });
        let closed: Vec<&str> = closed.collect();
        format!(
            "{ahead:.2} {right:.2} {up:.2} m/s², {chest:.3} m ahead of the chest, {far:.3} m of the head, touched: {}",
            closed.join(" ")
        )
    }
}

/// Joint whose gains are changed, its angle, rad, and the durations of both sets of gains, ns.
const NOD: &str = "PRM:/r1/c1/c2/c3-Joint2:13";
const RAISED: f64 = 0.5;
const HOLD: u64 = 2_000_000_000;

/// Gains that are weak.
const WEAK: Gains = Gains::new([1, 0, 1]);

pub(super) fn gains() -> ObjectInstance {
    let interface = Interface::new("Gains").subject("Move", "OCommandVectorData");
    ObjectInstance::new(interface.extra("Change"), GainChanger::default())
}

/// Raises the head, and holds it with the usual and with weak gains in turns; logs how far it sags.
#[derive(Default)]
struct GainChanger {
    joint: u32,
    usual: Gains,
    is_weak: bool,
    is_raised: bool,
}

impl Object for GainChanger {
    fn do_init(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        let opened = switch_on(context, [NOD]).and_then(|joints| {
            self.joint = joints.first().copied().ok_or(Status::NOT_FOUND)?;
            self.usual = context.joint_gain(self.joint)?;
            Ok(())
        });
        status(opened)
    }

    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(HOLD, 0);
        Status::SUCCESS
    }

    fn ready(&mut self, context: &mut Context<'_>, event: ReadyEvent) {
        // The joint keeps its target after the vector.
        if event.is_assert && !self.is_raised {
            self.is_raised = true;
            let angle = (RAISED * MICRO).round() as i32;
            let commands = Commands::joint(self.joint, [angle]);
            context.set_region(0, &CommandVector::new(vec![commands]).region());
            context.notify_observers(0);
        }
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(HOLD, 0);
        let Ok(value) = context.joint_value(self.joint) else {
            return;
        };
        let sag = f64::from(value.reference - value.value) / MICRO;
        let gains = if self.is_weak { "weak" } else { "usual" };
        let line = format!("{gains} gains: {sag:.4} rad, duty {}", value.duty);
        context.log(Level::Info, &line);
        self.is_weak = !self.is_weak;
        let next = if self.is_weak { WEAK } else { self.usual };
        if let Err(status) = context.set_joint_gain(Some(self.joint), next) {
            context.log(Level::Error, &format!("cannot set gains: {status}"));
        }
    }
}
