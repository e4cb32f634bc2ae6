//! Tests of loose numbers: those in maps, those of dynamic values, pixels and points.
use std::collections::BTreeMap;

use super::*;
use crate::fields::Unit;

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Victim {
    distance: f64,
    severity: u32,
}

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
struct Seen {
    depth: Samples<f32>,
    image: Samples<u8>,
    #[reflect(@Unit("mm"))]
    raw: Samples<u16>,
    classes: Samples<u16>,
    victims: BTreeMap<String, Victim>,
    dynamic: DynamicValue,
    x: f64,
}

fn seen() -> Seen {
    let named = |name: &str, value| (name.to_owned(), value);
    let victim = |distance| Victim {
        distance,
        severity: 3,
    };
    let pose = DynamicValue::Map(vec![
        named("timestamp", DynamicValue::Number(0.5)),
        named("x", DynamicValue::Number(1.0)),
        named("ranges", DynamicValue::Numbers(vec![2.0, 3.0])),
        named("count", DynamicValue::Integer(7)),
        named("points", DynamicValue::Samples(vec![4.0_f32].into_block())),
    ]);
    Seen {
        depth: vec![1.0_f32, f32::INFINITY].into(),
        image: vec![10, 20, 250, 255].into(),
        raw: vec![0, 1000, 65_535].into(),
        classes: vec![1, 2].into(),
        victims: BTreeMap::from([("a".to_owned(), victim(5.0)), ("b".to_owned(), victim(6.0))]),
        dynamic: DynamicValue::Map(vec![named("pose", pose)]),
        x: 9.0,
    }
}

trait IntoBlock {
    fn into_block(self) -> crate::samples::Block;
}

impl IntoBlock for Vec<f32> {
    fn into_block(self) -> crate::samples::Block {
        crate::samples::Block::F32(self.into())
    }
}

fn all() -> Numbers {
    Numbers::with_loose(&Fields::of_type::<Seen>(None), &[]).unwrap()
}

#[test]
fn each_loose_number_is_changed_and_nothing_else() {
    let mut data = seen();
    all().each(&mut data, |_, number| *number += 8.0);
    assert_eq!(data.x, 17.0);
    assert_eq!(data.depth.values(), [9.0, f32::INFINITY]);
    assert_eq!(
        data.image.values(),
        [18, 28, 255, 255],
        "it is cut, and alpha stays"
    );
    assert_eq!(
        data.raw.values(),
        [0, 1008, 0],
        "what is too far is not seen"
    );
    assert_eq!(data.classes, seen().classes, "names of things");
    let distances: Vec<f64> = data
        .victims
        .values()
        .map(|victim| victim.distance)
        .collect();
    assert_eq!(distances, [13.0, 14.0]);
    assert!(data.victims.values().all(|victim| victim.severity == 3));
    let expected = serde_json::json!({ "pose": {
        "timestamp": 0.5, "x": 9.0, "ranges": [10.0, 11.0], "count": 7, "points": "AABAQQ==",
    } });
    assert_eq!(data.dynamic.to_json(), expected);
}

#[test]
fn the_others_share_no_memory_with_what_is_changed() {
    let before = seen();
    let mut data = before.clone();
    all().each(&mut data, |_, number| *number += 8.0);
    assert_eq!(before, seen());
}

#[test]
fn one_loose_number_is_hit() {
    // Depth 2, colours 3, raw 3, victims 2, dynamic 4.
    let counted = 14;
    let mut texts = Vec::new();
    for chosen in 0..counted {
        let mut data = seen();
        let mut hits = 0;
        let choose = |count: usize| {
            assert_eq!(count, counted);
            chosen
        };
        all().each_firm_and_one_loose(&mut data, choose, |number| {
            *number += 1.0;
            hits += 1;
        });
        assert_eq!(data.x, 10.0, "what is not loose is hit, too");
        // A depth of 0 is no measurement.
        let is_blank = chosen == 5;
        assert_eq!(hits, if is_blank { 1 } else { 2 }, "{chosen}");
        data.x = 9.0;
        // Infinite numbers stay infinite.
        if data == seen() {
            assert!(is_blank || chosen == 1, "{chosen}");
            continue;
        }
        let text = format!("{data:?}");
        assert!(!texts.contains(&text), "{chosen}");
        texts.push(text);
    }
}

#[test]
fn numbers_that_are_not_loose_are_chosen_alone() {
    let fields = Fields::of_type::<Seen>(None);
    let mut count = 0;
    let firm = Numbers::of(&fields, &[]).unwrap();
    firm.each(&mut seen(), |_, _| count += 1);
    assert_eq!(count, 1);
    let named = |name: &str| [name.to_owned()];
    assert!(Numbers::of(&fields, &named("depth")).is_err());
    assert!(Numbers::with_loose(&fields, &named("depth")).is_ok());
    let error = Numbers::with_loose(&fields, &named("classes")).unwrap_err();
    assert!(error.to_string().contains("`victims`"), "{error}");
}
