//! `OVirtualRobotAudioComm`, the system object of loudspeaker and microphones.
//!
//! It plays vectors of sound, and publishes what the microphones receive each 32 ms: the robot's own loudspeaker, since other
//! sounds are not simulated.
use std::collections::VecDeque;

use super::{
    Header,
    primitives::{Kind, Robot},
    sound::{FINE, SIMPLE, STEREO, SoundVector},
};
use crate::{lockstep::FRAME, prelude::*, sync::SyncKey};

/// Name of the object.
pub const NAME: &str = "OVirtualRobotAudioComm";

/// Indices of its services.
const SPEAKER: usize = 0;
const MIC: usize = 0;

/// Number of samples of the microphones in a frame of 8 ms, and number of frames in a vector.
const FRAME_SAMPLES: usize = 128;
const MIC_FRAMES: usize = 4;

/// Maximum number of queued vectors.
const MOST_WAITING: usize = 16;

/// Amplitude of the loudspeaker at the microphones is divided by this: an assumption.
const FAR: i16 = 4;

/// Returns the object.
pub(crate) fn object(robot: &'static Robot) -> ObjectInstance {
    let interface = Interface::new(NAME)
        .subject("Mic", "OSoundVectorData")
        .observer("Speaker", "OSoundVectorData")
        .extra("Frame");
    let is_microphone = |kind: Kind| kind == Kind::Microphone;
    let mut known = robot.ids();
    let microphone = known.find(|(_, primitive)| is_microphone(primitive.kind));
    let audio = Audio {
        microphone: microphone.map_or(0, |(id, _)| id),
        queue: VecDeque::new(),
        heard: Vec::new(),
        number: 0,
    };
    ObjectInstance::new(interface, audio).with_priority(0xf8)
}

struct Audio {
    /// Number of the primitive of the microphones.
    microphone: u32,
    queue: VecDeque<Playing>,
    /// Samples of the vector of the microphones.
    heard: Vec<i16>,
    number: u32,
}

/// Queued vector of sound.
struct Playing {
    sender: usize,
    /// Sync key that it waits for.
    key: Option<SyncKey>,
    /// Number of frames before it starts.
    wait: u32,
    /// Samples at the rate of the microphones, and the number of those that were played.
    samples: Vec<i16>,
    played: usize,
}

impl Object for Audio {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        context.wake_after(FRAME, 0);
        context.assert_ready_to_all()
    }

    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        for region in &event.data {
            match read(context, event.sender, region) {
                Ok(vector) if self.queue.len() < MOST_WAITING => self.queue.push_back(vector),
                Ok(_) => context.log(Level::Warning, "too many queued sounds: one was dropped"),
                Err(why) => {
                    context.log(Level::Error, &format!("invalid vector of sound: {why}"));
                    context.assert_ready_to(SPEAKER, event.sender);
                }
            }
        }
    }

    fn extra(&mut self, context: &mut Context<'_>, _: usize, _: &Payload) {
        context.wake_after(FRAME, 0);
        let played = self.play(context);
        for sample in played {
            self.heard.extend([sample / FAR; 2]);
        }
        if self.heard.len() >= 2 * MIC_FRAMES * FRAME_SAMPLES {
            let vector = SoundVector {
                header: Header::default(),
                primitive: self.microphone,
                number: self.number,
                format: STEREO,
                samples: std::mem::take(&mut self.heard),
            };
            self.number = self.number.wrapping_add(1);
            context.set_data(MIC, vector.region());
            context.notify_observers(MIC);
        }
    }
}

impl Audio {
    /// Plays a frame of the first vector, unless it waits; returns the samples.
    fn play(&mut self, context: &mut Context<'_>) -> [i16; FRAME_SAMPLES] {
        let mut frame = [0; FRAME_SAMPLES];
        let Some(first) = self.queue.front_mut() else {
            return frame;
        };
        if let Some(key) = first.key {
            let is_whole = context.platform(|platform| platform.keys.is_whole(key));
            if is_whole != Some(true) {
                return frame;
            }
            context.platform(|platform| platform.keys.start(key));
            first.key = None;
        }
        if first.wait > 0 {
            first.wait -= 1;
            return frame;
        }
        let rest = &first.samples[first.played..];
        let count = rest.len().min(FRAME_SAMPLES);
        frame[..count].copy_from_slice(&rest[..count]);
        first.played += count;
        if first.played == first.samples.len() {
            context.assert_ready_to(SPEAKER, first.sender);
            self.queue.pop_front();
        }
        frame
    }
}

/// Reads a vector in one of the formats of the loudspeaker.
fn read(context: &mut Context<'_>, sender: usize, region: &Region) -> Result<Playing, String> {
    let vector = SoundVector::read(region).map_err(|status| status.to_string())?;
    let kind = context.primitive_kind(vector.primitive);
    if kind != Some(Kind::Speaker) {
        let id = vector.primitive;
        return Err(format!(
            "{}: {id} is no loudspeaker",
            Status::INVALID_PRIMITIVE_ID
        ));
    }
    let samples = match vector.format {
        SIMPLE => vector
            .samples
            .iter()
            .flat_map(|&sample| [sample; 2])
            .collect(),
        FINE => vector.samples,
        other => {
            return Err(format!(
                "{}: the loudspeaker has 8 kHz with 8 bits or 16 kHz with 16 bits, and one channel, not {other:?}",
                Status::INVALID_DATA_TYPE
            ));
        }
    };
    let key = (vector.header.sync_key != 0).then_some(SyncKey(vector.header.sync_key));
    if let Some(key) = key {
        context
            .meet_sync_key(key)
            .map_err(|status| status.to_string())?;
    }
    Ok(Playing {
        sender,
        key,
        wait: vector.header.wait,
        samples,
        played: 0,
    })
}
