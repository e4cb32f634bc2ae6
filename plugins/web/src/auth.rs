//! Admission: names by which the page is asked for, pages that may talk to it, and the token.
use std::net::IpAddr;

use subtle::ConstantTimeEq as _;

use crate::http::Head;

/// Conditions that every request has to meet.
#[derive(Clone, Debug)]
pub(crate) struct Auth {
    /// Address at which it listens.
    pub(crate) address: IpAddr,
    /// Names by which it may be asked for, besides its address.
    pub(crate) hosts: Vec<String>,
    /// Token that browsers have to know, if any.
    pub(crate) token: Option<String>,
    /// The cookie that tells it.
    pub(crate) cookie: String,
}

/// Decision on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It may come in.
    Welcome,
    /// It told the token in the address: it gets a cookie instead, so that the token is not seen there.
    TakeCookie,
    /// It may not, for this reason.
    Refused(&'static str),
}

impl Auth {
    /// Judges a request.
    pub(crate) fn check(&self, head: &Head) -> Verdict {
        let Some(host) = head.host.as_deref().filter(|host| self.is_own(host)) else {
            return Verdict::Refused("this simulation is not known by that host name");
        };
        let is_foreign = |origin: &str| origin.strip_prefix("http://") != Some(host);
        if head.origin.as_deref().is_some_and(is_foreign) {
            return Verdict::Refused("pages of other origins may not talk to this simulation");
        }
        let Some(token) = &self.token else {
            return Verdict::Welcome;
        };
        if cookies(head).any(|(name, value)| name == self.cookie && same(token, value)) {
            return Verdict::Welcome;
        }
        if parts(&head.query, '&').any(|(name, value)| name == "token" && same(token, value)) {
            return Verdict::TakeCookie;
        }
        Verdict::Refused("a token is needed: open the address with ?token=…")
    }

    /// Tells whether a `Host` header names this machine. The port does not matter: it may be a forwarded one.
    fn is_own(&self, host: &str) -> bool {
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        };
        if self
            .hosts
            .iter()
            .any(|known| known.eq_ignore_ascii_case(name))
        {
            return true;
        }
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        let address = bare.unwrap_or(name).parse::<IpAddr>();
        let is_local = name.eq_ignore_ascii_case("localhost");
        if self.address.is_loopback() {
            is_local || address.is_ok_and(|address| address.is_loopback())
        } else if self.address.is_unspecified() {
            // Names can be made to point anywhere, addresses cannot.
            is_local || address.is_ok()
        } else {
            address == Ok(self.address)
        }
    }
}

fn cookies(head: &Head) -> impl Iterator<Item = (&str, &str)> {
    parts(head.cookie.as_deref().unwrap_or_default(), ';')
}

fn parts(text: &str, separator: char) -> impl Iterator<Item = (&str, &str)> {
    text.split(separator)
        .filter_map(|part| part.trim().split_once('='))
}

/// Checks whether a token is the right one. It takes as long for a wrong one, wherever it is wrong.
fn same(token: &str, given: &str) -> bool {
    token.as_bytes().ct_eq(given.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth(address: &str, token: Option<&str>) -> Auth {
        Auth {
            address: address.parse().unwrap(),
            hosts: vec!["robots.example".to_owned()],
            token: token.map(str::to_owned),
            cookie: "morse_8080".to_owned(),
        }
    }

    fn head(host: &str, origin: Option<&str>) -> Head {
        Head {
            host: Some(host.to_owned()),
            origin: origin.map(str::to_owned),
            ..Head::default()
        }
    }

    #[test]
    fn hosts() {
        let fits = |address: &str, host: &str| {
            auth(address, None).check(&head(host, None)) == Verdict::Welcome
        };
        for host in [
            "localhost:8080",
            "127.0.0.1:8080",
            "[::1]:8080",
            "LOCALHOST",
            "127.0.0.1:9999",
        ] {
            assert!(fits("127.0.0.1", host), "{host}");
        }
        for host in [
            "evil.example",
            "evil.example:8080",
            "192.168.0.7:8080",
            "",
            "localhost.evil.example",
        ] {
            assert!(!fits("127.0.0.1", host), "{host}");
        }
        assert!(fits("127.0.0.1", "robots.example:80"));
        assert!(fits("0.0.0.0", "192.168.0.7:8080") && !fits("0.0.0.0", "evil.example:8080"));
        assert!(
            fits("192.168.0.7", "192.168.0.7:8080") && !fits("192.168.0.7", "192.168.0.8:8080")
        );
        assert_ne!(
            auth("127.0.0.1", None).check(&Head::default()),
            Verdict::Welcome
        );
    }

    #[test]
    fn origins() {
        let verdict = |origin| auth("127.0.0.1", None).check(&head("localhost:8080", Some(origin)));
        assert_eq!(verdict("http://localhost:8080"), Verdict::Welcome);
        for foreign in [
            "http://evil.example",
            "http://localhost:8081",
            "https://localhost:8080",
            "null",
            "",
        ] {
            assert_ne!(verdict(foreign), Verdict::Welcome, "{foreign}");
        }
    }

    #[test]
    fn tokens() {
        let auth = auth("0.0.0.0", Some("secret"));
        let with = |query: &str, cookie: Option<&str>| {
            auth.check(&Head {
                query: query.to_owned(),
                cookie: cookie.map(str::to_owned),
                ..head("10.0.0.1:8080", None)
            })
        };
        assert_eq!(with("token=secret", None), Verdict::TakeCookie);
        assert_eq!(with("", Some("a=b; morse_8080=secret")), Verdict::Welcome);
        for (query, cookie) in [
            ("", None),
            ("token=", None),
            ("token=secre", None),
            ("token=secrets", None),
            ("", Some("morse_8081=secret")),
            ("", Some("morse_8080=Secret")),
        ] {
            assert!(
                matches!(with(query, cookie), Verdict::Refused(_)),
                "{query} {cookie:?}"
            );
        }
    }
}
