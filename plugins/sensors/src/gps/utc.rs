//! Date and time of day in UTC, without leap seconds; never the wall clock.
use std::fmt::Write as _;

use morse_api::prelude::*;

/// Seconds in a day.
const DAY: i64 = 86_400;

/// Point in time, in whole seconds of UTC. Parsed from text such as `"2026-01-31T12:00:00Z"`, or from a date alone.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Utc {
    /// Seconds since 1970-01-01T00:00:00Z.
    #[reflect(@Range(-6.3e10, 2.6e11))]
    pub seconds: i64,
}

impl Default for Utc {
    /// Returns 2026-01-01T00:00:00Z.
    fn default() -> Self {
        Self {
            seconds: days_from_civil(2026, 1, 1) * DAY,
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
        let (year, month, day) = civil_from_days(self.seconds.div_euclid(DAY));
        let second = self.seconds.rem_euclid(DAY);
        date.clear();
        time.clear();
        // Writing to a string does not fail.
        write!(date, "{day:02}{month:02}{:02}", year.rem_euclid(100)).ok();
        let (hour, minute) = (second / 3600, second / 60 % 60);
        write!(time, "{hour:02}{minute:02}{:02}", second % 60).ok();
    }
}

/// About ten thousand years, in seconds.
const LIMIT: i64 = 400_000_000_000;

fn parse(text: &str) -> Option<Utc> {
    let (date, time) = text.split_once('T').unwrap_or((text, "00:00:00Z"));
    let [year, month, day] = numbers(date, '-', [4, 2, 2])?;
    let [hour, minute, second] = numbers(time.strip_suffix('Z').unwrap_or(time), ':', [2, 2, 2])?;
    let days = days_from_civil(year, month, day);
    let is_real = civil_from_days(days) == (year, month, day);
    (is_real && hour < 24 && minute < 60 && second < 60).then_some(Utc {
        seconds: days * DAY + hour * 3600 + minute * 60 + second,
    })
}

/// Parses three numbers with these counts of digits.
fn numbers(text: &str, separator: char, digits: [usize; 3]) -> Option<[i64; 3]> {
    let mut parts = text.split(separator);
    let mut numbers = [0; 3];
    for (number, digits) in numbers.iter_mut().zip(digits) {
        let part = parts.next()?;
        if part.len() != digits || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        *number = part.parse().ok()?;
    }
    parts.next().is_none().then_some(numbers)
}

/// Returns the days since 1970-01-01 of a date in the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date
/// algorithms"). Years begin in March, so that the leap day comes last.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Inverse of [`days_from_civil`]: returns year, month and day.
fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
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
            "yesterday",
        ] {
            assert!(utc(text).is_err(), "{text}");
        }
    }

    #[test]
    fn days_go_round() {
        for days in (-800_000..800_000).step_by(13) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }
}
