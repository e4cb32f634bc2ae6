//! Fields, and values made from them.
use std::collections::BTreeMap;

use super::*;

#[derive(Reflect, Default)]
struct Data {
    /// East.
    #[reflect(@Unit("m"), @Levels(&["simple"]))]
    x: f64,
    #[reflect(@Unit("deg"), @Levels(&["raw", "extended"]))]
    latitude: f64,
    velocity: [f64; 3],
}

#[test]
fn only_the_fields_of_the_level_exist() {
    let names = |level| {
        Fields::of_type::<Data>(level)
            .0
            .iter()
            .map(|field| field.name)
            .collect::<Vec<_>>()
    };
    assert_eq!(names(Some("simple")), ["x", "velocity"]);
    assert_eq!(names(Some("raw")), ["latitude", "velocity"]);
    assert_eq!(names(None), ["x", "latitude", "velocity"]);
    let fields = Fields::of_type::<Data>(None);
    assert_eq!(fields.get("x").and_then(|x| x.docs), Some("East."));
    assert!(fields.of_kind::<[f64; 3]>("velocity").is_some());
    assert!(fields.of_kind::<f64>("velocity").is_none());
}

#[test]
fn a_hash_sees_the_sign_of_zero() {
    let hash_of = |value: &dyn PartialReflect| {
        let mut hasher = StateHasher::default();
        hash(value, &mut hasher);
        hasher.finish()
    };
    assert_ne!(hash_of(&0.0_f64), hash_of(&-0.0_f64));
    assert_ne!(hash_of(&vec![1.0, 2.0]), hash_of(&vec![1.0]));
}

/// A position in a reading, with a keyword as a name.
#[derive(Reflect, Default, Clone)]
struct Seen {
    r#type: String,
    at: [f64; 3],
}

#[derive(Reflect, Default)]
struct Nested {
    seen: Vec<Seen>,
    near: BTreeMap<String, f64>,
    #[reflect(@Flat)]
    more: BTreeMap<String, DynamicValue>,
}

fn nested() -> Nested {
    let seen = |kind: &str| Seen {
        r#type: kind.into(),
        at: [1.0, 2.0, 3.5],
    };
    let list = DynamicValue::List(vec![DynamicValue::Integer(3), DynamicValue::Flag(true)]);
    Nested {
        seen: vec![seen("cup"), seen("pot")],
        near: BTreeMap::from([("b".into(), 2.0), ("a".into(), 1.5)]),
        more: BTreeMap::from([(
            "rover.gps".into(),
            DynamicValue::Map(vec![("x".into(), list)]),
        )]),
    }
}

#[test]
fn maps_lists_of_structs_and_plain_values_are_json() {
    let data = nested();
    let fields = Fields::of_type::<Nested>(None);
    let expected = serde_json::json!({
        "seen": [{"type": "cup", "at": [1.0, 2.0, 3.5]}, {"type": "pot", "at": [1.0, 2.0, 3.5]}],
        "near": {"a": 1.5, "b": 2.0},
        "rover.gps": {"x": [3, true]},
    });
    assert_eq!(data_to_json(&fields, &data), expected);
    assert!(Fields::of_type::<Seen>(None).get("type").is_some());
}

#[test]
fn each_element_of_nested_data_is_hashed_and_looked_through() {
    let hash_of = |data: &Nested| {
        let mut hasher = StateHasher::default();
        hash(data, &mut hasher);
        hasher.finish()
    };
    let changes: [fn(&mut Nested); 6] = [
        |data| data.seen[1].at[2] = 3.6,
        |data| data.seen[0].r#type.push('s'),
        |data| drop(data.seen.pop()),
        |data| data.near.extend([("a".into(), -1.5)]),
        |data| data.near.retain(|name, _| name != "b"),
        |data| {
            data.more
                .insert("rover.gps".into(), DynamicValue::Number(0.0));
        },
    ];
    let mut hashes = vec![hash_of(&nested())];
    for change in changes {
        let mut data = nested();
        change(&mut data);
        assert!(is_finite(&data));
        hashes.push(hash_of(&data));
    }
    let count = hashes.len();
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), count);
    let mut data = nested();
    data.near.insert("c".into(), f64::INFINITY);
    assert!(!is_finite(&data));
    data = nested();
    data.more.insert(
        "c".into(),
        DynamicValue::List(vec![DynamicValue::Number(f64::NAN)]),
    );
    assert!(!is_finite(&data));
}

#[test]
fn a_map_becomes_like_another() {
    let from = nested().near;
    let mut to = BTreeMap::from([("b".to_owned(), 0.0), ("a".to_owned(), 0.0)]);
    assign_map(&mut to, &from);
    assert_eq!(to, from);
    to = BTreeMap::from([("b".to_owned(), 0.0), ("c".to_owned(), 0.0)]);
    assign_map(&mut to, &from);
    assert_eq!(to, from);
}

#[test]
fn not_a_number_is_detected_inside_a_struct() {
    let data = Data {
        velocity: [0.0, f64::NAN, 0.0],
        ..Data::default()
    };
    assert!(!is_finite(&data));
    assert!(is_finite(&Data::default()));
}
