//! Domain, namespace, range of discovery and distribution: from the settings, then from the environment, then ROS's defaults.
use std::net::Ipv4Addr;

use crate::{Discovery, Distribution, Ros2, static_peers::addresses, topics::check_name};

/// Greatest domain whose ports exist.
const MAX_DOMAIN: u16 = 232;

/// Network settings of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    /// Domain.
    pub(crate) domain: u16,
    /// Range of the discovery.
    pub(crate) discovery: Discovery,
    /// Namespace: empty, or with a slash in front and none at the end.
    pub(crate) namespace: String,
    /// Distribution of the nodes.
    pub(crate) distribution: Distribution,
    /// Further machines with nodes.
    pub(crate) peers: Vec<Ipv4Addr>,
    /// Environment variables that have no effect.
    pub(crate) warnings: Vec<String>,
}

impl Network {
    /// Returns the settings of a node. `variable` returns the value of an environment variable.
    ///
    /// # Errors
    ///
    /// A variable has an invalid value.
    pub(crate) fn new(
        settings: &Ros2,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        let mut warnings = Vec::new();
        let domain = match (settings.domain, variable("ROS_DOMAIN_ID")) {
            (Some(domain), _) => domain,
            (None, Some(text)) => domain_of(&text)?,
            (None, None) => 0,
        };
        let discovery = match (
            settings.discovery,
            variable("ROS_AUTOMATIC_DISCOVERY_RANGE"),
        ) {
            (Some(discovery), _) => discovery,
            (None, Some(text)) => range_of(&text)?,
            (None, None) => Discovery::Localhost,
        };
        let (distribution, unknown) = match (settings.distribution, variable("ROS_DISTRO")) {
            (Some(distribution), _) => (distribution, None),
            (None, Some(name)) => distribution_of(&name),
            (None, None) => (Distribution::Jazzy, None),
        };
        warnings.extend(unknown);
        let list = variable("ROS_STATIC_PEERS").unwrap_or_default();
        let (mut peers, mut unknown) = addresses(&list);
        // Nodes of this machine are found anyway.
        peers.retain(|peer| !peer.is_loopback());
        warnings.append(&mut unknown);
        let namespace = settings
            .namespace
            .clone()
            .or_else(|| variable("ROS_NAMESPACE"));
        let namespace = namespace.unwrap_or_default();
        let namespace = match namespace.trim_matches('/') {
            "" => String::new(),
            name => {
                check_name("ROS_NAMESPACE", name)?;
                format!("/{name}")
            }
        };
        Ok(Self {
            domain,
            discovery,
            namespace,
            distribution,
            peers,
            warnings,
        })
    }
}

fn domain_of(text: &str) -> Result<u16, String> {
    let number = text.trim().parse::<u16>().ok();
    number
        .filter(|number| *number <= MAX_DOMAIN)
        .ok_or_else(|| {
            format!("ROS_DOMAIN_ID={text}: expected a whole number from 0 to {MAX_DOMAIN}")
        })
}

fn range_of(text: &str) -> Result<Discovery, String> {
    match text {
        "LOCALHOST" | "SYSTEM_DEFAULT" => Ok(Discovery::Localhost),
        "SUBNET" => Ok(Discovery::Subnet),
        _ => Err(format!(
            "ROS_AUTOMATIC_DISCOVERY_RANGE={text}: expected LOCALHOST or SUBNET"
        )),
    }
}

/// Returns the distribution whose messages are those of a distribution, and a warning if it is not supported.
fn distribution_of(name: &str) -> (Distribution, Option<String>) {
    match name {
        "jazzy" => (Distribution::Jazzy, None),
        "kilted" => (Distribution::Kilted, None),
        _ => {
            let why = format!(
                "ROS_DISTRO={name}: messages are those of Jazzy; set `distribution` to `jazzy` or `kilted`"
            );
            (Distribution::Jazzy, Some(why))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network(settings: &Ros2, pairs: &[(&str, &str)]) -> Result<Network, String> {
        Network::new(settings, |name| {
            let pair = pairs.iter().find(|(known, _)| *known == name);
            pair.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_default_is_this_machine() {
        let actual = network(&Ros2::default(), &[("ROS_DOMAIN_ID", "")]).unwrap();
        assert_eq!(
            (actual.domain, actual.discovery, &*actual.namespace),
            (0, Discovery::Localhost, "")
        );
        assert!(actual.warnings.is_empty());
    }

    #[test]
    fn settings_come_before_the_environment() {
        let environment = [
            ("ROS_DOMAIN_ID", "42"),
            ("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET"),
            ("ROS_NAMESPACE", "/lab/one"),
            ("ROS_STATIC_PEERS", "10.0.0.2;127.0.0.1;no name"),
        ];
        let actual = network(&Ros2::default(), &environment).unwrap();
        assert_eq!(
            (actual.domain, actual.discovery, &*actual.namespace),
            (42, Discovery::Subnet, "/lab/one")
        );
        assert_eq!(actual.peers, [Ipv4Addr::new(10, 0, 0, 2)]);
        assert!(actual.warnings[0].starts_with("ROS_STATIC_PEERS: `no name` is no"));
        let settings = Ros2 {
            domain: Some(7),
            discovery: Some(Discovery::Localhost),
            namespace: Some("own".to_owned()),
            ..Ros2::default()
        };
        let actual = network(&settings, &environment).unwrap();
        assert_eq!(
            (actual.domain, actual.discovery, &*actual.namespace),
            (7, Discovery::Localhost, "/own")
        );
    }

    #[test]
    fn the_distribution_is_that_of_the_environment() {
        let of = |settings: &Ros2, name: &str| {
            let actual = network(settings, &[("ROS_DISTRO", name)]).unwrap();
            (actual.distribution, actual.warnings.concat())
        };
        let default = Ros2::default();
        for name in ["", "jazzy"] {
            assert_eq!(of(&default, name), (Distribution::Jazzy, String::new()));
        }
        let kilted = (Distribution::Kilted, String::new());
        assert_eq!(of(&default, "kilted"), kilted);
        let (distribution, why) = of(&default, "humble");
        assert_eq!(distribution, Distribution::Jazzy);
        assert!(why.starts_with("ROS_DISTRO=humble: messages are those of Jazzy"));
        let settings = Ros2 {
            distribution: Some(Distribution::Kilted),
            ..Ros2::default()
        };
        assert_eq!(of(&settings, "humble"), kilted);
    }

    #[test]
    fn invalid_environments_are_errors() {
        for (name, value) in [
            ("ROS_DOMAIN_ID", "233"),
            ("ROS_DOMAIN_ID", "-1"),
            ("ROS_DOMAIN_ID", "one"),
            ("ROS_AUTOMATIC_DISCOVERY_RANGE", "OFF"),
            ("ROS_NAMESPACE", "1st"),
        ] {
            let why = network(&Ros2::default(), &[(name, value)]).unwrap_err();
            assert!(why.starts_with(name), "{why}");
        }
    }
}
