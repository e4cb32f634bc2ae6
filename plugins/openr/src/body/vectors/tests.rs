//! Tests of vectors in memory.
use super::*;
use crate::body::layout::{ENTRY, HEAD, OPTIONAL};

fn command(value: i32, mode: u16, period: u16) -> Command {
    Command {
        value,
        mode,
        period,
    }
}

#[test]
fn vectors_have_the_sizes_of_the_robots() {
    let commands = CommandVector::new(vec![Commands::default(); 3]);
    assert_eq!(commands.region().bytes().len(), 192 + 3 * (32 + 128));
    let sensors = SensorVector {
        entries: vec![Sensed::default(); 34],
        ..SensorVector::default()
    };
    assert_eq!(sensors.region().bytes().len(), 9984);
}

#[test]
fn vectors_are_read_as_they_were_written() {
    let mut entries = vec![
        Commands::joint(7, [-1_570_796, 0, i32::MAX]),
        Commands::joint(8, []),
    ];
    for (format, frame) in [
        (Format::Joint3, command(1, 0, 0)),
        (Format::Joint4, command(1, 0, 500)),
        (Format::Led2, command(1, 0, 9)),
        (Format::Led3, command(255, SAME_MODE, 4)),
    ] {
        let frames = vec![frame; 2];
        entries.push(Commands {
            primitive: 9,
            format,
            frames,
        });
    }
    let header = Header {
        sync_key: 3,
        wait: 17,
        optional: std::array::from_fn(|at| at as u8),
    };
    let commands = CommandVector { header, entries };
    assert_eq!(
        CommandVector::read(&commands.region()),
        Ok(commands.clone())
    );
    let value = Value {
        value: -5,
        signal: 9,
        duty: -512,
        reference: 7,
        reference_signal: 4000,
    };
    let sensed = SensorVector {
        header: commands.header,
        entries: vec![Sensed {
            primitive: 3,
            kind: SensedKind::LENGTH,
            first: 40,
            frames: vec![value; 4],
        }],
    };
    assert_eq!(SensorVector::read(&sensed.region()), Ok(sensed));
}

#[test]
fn numbers_are_at_the_offsets_of_the_guide() {
    let header = Header {
        sync_key: 3,
        wait: 17,
        optional: [9; OPTIONAL],
    };
    let entries = vec![Commands::joint(7, [1, 2]), Commands::joint(8, [-3])];
    let region = CommandVector { header, entries }.region();
    let bytes = region.bytes();
    let numbers = |from: usize, count: usize| -> Vec<u32> {
        (0..count).map(|at| get(bytes, from + 4 * at)).collect()
    };
    assert_eq!(numbers(12, 10), [512, 1024, 192, 32, 2, 2, 3, 17, 64, 128]);
    assert_eq!(bytes[64..192], [9; 128]);
    assert_eq!(numbers(192, 7), [259, 7, 0, 2, 8, 256, 128]);
    assert_eq!(numbers(224, 7), [259, 8, 0, 1, 8, 384, 128]);
    assert_eq!(
        [numbers(256, 1), numbers(264, 1), numbers(384, 1)],
        [[1], [2], [-3_i32 as u32]]
    );
}

#[test]
fn commands_with_a_period_last_that_long() {
    let ear = Commands {
        primitive: 1,
        format: Format::Joint4,
        frames: vec![command(1, 0, 3), command(0, 0, 0), command(1, 0, 2)],
    };
    assert_eq!(ear.frames(), 6);
    let states: Vec<_> = (0..7)
        .map(|frame| ear.at(frame).map(|command| command.value))
        .collect();
    let expected = [1, 1, 1, 0, 1, 1].map(Some);
    assert_eq!(states[..6], expected);
    assert_eq!(states[6], None);
    let slow = Commands {
        format: Format::Joint3,
        ..ear
    };
    assert_eq!(slow.frames(), 48);
}

#[test]
fn a_vector_may_have_reserved_entries() {
    let all = CommandVector::new(vec![Commands::joint(7, [1]), Commands::joint(8, [2])]);
    let mut bytes = all.region().bytes().to_vec();
    put(&mut bytes, 32, 1);
    let read = CommandVector::read(&bytes.into()).expect("a vector");
    assert_eq!(read.entries, all.entries[..1]);
}

#[test]
fn what_is_no_vector_is_refused() {
    let refused = |change: &dyn Fn(&mut Vec<u8>)| {
        let vector = CommandVector::new(vec![Commands::joint(1, [5; 3]); 2]);
        let mut bytes = vector.region().bytes().to_vec();
        change(&mut bytes);
        CommandVector::read(&bytes.into()).err()
    };
    let invalid = Some(Status::INVALID_ARG);
    assert_eq!(refused(&|_| {}), None);
    assert_eq!(refused(&|bytes| bytes.clear()), invalid);
    assert_eq!(refused(&|bytes| bytes.truncate(200)), invalid);
    assert_eq!(refused(&|bytes| put(bytes, 16, SENSORS)), invalid);
    assert_eq!(refused(&|bytes| put(bytes, 32, u32::MAX)), invalid);
    // Too many frames; frames in the header; frames beyond the end.
    assert_eq!(refused(&|bytes| put(bytes, HEAD + 12, 17)), invalid);
    assert_eq!(refused(&|bytes| put(bytes, HEAD + 20, 100)), invalid);
    assert_eq!(
        refused(&|bytes| put(bytes, HEAD + ENTRY + 20, 500)),
        invalid
    );
    assert_eq!(refused(&|bytes| put(bytes, HEAD + 20, u32::MAX)), invalid);
    let unknown = refused(&|bytes| put(bytes, HEAD, 18));
    assert_eq!(unknown, Some(Status::INVALID_DATA_TYPE));
}
