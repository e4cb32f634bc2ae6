//! Frames for viewers: poses and readings that have changed since the viewer's last frame.
//!
//! A frame is little-endian: 2 (u8, the format), 1 if the run is paused (u8), two zero bytes, the number of the frame (u32),
//! the tick and the time in s (f64), the requested and the measured speed, simulated seconds per second (f32). Then follow
//! the number of moved bodies and, for each, the number of bodies between it and the previous one, its position in m (3 f32)
//! and its orientation in units of 1/32767 (x, y, z, w, 4 i16); the lamps that changed, in the same form: red, green and
//! blue (3 u8, sRGB), brightness, distance in m and opening angle in rad (3 f32); then the number of readings and, for each, the index of its
//! sensor, its length and the encoding of [`crate::values::reading`]. States of graphs are readings with indices above those
//! of sensors, encoded by [`crate::graphs`]. Counts are encoded like lengths.
use std::{collections::BTreeSet, sync::Arc};

use morse_api::{
    lighting::{Lamp, Shine},
    world_view::Poses,
};

use crate::values::length;

/// Maximum number of bytes of readings per frame; the rest follows in the next frame.
const MOST_READINGS: usize = 8 << 20;
/// Bytes of a body's pose.
const POSE: usize = 20;
/// Bytes of a lamp's state.
const LAMP: usize = 15;

/// Header of the frames of a moment.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Moment {
    pub(crate) tick: u64,
    pub(crate) seconds: f64,
    pub(crate) is_held: bool,
    /// Requested speed, simulated seconds per second.
    pub(crate) factor: f64,
    /// Measured speed, simulated seconds per second.
    pub(crate) measured: f64,
}

/// A value, and the frame in which it changed.
struct Dated<T> {
    value: T,
    since: u32,
}

impl<T: PartialEq> Dated<T> {
    /// Sets the value in a frame. Returns true if it has changed.
    fn update(&mut self, value: T, since: u32) -> bool {
        let is_new = self.value != value;
        if is_new {
            *self = Self { value, since };
        }
        is_new
    }
}

/// Latest state of the world, as far as viewers see it.
pub(crate) struct Frames {
    moment: Moment,
    /// Number of the latest frame.
    newest: u32,
    bodies: Vec<Dated<[u8; POSE]>>,
    lamps: Vec<Dated<[u8; LAMP]>>,
    readings: Vec<Option<Dated<Arc<[u8]>>>>,
    /// Encoded bodies of the latest frame, by the last frame of their viewers.
    cached: Vec<(u32, Vec<u8>)>,
}

/// Last frame of a viewer, and the readings that it subscribes to.
#[derive(Debug, Default)]
pub(crate) struct View {
    /// Number of the last frame that was sent to the viewer.
    pub(crate) has: u32,
    /// Indices of the sensors that the viewer watches.
    pub(crate) watched: BTreeSet<usize>,
    /// Those of `watched` whose last reading has not been sent yet, whatever its age.
    pub(crate) lacks: BTreeSet<usize>,
}

impl Frames {
    /// Returns an empty state, with these numbers of bodies and lamps, and of sensors and graphs.
    pub(crate) fn new(bodies: usize, lamps: usize, channels: usize) -> Self {
        let nowhere = || Dated {
            value: [0; POSE],
            since: 0,
        };
        let dark = || Dated {
            value: [0; LAMP],
            since: 0,
        };
        Self {
            moment: Moment::default(),
            newest: 0,
            bodies: (0..bodies).map(|_| nowhere()).collect(),
            lamps: (0..lamps).map(|_| dark()).collect(),
            readings: (0..channels).map(|_| None).collect(),
            cached: Vec::new(),
        }
    }

    /// Returns the moment of the latest frame.
    pub(crate) fn moment(&self) -> Moment {
        self.moment
    }

    /// Begins a new frame if the moment, the poses or the readings have changed.
    pub(crate) fn advance(&mut self, moment: Moment, poses: Option<&Poses>, has_readings: bool) {
        if self.newest == 0 && poses.is_none() {
            // The poses are not available yet.
            return;
        }
        let next = self.newest.wrapping_add(1);
        let mut is_new = has_readings || moment != self.moment || self.newest == 0;
        for (body, pose) in self
            .bodies
            .iter_mut()
            .zip(poses.into_iter().flat_map(|poses| &poses.bodies))
        {
            let value = packed(
                pose.translation.vector.as_ref(),
                pose.rotation.coords.as_ref(),
            );
            is_new |= body.update(value, next);
        }
        let lamps = poses.into_iter().flat_map(|poses| &poses.lamps);
        for (known, (lamp, shine)) in self.lamps.iter_mut().zip(lamps) {
            is_new |= known.update(lit(lamp, *shine), next);
        }
        if is_new {
            self.moment = moment;
            self.newest = next;
            self.cached.clear();
        }
    }

    /// Stores a reading, for the frame that [`Frames::advance`] begins next.
    pub(crate) fn keep(&mut self, sensor: usize, reading: Vec<u8>) {
        let since = self.newest.wrapping_add(1);
        if let Some(slot) = self.readings.get_mut(sensor) {
            *slot = Some(Dated {
                value: reading.into(),
                since,
            });
        }
    }

    /// Discards all readings after a reset.
    pub(crate) fn forget_all(&mut self) {
        self.readings.fill_with(|| None);
    }

    /// Discards the reading of a sensor without viewers.
    pub(crate) fn forget(&mut self, sensor: usize) {
        if let Some(slot) = self.readings.get_mut(sensor) {
            *slot = None;
        }
    }

    /// Returns the latest frame for a viewer, if it differs from the viewer's last one, and marks it as sent.
    pub(crate) fn take(&mut self, view: &mut View) -> Option<Vec<u8>> {
        let has_lack = |sensor: &usize| self.readings.get(*sensor).is_some_and(Option::is_some);
        if view.has == self.newest && !view.lacks.iter().any(has_lack) {
            return None;
        }
        let mut out = self.head();
        out.extend(self.moved(view.has));
        let mut readings = Vec::new();
        let (mut count, mut later) = (0, BTreeSet::new());
        for &sensor in &view.watched {
            let Some(Some(reading)) = self.readings.get(sensor) else {
                // The reading is sent once it is measured.
                continue;
            };
            if reading.since <= view.has && !view.lacks.contains(&sensor) {
                continue;
            }
            if count > 0 && readings.len() + reading.value.len() > MOST_READINGS {
                later.insert(sensor);
                continue;
            }
            length(&mut readings, sensor);
            length(&mut readings, reading.value.len());
            readings.extend(reading.value.iter());
            count += 1;
        }
        length(&mut out, count);
        out.extend(readings);
        view.lacks
            .retain(|sensor| !self.readings.get(*sensor).is_some_and(Option::is_some));
        view.lacks.extend(later);
        view.has = self.newest;
        Some(out)
    }

    fn head(&self) -> Vec<u8> {
        let Moment {
            tick,
            seconds,
            is_held,
            factor,
            measured,
        } = self.moment;
        let mut out = vec![2, u8::from(is_held), 0, 0];
        out.extend(self.newest.to_le_bytes());
        out.extend((tick as f64).to_le_bytes());
        out.extend(seconds.to_le_bytes());
        out.extend((factor as f32).to_le_bytes());
        out.extend((measured as f32).to_le_bytes());
        out
    }

    /// Returns the bodies and lamps that have changed since a frame. Viewers with the same last frame share the result.
    fn moved(&mut self, has: u32) -> Vec<u8> {
        if let Some((_, known)) = self.cached.iter().find(|(since, _)| *since == has) {
            return known.clone();
        }
        let mut whole = Vec::new();
        list(&mut whole, &self.bodies, has);
        list(&mut whole, &self.lamps, has);
        self.cached.push((has, whole.clone()));
        whole
    }
}

/// Appends the values that have changed since a frame: their number, and for each the number of values between it and the
/// previous one, and its bytes.
fn list<const N: usize>(out: &mut Vec<u8>, values: &[Dated<[u8; N]>], has: u32) {
    let (mut changed, mut count, mut next) = (Vec::new(), 0, 0);
    let values = values.iter().enumerate();
    for (index, value) in values.filter(|(_, value)| value.since > has) {
        length(&mut changed, index - next);
        changed.extend(value.value);
        (count, next) = (count + 1, index + 1);
    }
    length(out, count);
    out.extend(changed);
}

fn lit(lamp: &Lamp, shine: Shine) -> [u8; LAMP] {
    let [red, green, blue] = lamp
        .color
        .map(|channel| (channel.clamp(0.0, 1.0) * 255.0).round() as u8);
    let mut bytes = [0; LAMP];
    let numbers = [shine.0, lamp.distance, lamp.size].into_iter();
    let numbers = numbers.flat_map(|number| (number as f32).to_le_bytes());
    let values = [red, green, blue].into_iter().chain(numbers);
    bytes
        .iter_mut()
        .zip(values)
        .for_each(|(byte, value)| *byte = value);
    bytes
}

fn packed(position: &[f64; 3], attitude: &[f64; 4]) -> [u8; POSE] {
    let mut bytes = [0; POSE];
    let position = position
        .iter()
        .flat_map(|value| (*value as f32).to_le_bytes());
    let attitude = attitude
        .iter()
        .flat_map(|value| ((value * 32767.0).round() as i16).to_le_bytes());
    for (byte, value) in bytes.iter_mut().zip(position.chain(attitude)) {
        *byte = value;
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns poses of bodies with these x coordinates.
    fn poses(at: &[f64]) -> Poses {
        let mut poses = Poses::default();
        for x in at {
            let mut pose = poses.bodies.first().copied().unwrap_or_default();
            pose.translation.x = *x;
            poses.bodies.push(pose);
        }
        poses
    }

    fn moment(tick: u64) -> Moment {
        Moment {
            tick,
            ..Moment::default()
        }
    }

    /// Parses a frame: its number, the bodies and their x, and the sensors and their readings.
    fn read(frame: &[u8]) -> (u32, Vec<(usize, f32)>, Vec<(usize, Vec<u8>)>) {
        let number = u32::from_le_bytes(frame[4..8].try_into().unwrap());
        let mut offset = 32;
        let mut byte = || {
            offset += 1;
            usize::from(frame[offset - 1])
        };
        let (mut bodies, mut next) = (Vec::new(), 0);
        for _ in 0..byte() {
            next += byte();
            let x: Vec<u8> = (0..POSE).map(|_| byte() as u8).take(POSE).collect();
            bodies.push((next, f32::from_le_bytes(x[..4].try_into().unwrap())));
            next += 1;
        }
        assert_eq!(byte(), 0, "no lamp");
        let mut readings = Vec::new();
        for _ in 0..byte() {
            let (sensor, length) = (byte(), byte());
            readings.push((sensor, (0..length).map(|_| byte() as u8).collect()));
        }
        assert_eq!(offset, frame.len(), "all was read");
        (number, bodies, readings)
    }

    #[test]
    fn a_viewer_gets_what_it_lacks() {
        let mut frames = Frames::new(3, 0, 1);
        let (mut quick, mut slow) = (View::default(), View::default());
        assert_eq!(frames.take(&mut quick), None, "nothing is known yet");
        frames.advance(moment(1), Some(&poses(&[1.0, 2.0, 3.0])), false);
        let (number, bodies, _) = read(&frames.take(&mut quick).unwrap());
        assert_eq!((number, bodies), (1, vec![(0, 1.0), (1, 2.0), (2, 3.0)]));
        assert_eq!(frames.take(&mut quick), None, "it has it all");
        frames.advance(moment(2), Some(&poses(&[1.0, 2.5, 3.0])), false);
        assert_eq!(read(&frames.take(&mut quick).unwrap()).1, [(1, 2.5)]);
        frames.advance(moment(3), Some(&poses(&[1.0, 2.5, 4.0])), false);
        assert_eq!(read(&frames.take(&mut quick).unwrap()).1, [(2, 4.0)]);
        // A viewer that missed two frames gets the latest one complete.
        let (number, bodies, _) = read(&frames.take(&mut slow).unwrap());
        assert_eq!((number, bodies), (3, vec![(0, 1.0), (1, 2.5), (2, 4.0)]));
        frames.advance(moment(3), Some(&poses(&[1.0, 2.5, 4.0])), false);
        assert_eq!(frames.take(&mut quick), None, "nothing has happened");
        let held = Moment {
            is_held: true,
            ..moment(3)
        };
        frames.advance(held, None, false);
        let frame = frames.take(&mut quick).unwrap();
        assert_eq!((frame[1], read(&frame).1), (1, vec![]));
    }

    #[test]
    fn lamps_are_sent_when_they_change() {
        let mut frames = Frames::new(0, 2, 0);
        let mut viewer = View::default();
        let lamp = Lamp {
            color: [1.0, 0.5, 0.0],
            distance: 2.0,
            size: 1.5,
        };
        let mut poses = Poses {
            lamps: vec![(lamp, Shine(0.0)), (lamp, Shine(0.25))],
            ..Poses::default()
        };
        let lit = |shine: f32| {
            let numbers = [shine, 2.0, 1.5].map(f32::to_le_bytes);
            [&[255, 128, 0], numbers.as_flattened()].concat()
        };
        frames.advance(moment(1), Some(&poses), false);
        let frame = frames.take(&mut viewer).unwrap();
        let expected = [&[0, 2, 0][..], &lit(0.0), &[0], &lit(0.25), &[0]].concat();
        assert_eq!(frame[32..], expected);
        poses.lamps[1].1 = Shine(1.0);
        frames.advance(moment(1), Some(&poses), false);
        let frame = frames.take(&mut viewer).unwrap();
        assert_eq!(frame[32..], [&[0, 1, 1][..], &lit(1.0), &[0]].concat());
    }

    #[test]
    fn readings_go_to_who_watches() {
        let mut frames = Frames::new(0, 0, 2);
        let mut viewer = View::default();
        viewer.watched.insert(1);
        frames.keep(0, vec![7]);
        frames.keep(1, vec![8, 9]);
        frames.advance(moment(1), None, true);
        assert_eq!(
            frames.take(&mut viewer),
            None,
            "where things are comes first"
        );
        frames.advance(moment(1), Some(&poses(&[])), true);
        assert_eq!(
            read(&frames.take(&mut viewer).unwrap()).2,
            [(1, vec![8, 9])]
        );
        // A reading from before is sent to a viewer that subscribes now.
        viewer.watched.insert(0);
        viewer.lacks.insert(0);
        assert_eq!(read(&frames.take(&mut viewer).unwrap()).2, [(0, vec![7])]);
        assert_eq!(frames.take(&mut viewer), None);
        frames.forget(0);
        frames.advance(moment(2), None, false);
        assert_eq!(read(&frames.take(&mut viewer).unwrap()).2, []);
    }

    #[test]
    fn poses_keep_their_bits() {
        let bytes = packed(&[1.5, -2.0, 0.0], &[0.0, 0.0, 1.0, -1.0]);
        assert_eq!(bytes[..4], 1.5_f32.to_le_bytes());
        assert_eq!(bytes[16..], [0xff, 0x7f, 0x01, 0x80]);
    }
}
