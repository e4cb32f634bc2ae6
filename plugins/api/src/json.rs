//! Numbers as JSON, including those that JSON does not have.
use serde_json::{Value as Json, json};

/// The only key of a JSON object that represents a number which JSON does not have.
const NO_JSON: &str = "$number";

/// Returns a number as JSON. Infinity and NaN become `{"$number": "Infinity"}`, `"-Infinity"` or `"NaN"`; each middleware
/// writes them as its protocol does.
#[must_use]
pub fn number_to_json(number: f64) -> Json {
    if number.is_finite() {
        return number.into();
    }
    let word = match (number.is_nan(), number > 0.0) {
        (true, _) => "NaN",
        (false, true) => "Infinity",
        (false, false) => "-Infinity",
    };
    json!({ NO_JSON: word })
}

/// Returns the number that such an object represents; `None` for any other JSON.
#[must_use]
pub fn no_json_number(json: &Json) -> Option<f64> {
    let object = json.as_object().filter(|object| object.len() == 1)?;
    match object.get(NO_JSON)?.as_str()? {
        "NaN" => Some(f64::NAN),
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Returns numbers as a JSON list.
#[must_use]
pub(crate) fn numbers_to_json(numbers: &[f64]) -> Json {
    numbers.iter().copied().map(number_to_json).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_json_lacks_are_told_apart_from_all_else() {
        for number in [f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(no_json_number(&number_to_json(number)), Some(number));
        }
        assert!(no_json_number(&number_to_json(f64::NAN)).is_some_and(f64::is_nan));
        for other in [json!(1.5), json!("NaN"), json!({ "a": "NaN" }), json!({})] {
            assert_eq!(no_json_number(&other), None, "{other}");
        }
        assert_eq!(number_to_json(1.5), json!(1.5));
    }
}
