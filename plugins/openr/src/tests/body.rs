//! Tests of a robot's body behind `OVirtualRobotComm`: vectors are executed and sensor values published as on the robot.
use super::*;
use crate::body::{
    comm::{self, CommSettings},
    primitives::MICRO,
    robots::{ERS7, open},
    servo::Gains,
    vectors::{CommandVector, Commands, SensedKind, SensorVector},
};

/// Returns a sender of vectors that move the left front leg forward by a number of µrad per frame.
fn mover(frames: usize, notes: &Notes) -> ObjectInstance {
    let notes = notes.clone();
    let leg = open("PRM:/r2/c1-Joint2:21").expect("a joint");
    let (mut is_primed, mut angle) = (false, 0);
    let object = Scripted::default().init(move |context| {
        context.set_motor_power(true);
        let gains = Gains::new([0x1c, 0, 1]);
        let set = context.set_joint_gain(Some(leg), gains);
        set.err().unwrap_or(Status::SUCCESS)
    });
    let object = object.ready(move |context, _| {
        notes.add(context.now().to_string());
        for _ in 0..if is_primed { 1 } else { 2 } {
            let mut value = || {
                angle += 1000;
                angle
            };
            let commands = Commands::joint(leg, (0..frames).map(|_| value()));
            context.set_region(0, &CommandVector::new(vec![commands]).region());
        }
        is_primed = true;
        context.notify_observers(0);
    });
    let interface = Interface::new("Mover").subject("Move", "OCommandVectorData");
    ObjectInstance::new(interface, object)
}

/// Returns an observer that stores received regions.
fn keeper(name: &str, data: &str, kept: &Arc<Mutex<Vec<Region>>>) -> ObjectInstance {
    let kept = kept.clone();
    let object = Scripted::default().notify(move |context, event| {
        kept.lock()
            .expect("one thread")
            .extend(event.data.iter().cloned());
        context.assert_ready(event.observer);
    });
    ObjectInstance::new(Interface::new(name).observer("In", data), object)
}

/// Runs ten seconds of a robot without motors, with vectors of a number of frames; returns the times of the credits, the
/// sensor values, and the commands to the motors.
fn run(frames: usize) -> (Vec<u64>, Vec<SensorVector>, Vec<Region>) {
    let (notes, sensed, reported) = (Notes::default(), Arc::default(), Arc::default());
    let objects = vec![
        comm::object(&CommSettings::default()),
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
    let mut system = boot(objects, &connections);
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
        // No more once the joint is at its limit.
        let moving = (130_f64.to_radians() / 1e-3).ceil() as usize;
        assert_eq!(reported.len(), moving.min(1250), "a posture each frame");
        let angle = |region: &Region| {
            let json = region.json().expect("JSON");
            let names = json["names"].as_array().expect("names");
            let index = names.iter().position(|name| name == "lf_j1");
            json["positions"][index.expect("the leg")].as_f64()
        };
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
    for primitive in ERS7.primitives {
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

#[test]
fn entries_have_the_types_of_their_values() {
    let (_, sensed, _) = run(4);
    let kinds = |locator: &str| {
        let id = open(locator).expect("a number");
        sensed[9].of(id).expect("an entry").kind.0
    };
    assert_eq!(kinds("PRM:/r2/c1-Joint2:21"), 18);
    assert_eq!(kinds("PRM:/r2/c1/c2/c3/c4-Sensor:24"), 14);
    assert_eq!(kinds("PRM:/p1-Sensor:p1"), 2);
    assert_eq!(kinds("PRM:/a1-Sensor:a1"), 9);
    let all = sensed[0].entries.iter();
    let count = |kind| all.clone().filter(|entry| entry.kind == kind).count();
    let counts = [
        SensedKind::JOINT,
        SensedKind::SWITCH,
        SensedKind::LENGTH,
        SensedKind::ACCELERATION,
        SensedKind::FORCE,
    ]
    .map(count);
    assert_eq!(counts, [18, 6, 3, 3, 4]);
}

/// Runs `OVirtualRobotComm` for ten seconds with components that send a measurement each frame; returns the sensor values.
fn sense(inputs: &[(&str, &str, fn(u64) -> String)]) -> Vec<SensorVector> {
    let sensed = Arc::default();
    let mut settings = CommSettings::default();
    let mut connections = vec![join(
        "OVirtualRobotComm.Sensor.OSensorFrameVectorData.S",
        "Seer.In.OSensorFrameVectorData.O",
    )];
    let mut objects = Vec::new();
    for &(name, kind, measure) in inputs {
        let input = comm::input(&ERS7, name, kind).expect("an input");
        let input = (input, name.to_owned(), kind.to_owned());
        settings.inputs.push(input);
        connections.push(join(
            &format!("Body.{name}.{kind}.S"),
            &format!("OVirtualRobotComm.{name}.{kind}.O"),
        ));
        let mut frame = 0;
        let object = Scripted::default()
            .start(|context| {
                context.wake_after(0, 0);
                Status::SUCCESS
            })
            .extra(move |context, _| {
                context.set_data(0, measure(frame).as_str());
                context.notify_observers(0);
                frame += 1;
                context.wake_after(8 * MS, 0);
            });
        let interface = Interface::new("Body").subject(name, kind).extra("Clock");
        // Measurements come before the frame.
        objects.push(ObjectInstance::new(interface, object).with_priority(0xff));
    }
    objects.push(comm::object(&settings));
    objects.push(keeper("Seer", "OSensorFrameVectorData", &sensed));
    let mut system = boot(objects, &connections);
    system.advance(10_000 * MS);
    let sensed = sensed.lock().expect("one thread");
    let vectors = sensed.iter().map(SensorVector::read);
    vectors.map(|vector| vector.expect("a vector")).collect()
}

#[test]
fn distance_sensors_of_the_head_take_turns() {
    let near = |frame: u64| format!(r#"{{"range": {}}}"#, 0.1 + 1e-6 * frame as f64);
    let far = |frame: u64| format!(r#"{{"range": {}}}"#, 1.0 + 1e-6 * frame as f64);
    let vectors = sense(&[
        ("near_distance", "infrared", near),
        ("far_distance", "infrared", far),
    ]);
    for (turn, locator, start) in [
        (0, "PRM:/r1/c1/c2/c3/p1-Sensor:p1", 100_000),
        (1, "PRM:/r1/c1/c2/c3/p2-Sensor:p2", 1_000_000),
    ] {
        let id = open(locator).expect("a number");
        let values = vectors.iter().flat_map(|vector| {
            let entry = vector.of(id).expect("an entry");
            entry.frames.clone()
        });
        let values: Vec<_> = values.collect();
        assert!((1248..=1250).contains(&values.len()));
        for pair in values[turn..].chunks_exact(2).skip(1) {
            let [measured, kept] = pair else {
                unreachable!();
            };
            assert_eq!([measured.signal, kept.signal], [1, 0]);
            assert_eq!(measured.value, kept.value, "the last one");
        }
        let measured = values.iter().filter(|value| value.signal > 0);
        let measured: Vec<i32> = measured.map(|value| value.value).collect();
        let begin = measured[1];
        assert!((begin - start).abs() < 10, "{begin}");
        let steps = measured[1..].windows(2);
        assert!(steps.into_iter().all(|pair| pair[1] - pair[0] == 2));
    }
}

#[test]
fn switches_touches_and_joints_have_their_values() {
    let paw = |frame: u64| format!(r#"{{"contact": {}, "force": 3.5}}"#, frame >= 600);
    let head = |_| r#"{"contact": true, "force": [0.0, 0.3, -0.4]}"#.to_owned();
    let joints = |_| {
        r#"{"names": ["lf_j1"], "positions": [0.5], "velocities": [0.0], "efforts": [0.0]}"#
            .to_owned()
    };
    let vectors = sense(&[
        ("lf_paw", "foot_switch", paw),
        ("head_touch", "contact", head),
        ("joints", "joint_state", joints),
    ]);
    let value = |vector: usize, locator: &str| {
        let id = open(locator).expect("a number");
        vectors[vector].of(id).expect("an entry").frames[0]
    };
    let paws = [10, 300].map(|vector| value(vector, "PRM:/r2/c1/c2/c3/c4-Sensor:24").value);
    assert_eq!(paws, [0, 1]);
    // 0.5 N, and 20 units per newton: value and signal are equal.
    let touch = value(10, "PRM:/r1/c1/c2/c3/t1-Sensor:t1");
    assert_eq!((touch.value, touch.signal), (10, 10));
    let leg = value(10, "PRM:/r2/c1-Joint2:21");
    assert_eq!((leg.value, leg.reference), (500_000, 500_000));
    // 2048 and 0.5 of 4096 / 2π.
    assert_eq!((leg.signal, leg.reference_signal), (2374, 2374));
}

#[test]
fn a_servo_without_a_command_holds_the_first_measured_position() {
    let commands: Arc<Mutex<Vec<Region>>> = Arc::default();
    let input = (
        comm::Input::Joints,
        "joints".to_owned(),
        "joint_state".to_owned(),
    );
    let settings = CommSettings {
        inputs: vec![input],
        ..CommSettings::default()
    };
    let leg = open("PRM:/r2/c1-Joint2:21").expect("a joint");
    let stand = Scripted::default().init(move |context| {
        context.set_motor_power(true);
        let set = context.set_joint_gain(Some(leg), Gains::new([0x1c, 0, 1]));
        set.err().unwrap_or(Status::SUCCESS)
    });
    // The first measurement comes after the first frames.
    let joints = Scripted::default()
        .start(|context| {
            context.wake_after(20 * MS, 0);
            Status::SUCCESS
        })
        .extra(|context, _| {
            context.set_data(0, r#"{"names": ["lf_j1"], "positions": [-0.7]}"#);
            context.notify_observers(0);
        });
    let objects = vec![
        ObjectInstance::new(
            Interface::new("Body")
                .subject("joints", "joint_state")
                .extra("Clock"),
            joints,
        ),
        comm::object(&settings),
        keeper("Motor", "joints", &commands),
        ObjectInstance::new(Interface::new("Stand"), stand),
    ];
    let connections = [
        join(
            "Body.joints.joint_state.S",
            "OVirtualRobotComm.joints.joint_state.O",
        ),
        join("OVirtualRobotComm.Motors.joints.S", "Motor.In.joints.O"),
    ];
    boot(objects, &connections).advance(200 * MS);
    let commands = commands.lock().expect("one thread");
    let of_leg = commands.iter().filter_map(|region| {
        let json = region.json()?;
        let index = json["names"]
            .as_array()?
            .iter()
            .position(|name| name == "lf_j1")?;
        Some([
            json["positions"][index].as_f64()?,
            json["stiffnesses"][index].as_f64()?,
        ])
    });
    let of_leg: Vec<[f64; 2]> = of_leg.collect();
    assert_eq!(of_leg.len(), 1, "{of_leg:?}");
    assert!(of_leg[0][0] == -0.7 && of_leg[0][1] > 30.0, "{of_leg:?}");
}
