//! Tests of loudspeaker and microphones.
use super::*;
use crate::body::{
    Header, audio,
    robots::{ERS7, open},
    sound::{SIMPLE, STEREO, SoundFormat, SoundVector},
};

/// Returns an object that plays sounds of 256 samples, two ahead, and notes the times of the credits, ms.
fn player(format: SoundFormat, wait: u32, notes: &Notes) -> ObjectInstance {
    let times = notes.clone();
    let mut is_primed = false;
    let object = Scripted::default().ready(move |context, _| {
        times.add((context.now() / MS).to_string());
        let vector = SoundVector {
            header: Header {
                wait,
                ..Header::default()
            },
            primitive: open("PRM:/s1-Speaker:S1").expect("a loudspeaker"),
            number: 0,
            format,
            // A square wave of 1 kHz at 8 kHz.
            samples: (0..256)
                .map(|index| if index % 8 < 4 { 0x4000 } else { -0x4000 })
                .collect(),
        };
        for _ in 0..if is_primed { 1 } else { 2 } {
            context.set_region(0, &vector.region());
        }
        is_primed = true;
        context.notify_observers(0);
    });
    let interface = Interface::new("Player").subject("Out", "OSoundVectorData");
    ObjectInstance::new(interface, object)
}

/// Runs an object that plays sounds of 256 samples, and an observer of the microphones, for a second; returns the times of the
/// credits, ms, the received vectors, and the log.
fn run(format: SoundFormat, wait: u32) -> (Vec<u64>, Vec<SoundVector>, Vec<String>) {
    let notes = Notes::default();
    let heard: Arc<Mutex<Vec<Region>>> = Arc::default();
    let kept = heard.clone();
    let listener = Scripted::default().notify(move |context, event| {
        kept.lock()
            .expect("one thread")
            .extend(event.data.iter().cloned());
        context.assert_ready(0);
    });
    let objects = vec![
        audio::object(&ERS7),
        player(format, wait, &notes),
        ObjectInstance::new(
            Interface::new("Ear").observer("In", "OSoundVectorData"),
            listener,
        ),
    ];
    let connections = [
        join(
            "Player.Out.OSoundVectorData.S",
            "OVirtualRobotAudioComm.Speaker.OSoundVectorData.O",
        ),
        join(
            "OVirtualRobotAudioComm.Mic.OSoundVectorData.S",
            "Ear.In.OSoundVectorData.O",
        ),
    ];
    let mut system = boot(objects, &connections);
    system.advance(1000 * MS);
    let times = notes
        .all()
        .iter()
        .map(|time| time.parse().expect("ms"))
        .collect();
    let heard = heard.lock().expect("one thread");
    let heard = heard
        .iter()
        .map(|region| SoundVector::read(region).expect("a vector"));
    let log = system.take_log().into_iter().map(|line| line.text);
    (times, heard.collect(), log.collect())
}

#[test]
fn sounds_are_played_without_a_gap_and_heard() {
    let (times, heard, log) = run(SIMPLE, 0);
    // 256 samples at 8 kHz are 32 ms.
    let periods = times[1..].windows(2).map(|pair| pair[1] - pair[0]);
    assert!(periods.into_iter().all(|period| period == 32), "{times:?}");
    assert_eq!(heard.len(), 31);
    for vector in &heard {
        assert_eq!((vector.format, vector.samples.len()), (STEREO, 1024));
        assert_eq!(vector.region().bytes().len(), 192 + 64 + 2048);
        // Both channels, at a quarter of the amplitude; 16 samples of 16 kHz per period.
        for (index, pair) in vector.samples.chunks_exact(2).enumerate() {
            let expected = if index % 16 < 8 { 0x1000 } else { -0x1000 };
            assert_eq!(pair, [expected; 2], "{index}");
        }
    }
    assert!(log.is_empty(), "{log:?}");
}

#[test]
fn sounds_wait_and_other_formats_are_refused() {
    let (times, heard, _) = run(SIMPLE, 4);
    let periods = times[1..].windows(2).map(|pair| pair[1] - pair[0]);
    assert!(periods.into_iter().all(|period| period == 64), "{times:?}");
    let loud = heard
        .iter()
        .filter(|vector| vector.samples.iter().any(|sample| *sample != 0));
    assert_eq!(loud.count(), 15, "every other one");
    let (_, _, log) = run(STEREO, 0);
    assert!(
        log[0].contains("INVALID_DATA_TYPE (4098): the loudspeaker has 8 kHz"),
        "{log:?}"
    );
}
