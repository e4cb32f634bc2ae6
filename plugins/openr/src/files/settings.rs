//! Files with keys and values: `WLANCONF.TXT`, `WLANDFLT.TXT` and `VRCOMM.CFG`.
use std::{collections::BTreeMap, net::Ipv4Addr};

use morse_diagnostics::{SourceId, Span};

use super::problem::{Line, Parsed, Problems, quoted, suggestion};

/// Key of a file: its name, the form of its values, and the test of a value.
pub type Key = (&'static str, &'static str, fn(&str) -> bool);

/// Value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Text of the value.
    pub value: String,
    /// Source position of the value.
    pub span: Span,
}

/// Keys of the wireless network.
pub const WIRELESS: [Key; 12] = [
    ("HOSTNAME", "a name of letters, digits and `-`", is_host),
    ("ETHER_IP", "an address such as 10.0.1.100", is_address),
    ("ETHER_NETMASK", "a mask such as 255.255.255.0", is_mask),
    ("IP_GATEWAY", "an address such as 10.0.1.1", is_address),
    ("ESSID", "a name of up to 32 characters", is_network),
    ("WEPENABLE", "0 or 1", is_switch),
    ("WEPKEY", "a text", is_any),
    ("APMODE", "0, 1 or 2", is_mode),
    ("CHANNEL", "a number from 1 to 14", is_channel),
    ("DNS_SERVER_1", "an address such as 10.0.1.1", is_address),
    ("DNS_DEFDNAME", "a text", is_any),
    ("USE_DHCP", "0 or 1", is_switch),
];

/// The only key of the joints: duty of a motor from which its joint is jammed.
pub const JOINTS: [Key; 1] = [("JamDetectionHighThreshold", "a duty from 1 to 512", is_duty)];

fn is_any(_: &str) -> bool {
    true
}

fn is_host(value: &str) -> bool {
    let is_letter = |letter: u8| letter.is_ascii_alphanumeric() || letter == b'-';
    !value.is_empty() && value.len() <= 63 && value.bytes().all(is_letter)
}

fn is_address(value: &str) -> bool {
    value.parse::<Ipv4Addr>().is_ok()
}

fn is_mask(value: &str) -> bool {
    let mask = value.parse::<Ipv4Addr>();
    mask.is_ok_and(|mask| u32::from(mask).leading_ones() == u32::from(mask).count_ones())
}

fn is_network(value: &str) -> bool {
    value.len() <= 32
}

fn is_switch(value: &str) -> bool {
    matches!(value, "0" | "1")
}

fn is_mode(value: &str) -> bool {
    matches!(value, "0" | "1" | "2")
}

fn is_channel(value: &str) -> bool {
    value
        .parse::<u8>()
        .is_ok_and(|channel| (1..=14).contains(&channel))
}

fn is_duty(value: &str) -> bool {
    value
        .parse::<u16>()
        .is_ok_and(|duty| (1..=512).contains(&duty))
}

/// Parses lines of a key and a value, with `=`, `:` or blanks between them. Unknown keys cause warnings, invalid values
/// errors.
#[must_use]
pub fn parse(source: SourceId, text: &str, known: &[Key]) -> Parsed<BTreeMap<String, Setting>> {
    let mut problems = Problems::new(source);
    let mut values = BTreeMap::new();
    for line in problems.lines(text) {
        let trimmed = line.text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((key, value)) = split(trimmed) else {
            let message = format!("expected a setting, found {}", quoted(trimmed));
            problems.error(line, trimmed, message, "write `KEY=value`".to_owned());
            continue;
        };
        check(line, (key, value), known, &mut problems);
        let setting = Setting {
            value: value.to_owned(),
            span: problems.span(line, value),
        };
        if values.insert(key.to_owned(), setting).is_some() {
            let message = format!("{} is there twice", quoted(key));
            problems.warning(line, key, message, "the last one counts".to_owned());
        }
    }
    problems.with(values)
}

/// Returns key and value of a line.
fn split(line: &str) -> Option<(&str, &str)> {
    let separators = |letter: char| matches!(letter, '=' | ':') || letter.is_whitespace();
    let (key, rest) = line.split_once(separators)?;
    // Blanks may surround the separator.
    let rest = rest.trim_start();
    let value = rest.strip_prefix(['=', ':']).unwrap_or(rest);
    Some((key.trim(), value.trim()))
}

fn check(line: Line<'_>, (key, value): (&str, &str), known: &[Key], problems: &mut Problems) {
    match known.iter().find(|(name, ..)| *name == key) {
        Some((_, form, is_valid)) if !is_valid(value) => {
            let message = format!("{} is no value of `{key}`", quoted(value));
            problems.error(line, value, message, format!("write {form}"));
        }
        Some(_) => {}
        None => {
            let names: Vec<&str> = known.iter().map(|(name, ..)| *name).collect();
            let message = format!("{} is not known", quoted(key));
            problems.warning(line, key, message, suggestion(key, &names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::problem::parse_as;

    fn wireless(text: &str) -> (Parsed<BTreeMap<String, Setting>>, Vec<String>) {
        parse_as("WLANCONF.TXT", text, |file, text| {
            parse(file, text, &WIRELESS)
        })
    }

    #[test]
    fn unknown_keys_are_warnings() {
        let text = "HOSTNAME=AIBO\r\nESSID = field\nDNS_SERVER_2=3\n# no\nAPMODE=2\n";
        let (parsed, reported) = wireless(text);
        assert_eq!(
            (parsed.value["ESSID"].value.as_str(), parsed.value.len()),
            ("field", 4)
        );
        let expected =
            "WLANCONF.TXT:3:1: `DNS_SERVER_2` is not known; did you mean `DNS_SERVER_1`?";
        assert_eq!(reported, [expected]);
        let text = "JamDetectionHighThreshold 400\nthen\n";
        let (parsed, _) = parse_as("VRCOMM.CFG", text, |file, text| parse(file, text, &JOINTS));
        assert_eq!(parsed.value["JamDetectionHighThreshold"].value, "400");
        assert!(parsed.has_errors() && parsed.problems.len() == 1);
    }

    #[test]
    fn keys_and_values_are_separated_by_signs_or_blanks() {
        for text in [
            "CHANNEL=3",
            "CHANNEL : 3",
            "CHANNEL 3",
            "  CHANNEL\t 3 ",
            "CHANNEL  =3",
        ] {
            let (parsed, reported) = wireless(text);
            assert_eq!(parsed.value["CHANNEL"].value, "3", "{text}");
            assert!(reported.is_empty(), "{reported:?}");
        }
        let (parsed, _) = wireless("ESSID=my net\nWEPKEY=\n");
        assert_eq!(
            [&parsed.value["ESSID"].value, &parsed.value["WEPKEY"].value],
            ["my net", ""]
        );
    }

    #[test]
    fn values_have_their_forms() {
        for (text, expected) in [
            (
                "ETHER_IP=10.0.1",
                "1:10: `10.0.1` is no value of `ETHER_IP`",
            ),
            ("APMODE 3", "write 0, 1 or 2"),
            ("ETHER_NETMASK=255.0.255.0", "write a mask"),
            ("CHANNEL=15", "write a number from 1 to 14"),
            ("HOSTNAME=my dog", "1:10: `my dog`"),
            ("USE_DHCP=yes", "write 0 or 1"),
        ] {
            let (parsed, reported) = wireless(text);
            assert!(
                parsed.has_errors() && reported[0].contains(expected),
                "{reported:?}"
            );
        }
    }
}
