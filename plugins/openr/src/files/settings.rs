//! Files with keys and values: `WLANCONF.TXT`, `WLANDFLT.TXT` and `VRCOMM.CFG`.
use std::collections::BTreeMap;

use morse_diagnostics::SourceId;

use super::problem::{Parsed, Problems, quoted, suggestion};

/// Keys of the wireless network.
pub const WIRELESS: [&str; 12] = [
    "HOSTNAME",
    "ETHER_IP",
    "ETHER_NETMASK",
    "IP_GATEWAY",
    "ESSID",
    "WEPENABLE",
    "WEPKEY",
    "APMODE",
    "CHANNEL",
    "DNS_SERVER_1",
    "DNS_DEFDNAME",
    "USE_DHCP",
];

/// The only key of the joints.
pub const JOINTS: [&str; 1] = ["JamDetectionHighThreshold"];

/// Parses lines of `key=value`; unknown keys cause warnings.
#[must_use]
pub fn parse(source: SourceId, text: &str, known: &[&str]) -> Parsed<BTreeMap<String, String>> {
    let mut problems = Problems::new(source);
    let mut values = BTreeMap::new();
    for line in problems.lines(text) {
        let trimmed = line.text.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') {
            continue;
        }
        let Some((key, value)) = trimmed.split_once(['=', ':']) else {
            let message = format!("expected a setting, found {}", quoted(trimmed));
            problems.error(line, trimmed, message, "write `KEY=value`".to_owned());
            continue;
        };
        let (key, value) = (key.trim(), value.trim());
        if !known.contains(&key) {
            let message = format!("{} is not known", quoted(key));
            problems.warning(line, key, message, suggestion(key, known));
        }
        if values.insert(key.to_owned(), value.to_owned()).is_some() {
            let message = format!("{} is there twice", quoted(key));
            problems.warning(line, key, message, "the last one counts".to_owned());
        }
    }
    problems.with(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::problem::parse_as;

    #[test]
    fn unknown_keys_are_warnings() {
        let text = "HOSTNAME=AIBO\r\nESSID = field\nDNS_SERVER_2=3\n# no\nAPMODE=2\n";
        let (parsed, reported) = parse_as("WLANCONF.TXT", text, |file, text| {
            parse(file, text, &WIRELESS)
        });
        assert_eq!(
            (parsed.value["ESSID"].as_str(), parsed.value.len()),
            ("field", 4)
        );
        let expected =
            "WLANCONF.TXT:3:1: `DNS_SERVER_2` is not known; did you mean `DNS_SERVER_1`?";
        assert_eq!(reported, [expected]);
        let text = "JamDetectionHighThreshold=1\nthen\n";
        let (parsed, _) = parse_as("VRCOMM.CFG", text, |file, text| parse(file, text, &JOINTS));
        assert!(parsed.has_errors() && parsed.problems.len() == 1);
    }
}
