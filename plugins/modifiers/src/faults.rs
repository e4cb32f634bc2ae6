//! Common functions of noise and fault models: duration of faults, and validation of settings.

use morse_api::check::CheckError;

/// Returns true if a fault that lasts from a time until another (s) is present now.
#[must_use]
pub fn lasts(from: f64, until: Option<f64>, now: f64) -> bool {
    from <= now && until.is_none_or(|until| now < until)
}

/// Checks that a time span is valid.
///
/// # Errors
///
/// The reason, and a valid value.
pub fn check_span(from_name: &str, from: f64, until: Option<f64>) -> Result<(), CheckError> {
    match until {
        Some(until) if until <= from => Err(CheckError::setting(format!(
            "`until` ({until}) must be later than `{from_name}` ({from})"
        ))),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_beginning_and_not_its_end() {
        assert!(!lasts(1.0, Some(2.0), 0.999));
        assert!(lasts(1.0, Some(2.0), 1.0) && lasts(1.0, None, 1e9));
        assert!(!lasts(1.0, Some(2.0), 2.0));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert!(check_span("from", 0.0, None).is_ok());
        for (from, until) in [(1.0, Some(1.0)), (2.0, Some(1.0))] {
            assert!(
                check_span("from", from, until)
                    .unwrap_err()
                    .to_string()
                    .contains("`from`")
            );
        }
    }
}
