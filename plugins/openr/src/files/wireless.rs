//! Settings of the wireless network together: the robot's address, settings that contradict each other, and settings without
//! an effect.
use std::{collections::BTreeMap, net::Ipv4Addr};

use morse_diagnostics::Diagnostic;

use super::{problem::CODE, settings::Setting};
use crate::network::loopback_of;

/// Settings by their keys.
type Settings = BTreeMap<String, Setting>;

/// Returns the loopback address of a robot: that of its `ETHER_IP`, or 127.0.0.1 without one, or if the network assigns it.
#[must_use]
pub fn address(settings: &BTreeMap<String, String>) -> Ipv4Addr {
    let assigned = settings.get("USE_DHCP").is_some_and(|value| value == "1");
    let own = settings.get("ETHER_IP").filter(|_| !assigned);
    let own = own.and_then(|value| value.parse().ok());
    own.map_or(Ipv4Addr::LOCALHOST, loopback_of)
}

/// Returns the problems of settings that do not fit each other.
pub(crate) fn problems(settings: &Settings) -> Vec<Diagnostic> {
    let checks = [dhcp, own, gateway, key, inert];
    checks
        .into_iter()
        .filter_map(|check| check(settings))
        .collect()
}

fn parsed<'a>(settings: &'a Settings, key: &str) -> Option<(&'a Setting, Ipv4Addr)> {
    let setting = settings.get(key)?;
    Some((setting, setting.value.parse().ok()?))
}

fn is_on(settings: &Settings, key: &str) -> bool {
    settings
        .get(key)
        .is_some_and(|setting| setting.value == "1")
}

/// Returns the network mask, 255.255.255.0 by default.
fn mask(settings: &Settings) -> u32 {
    let mask = parsed(settings, "ETHER_NETMASK");
    mask.map_or(0xffff_ff00, |(_, mask)| u32::from(mask))
}

fn dhcp(settings: &Settings) -> Option<Diagnostic> {
    let own = settings.get("ETHER_IP")?;
    if !is_on(settings, "USE_DHCP") {
        return None;
    }
    let message =
        "`ETHER_IP` is not used, since `USE_DHCP` is 1: the robot has the address 127.0.0.1";
    let problem = Diagnostic::warning(CODE, message).at(own.span, "");
    Some(problem.help("set `USE_DHCP` to 0"))
}

fn own(settings: &Settings) -> Option<Diagnostic> {
    let (setting, own) = parsed(settings, "ETHER_IP")?;
    let host = u32::from(own) & !mask(settings);
    let is_host = host != 0 && host != !mask(settings) && !own.is_multicast();
    if is_host || mask(settings) == u32::MAX {
        return None;
    }
    let message = format!("{own} is no address of a robot in its network");
    let problem = Diagnostic::error(CODE, message).at(setting.span, "");
    Some(problem.help("an address such as 10.0.1.100 with the mask 255.255.255.0"))
}

fn gateway(settings: &Settings) -> Option<Diagnostic> {
    let (_, own) = parsed(settings, "ETHER_IP")?;
    let (setting, gateway) = parsed(settings, "IP_GATEWAY")?;
    let mask = mask(settings);
    if is_on(settings, "USE_DHCP") || u32::from(own) & mask == u32::from(gateway) & mask {
        return None;
    }
    let message = format!(
        "the gateway {gateway} is not in the network of {own} with the mask {}",
        Ipv4Addr::from(mask)
    );
    Some(Diagnostic::error(CODE, message).at(setting.span, ""))
}

fn key(settings: &Settings) -> Option<Diagnostic> {
    let switch = settings.get("WEPENABLE")?;
    if switch.value != "1" {
        return None;
    }
    let key = settings.get("WEPKEY").filter(|key| !key.value.is_empty());
    let Some(key) = key else {
        let problem = Diagnostic::error(CODE, "`WEPENABLE` is 1, but there is no `WEPKEY`");
        return Some(problem.at(switch.span, "").help("set `WEPKEY`"));
    };
    let digits = key.value.strip_prefix("0x").unwrap_or(&key.value);
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_key = matches!(key.value.len(), 5 | 13) || is_hex && matches!(digits.len(), 10 | 26);
    if is_key {
        return None;
    }
    let message = format!(
        "a `WEPKEY` has 5 or 13 characters, or 10 or 26 hexadecimal digits, not {}",
        key.value.chars().count()
    );
    Some(Diagnostic::error(CODE, message).at(key.span, ""))
}

/// Settings that objects read, and that change nothing in the simulation.
const INERT: [&str; 9] = [
    "HOSTNAME",
    "IP_GATEWAY",
    "ESSID",
    "WEPENABLE",
    "WEPKEY",
    "APMODE",
    "CHANNEL",
    "DNS_SERVER_1",
    "DNS_DEFDNAME",
];

fn inert(settings: &Settings) -> Option<Diagnostic> {
    let without_effect = INERT
        .iter()
        .filter_map(|key| Some((*key, settings.get(*key)?)));
    let without_effect: Vec<(&str, &Setting)> = without_effect.collect();
    let (_, first) = without_effect
        .iter()
        .min_by_key(|(_, setting)| setting.span)?;
    let names: Vec<String> = without_effect
        .iter()
        .map(|(key, _)| format!("`{key}`"))
        .collect();
    let has = if names.len() == 1 { "has" } else { "have" };
    let message = format!(
        "no radio network is simulated: {} {has} no effect",
        names.join(", ")
    );
    let problem = Diagnostic::warning(CODE, message).at(first.span, "");
    Some(problem.help("objects read them as settings; the robot's address is that of `ETHER_IP`"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::{problem::parse_as, settings};

    fn check(text: &str) -> Vec<String> {
        let (_, problems) = parse_as("WLANCONF.TXT", text, |file, text| {
            let mut parsed = settings::parse(file, text, &settings::WIRELESS);
            parsed.problems.extend(problems(&parsed.value));
            parsed
        });
        problems
    }

    #[test]
    fn settings_that_contradict_each_other_are_reported() {
        let own = "ETHER_IP=10.0.1.100\n";
        for (text, expected) in [
            (
                "IP_GATEWAY=10.0.2.1",
                "2:12: the gateway 10.0.2.1 is not in the network of 10.0.1.100",
            ),
            ("USE_DHCP=1", "1:10: `ETHER_IP` is not used"),
            (
                "WEPENABLE=1",
                "2:11: `WEPENABLE` is 1, but there is no `WEPKEY`",
            ),
            (
                "WEPENABLE=1\nWEPKEY=AIBO",
                "3:8: a `WEPKEY` has 5 or 13 characters",
            ),
            (
                "ETHER_NETMASK=255.255.255.252",
                "1:10: 10.0.1.100 is no address of a robot",
            ),
        ] {
            let problems_of_text = check(&format!("{own}{text}\n"));
            assert!(
                problems_of_text
                    .first()
                    .is_some_and(|first| first.contains(expected)),
                "{text}: {problems_of_text:?}"
            );
        }
        for text in [
            "IP_GATEWAY=10.0.1.1",
            "IP_GATEWAY=10.0.2.1\nETHER_NETMASK=255.255.0.0",
            "WEPENABLE=1\nWEPKEY=AIBO2",
            "WEPENABLE=1\nWEPKEY=0x0123456789",
            "WEPENABLE=0\nWEPKEY=AIBO",
        ] {
            let problems_of_text = check(&format!("{own}{text}\n"));
            let problems = problems_of_text
                .iter()
                .filter(|problem| !problem.contains("no effect"));
            assert_eq!(problems.count(), 0, "{text}: {problems_of_text:?}");
        }
    }

    #[test]
    fn settings_without_an_effect_are_reported_once() {
        assert_eq!(check("ETHER_IP=10.0.1.100\nUSE_DHCP=0\n"), [""; 0]);
        let problems = check("ETHER_IP=10.0.1.100\nAPMODE=2\nCHANNEL 3\nESSID=field\n");
        let expected = "WLANCONF.TXT:2:8: no radio network is simulated: `ESSID`, `APMODE`, `CHANNEL` have no effect; \
                        objects read them";
        assert!(
            problems.len() == 1 && problems[0].starts_with(expected),
            "{problems:?}"
        );
        let problems = check("DNS_SERVER_1=10.0.1.1\n");
        assert!(
            problems[0].contains("`DNS_SERVER_1` has no effect"),
            "{problems:?}"
        );
    }

    #[test]
    fn robots_have_loopback_addresses() {
        let address = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            let settings = pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            address(&settings.collect()).to_string()
        };
        assert_eq!(address(&[]), "127.0.0.1");
        assert_eq!(address(&[("ETHER_IP", "10.0.1.100")]), "127.0.1.100");
        assert_eq!(address(&[("ETHER_IP", "127.0.0.7")]), "127.0.0.7");
        assert_eq!(
            address(&[("ETHER_IP", "10.0.1.100"), ("USE_DHCP", "1")]),
            "127.0.0.1"
        );
    }
}
