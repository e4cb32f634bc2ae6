//! Tests of a robot's body behind `OVirtualRobotComm`: vectors are executed and sensor values published as on the robot.
use super::*;
use crate::body::{
    comm,
    primitives::{ERS7, MICRO, open},
    vectors::{CommandVector, Commands, SensorVector},
};

/// Returns a sender of vectors that move the left front leg forward by a number of µrad per frame.
fn mover(frames: usize, notes: &Notes) -> Part {
    let notes = notes.clone();
    let leg = open("PRM:/r2/c1-Joint2:21").expect("a joint");
    let (mut is_primed, mut angle) = (false, 0);
    let object = Scripted::default().ready(move |context, _| {
        notes.add(context.now().to_string());
        for _ in 0..if is_primed { 1 } else { 2 } {
            let mut value = || {
                angle += 1000;
                angle
            };
            let vector = CommandVector {
                entries: vec![Commands {
                    primitive: leg,
                    frames: (0..frames).map(|_| value()).collect(),
                }],
            };
            context.set_region(0, &vector.region());
        }
        is_primed = true;
        context.notify_observers(0);
    });
    let interface = Interface::new("Mover").subject("Move", "OCommandVectorData");
    Part::new(interface, object)
}

/// Returns an observer that stores received regions.
fn keeper(name: &str, data: &str, kept: &Arc<Mutex<Vec<Region>>>) -> Part {
    let kept = kept.clone();
    let object = Scripted::default().notify(move |context, event| {
        kept.lock()
            .expect("one thread")
            .extend(event.data.iter().cloned());
        context.assert_ready(event.observer);
    });
    Part::new(Interface::new(name).observer("In", data), object)
}

/// Runs ten seconds of a robot without motors, with vectors of a number of frames; returns the times of the credits, the
/// sensor values, and the commands to the motors.
fn run(frames: usize) -> (Vec<u64>, Vec<SensorVector>, Vec<Region>) {
    let (notes, sensed, reported) = (Notes::default(), Arc::default(), Arc::default());
    let parts = vec![
        comm::part(&[], false),
        mover(frames, &notes),
        keeper("Seer", "OSensorFrameVectorData", &sensed),
        keeper("Motor", "joints", &reported),
    ];
    let connections = [
        join(
            "Mover.Move.OCommandVectorData.S",
            "OVirtualRobotComm.Effector.OCommandVectorData.O",
        ),
        join(
            "OVirtualRobotComm.Sensor.OSensorFrameVectorData.S",
            "Seer.In.OSensorFrameVectorData.O",
        ),
        join("OVirtualRobotComm.Motors.joints.S", "Motor.In.joints.O"),
    ];
    let mut system = boot(parts, &connections);
    system.advance(10_000 * MS);
    let times = notes
        .all()
        .iter()
        .map(|time| time.parse().expect("ns"))
        .collect();
    let sensed = sensed.lock().expect("one thread");
    let sensed = sensed
        .iter()
        .map(|region| SensorVector::read(region).expect("a vector"));
    let reported = reported.lock().expect("one thread").clone();
    (times, sensed.collect(), reported)
}

#[test]
fn a_credit_comes_when_a_vector_has_been_played_and_no_frame_is_without_motion() {
    for frames in [4, 16] {
        let (times, _, reported) = run(frames);
        let period = frames as u64 * 8 * MS;
        assert!(
            times[2..]
                .windows(2)
                .all(|pair| pair[1] - pair[0] == period)
        );
        assert_eq!(reported.len(), 1250, "a posture each frame");
        let angle = |region: &Region| region.json().expect("JSON")["positions"][0].as_f64();
        // One millirad per frame, up to the limit of 130 degrees.
        for (number, region) in reported.iter().enumerate() {
            let wanted = ((number + 1) as f64 * 1e-3).min(130_f64.to_radians());
            assert!((angle(region).expect("an angle") - wanted).abs() < 1e-6);
        }
    }
}

#[test]
fn what_is_sensed_comes_four_frames_at_a_time() {
    let (_, sensed, _) = run(4);
    assert!((312..=313).contains(&sensed.len()), "{}", sensed.len());
    for (number, vector) in sensed.iter().enumerate() {
        assert_eq!(vector.entries.len(), 34);
        for entry in &vector.entries {
            assert_eq!(entry.first, 4 * number as u32);
            assert_eq!(entry.frames.len(), 4);
        }
    }
    // One entry for each joint and sensor; none for ears, lights, camera, microphone and speaker.
    for primitive in &ERS7 {
        let id = open(primitive.locator).expect("a number");
        let entries = sensed[0].entries.iter();
        let count = entries.filter(|entry| entry.primitive == id).count();
        assert_eq!(
            count,
            usize::from(primitive.kind.is_sensed()),
            "{primitive:?}"
        );
    }
    let leg = open("PRM:/r2/c1-Joint2:21").expect("a joint");
    let last = sensed
        .last()
        .and_then(|vector| vector.of(leg))
        .expect("the joint");
    let most = (130_f64.to_radians() * MICRO).round() as i32;
    let wanted = i32::try_from(1000 * sensed.len() * 4)
        .expect("small")
        .min(most);
    assert_eq!(last.frames[3].reference, wanted);
}
