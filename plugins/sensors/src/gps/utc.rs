//! Date and time of day in UTC, without leap seconds; never the wall clock.
use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, Timelike as _};
use morse_api::prelude::*;

/// Point in time, in whole seconds of UTC. Parsed from text such as `"2026-01-31T12:00:00Z"`, or from a date alone.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Utc {
    /// Seconds since 1970-01-01T00:00:00Z.
    #[reflect(@ValueRange(-6.3e10, 2.6e11))]
    pub seconds: i64,
}

impl Default for Utc {
    /// Returns 2026-01-01T00:00:00Z.
    fn default() -> Self {
        Self {
            seconds: 1_767_225_600,
        }
    }
}

/// A text is no date and time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a date and time such as `2026-01-31T12:00:00Z`")]
pub struct InvalidUtc(String);

impl TryFrom<String> for Utc {
    type Error = InvalidUtc;

    fn try_from(text: String) -> Result<Self, InvalidUtc> {
        parse(&text).ok_or(InvalidUtc(text))
    }
}

impl Utc {
    /// Returns the time a number of seconds later.
    #[must_use]
    pub fn after(self, seconds: u64) -> Self {
        Self {
            seconds: self
                .seconds
                .saturating_add_unsigned(seconds)
                .clamp(-LIMIT, LIMIT),
        }
    }

    /// Writes the date as DDMMYY and the time as HHMMSS, as satellite receivers do.
    pub fn write(self, date: &mut String, time: &mut String) {
        date.clear();
        time.clear();
        // `LIMIT` is within chrono's range.
        let Some(utc) = DateTime::from_timestamp(self.seconds, 0) else {
            return;
        };
        // By its numbers, since chrono's own format allocates. Writing to a string does not fail.
        let year = utc.year().rem_euclid(100);
        write!(date, "{:02}{:02}{year:02}", utc.day(), utc.month()).ok();
        let (hour, minute, second) = (utc.hour(), utc.minute(), utc.second());
        write!(time, "{hour:02}{minute:02}{second:02}").ok();
    }
}

/// About ten thousand years, in seconds.
const LIMIT: i64 = 400_000_000_000;

fn parse(text: &str) -> Option<Utc> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00"));
    let text = format!("{date}T{}Z", time.strip_suffix('Z').unwrap_or(time));
    let utc = DateTime::parse_from_rfc3339(&text).ok()?.to_utc();
    // Fractions and leap seconds are not whole seconds of UTC; chrono adds a second's nanoseconds for the latter.
    (utc.timestamp_subsec_nanos() == 0).then_some(Utc {
        seconds: utc.timestamp(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utc(text: &str) -> Result<Utc, InvalidUtc> {
        Utc::try_from(text.to_owned())
    }

    #[test]
    fn known_moments() {
        // Reference: `date -u -d … +%s` (GNU coreutils).
        for (text, seconds) in [
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T12:00:00Z", 951_825_600),
            ("2026-01-01", 1_767_225_600),
            ("2100-03-01T00:00:01", 4_107_542_401),
        ] {
            assert_eq!(utc(text), Ok(Utc { seconds }), "{text}");
        }
        assert_eq!(utc("2026-01-01"), Ok(Utc::default()));
    }

    #[test]
    fn what_is_no_date_is_refused() {
        for text in [
            "",
            "2026-02-29",
            "2026-13-01",
            "26-01-01",
            "2026-01-01T24:00:00Z",
            "2026-01-01T1:00:00",
            "2026-01-01T23:59:60Z",
            "2026-01-01T12:00:00.5Z",
            "2026-01-01T12:00:00+01:00",
            "2026-01-01t12:00:00z",
            "yesterday",
        ] {
            assert!(utc(text).is_err(), "{text}");
        }
    }

    #[test]
    fn receivers_write_two_digits_each() {
        let (mut date, mut time) = (String::new(), String::new());
        utc("2026-01-31T05:06:07Z")
            .unwrap()
            .write(&mut date, &mut time);
        assert_eq!((date.as_str(), time.as_str()), ("310126", "050607"));
        let last = Utc::default().after(u64::MAX);
        last.write(&mut date, &mut time);
        // Reference: the proleptic calendar of GNU coreutils, `date -u -d @400000000000`.
        assert_eq!((date.as_str(), time.as_str()), ("300645", "150640"));
    }
}
