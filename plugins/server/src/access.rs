//! Access policy of all servers. Addresses other than loopback require a token, and tokens are compared in constant time.
//! Requests of browser pages are checked by `Host` and `Origin`, so that pages of other sites cannot reach the simulation.
//!
//! - [`address`]: returns the address to listen at, if address and token are consistent;
//! - [`is_token`]: compares tokens;
//! - [`PageAccess`]: access to a page that this server serves;
//! - [`ProgramAccess`]: access for programs, and for pages of other servers.
use std::net::IpAddr;

use subtle::ConstantTimeEq as _;
use thiserror::Error;

/// Form in which clients present the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenForm {
    /// In the URL of a page that a browser opens.
    Page,
    /// In the URL that a program opens.
    Address,
    /// In a line of its own.
    Line,
}

/// Invalid settings of an address and a token.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The token contains characters that are not allowed in a URL.
    #[error("invalid `token`: use letters, digits, `-`, `_` and `.`, since it is part of a URL")]
    UnusualToken,
    /// The token is empty.
    #[error("the `token` is empty; omit it if none is required")]
    EmptyToken,
    /// The text is not an address.
    #[error("invalid IP address `{0}`; for example 127.0.0.1")]
    NoAddress(String),
    /// The address is not loopback, and there is no token.
    #[error(
        "other machines can connect to {0}: set a `token` that {clients} must present{options}",
        clients = clients(*.1),
        options = options(*.1)
    )]
    NoToken(IpAddr, TokenForm),
}

fn clients(form: TokenForm) -> &'static str {
    match form {
        TokenForm::Page => "browsers",
        TokenForm::Address | TokenForm::Line => "clients",
    }
}

fn options(form: TokenForm) -> &'static str {
    match form {
        TokenForm::Page => " (`--token-file FILE` on the command line, or MORSE_TOKEN)",
        TokenForm::Address | TokenForm::Line => "",
    }
}

/// Returns the address to listen at.
///
/// # Errors
///
/// The address or the token is malformed, or the address is not loopback and there is no token.
pub fn address(listen: &str, token: Option<&str>, form: TokenForm) -> Result<IpAddr, AccessError> {
    if form != TokenForm::Line && !token.is_none_or(fits_into_address) {
        return Err(AccessError::UnusualToken);
    }
    let address = match listen {
        "localhost" => "127.0.0.1",
        other => other,
    };
    let address: IpAddr = address
        .parse()
        .map_err(|_not_one| AccessError::NoAddress(listen.to_owned()))?;
    if token.is_some_and(str::is_empty) {
        return Err(AccessError::EmptyToken);
    }
    if !address.is_loopback() && token.is_none() {
        return Err(AccessError::NoToken(address, form));
    }
    Ok(address)
}

fn fits_into_address(token: &str) -> bool {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    !token.is_empty() && token.bytes().all(is_usual)
}

/// Returns true if `given` is the token. The duration does not depend on the position of a difference.
#[must_use]
pub fn is_token(token: &str, given: &[u8]) -> bool {
    token.as_bytes().ct_eq(given).into()
}

/// Access for programs, which send no origin, and for pages of other servers.
#[derive(Clone, Debug)]
pub struct ProgramAccess {
    /// Token that clients must present, if any.
    pub token: Option<String>,
    /// Origins of pages that may connect, in addition to origins on this machine.
    pub origins: Vec<String>,
}

impl ProgramAccess {
    /// Checks the query of the URL, and the origin of the page that connects.
    ///
    /// # Errors
    ///
    /// The origin is foreign, or the token is wrong.
    pub fn check(&self, query: &str, origin: Option<&str>) -> Result<(), Refusal> {
        if origin.is_some_and(|origin| !self.is_known(origin)) {
            return Err(Refusal::Origin);
        }
        let Some(token) = &self.token else {
            return Ok(());
        };
        let mut given = query
            .split('&')
            .filter_map(|field| field.strip_prefix("token="));
        if given.any(|given| is_token(token, given.as_bytes())) {
            return Ok(());
        }
        Err(Refusal::Token)
    }

    /// Returns true if the origin is allowed. Programs send no origin; every browser sends one.
    fn is_known(&self, origin: &str) -> bool {
        if self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let host = ["http://", "https://"]
            .into_iter()
            .find_map(|scheme| origin.strip_prefix(scheme));
        host.is_some_and(|host| ["localhost", "127.0.0.1", "[::1]"].contains(&without_port(host)))
    }
}

/// Reason for the refusal of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{}", self.reason())]
#[non_exhaustive]
pub enum Refusal {
    /// The page has a foreign origin.
    Origin,
    /// The page has another origin, but only pages of the server itself may connect.
    OtherOrigin,
    /// The host name does not belong to this machine.
    Host,
    /// The token is missing or wrong.
    Token,
}

impl Refusal {
    /// Returns the reason as text for users.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Origin => "pages of this origin may not connect: add it to `origins`",
            Self::OtherOrigin => "pages of other origins may not connect",
            Self::Host => "unknown host name: add it to `hosts`",
            Self::Token => "a token is required: open the address with ?token=…",
        }
    }
}

/// Access to a page that the server serves: only its own pages may connect.
#[derive(Clone, Debug)]
pub struct PageAccess {
    /// Address at which the server listens.
    pub address: IpAddr,
    /// Host names of the server, in addition to its address.
    pub hosts: Vec<String>,
    /// Origins of pages that may contain the page, separated by blanks.
    pub frames: String,
    /// Token that browsers must present, if any.
    pub token: Option<String>,
    /// Name of the cookie that contains the token.
    pub cookie: String,
}

/// Fields of a request that determine access.
#[derive(Clone, Copy, Debug, Default)]
pub struct PageRequest<'a> {
    /// Host name in the request.
    pub host: Option<&'a str>,
    /// Origin of the page that connects.
    pub origin: Option<&'a str>,
    /// Cookies.
    pub cookie: Option<&'a str>,
    /// Query of the URL.
    pub query: &'a str,
}

/// Result of the check of a request that is not refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The client may connect.
    Welcome,
    /// The token is in the URL: the client gets a cookie and is redirected, so that the URL no longer shows the token.
    TakeCookie,
}

impl PageAccess {
    /// Checks a request.
    ///
    /// # Errors
    ///
    /// Host name or origin are foreign, or the token is wrong.
    pub fn check(&self, request: PageRequest<'_>) -> Result<Verdict, Refusal> {
        let Some(host) = request.host.filter(|host| self.is_own(host)) else {
            return Err(Refusal::Host);
        };
        let is_foreign = |origin: &str| origin.strip_prefix("http://") != Some(host);
        if request.origin.is_some_and(is_foreign) {
            return Err(Refusal::OtherOrigin);
        }
        let Some(token) = &self.token else {
            return Ok(Verdict::Welcome);
        };
        let is_it = |given: &str| is_token(token, given.as_bytes());
        let mut cookies = fields(request.cookie.unwrap_or_default(), ';');
        if cookies.any(|(name, value)| name == self.cookie && is_it(value)) {
            return Ok(Verdict::Welcome);
        }
        if fields(request.query, '&').any(|(name, value)| name == "token" && is_it(value)) {
            return Ok(Verdict::TakeCookie);
        }
        Err(Refusal::Token)
    }

    /// Returns true if a `Host` header names this machine. The port is not checked, since it may be forwarded.
    fn is_own(&self, host: &str) -> bool {
        let name = without_port(host);
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
            // Host names can be made to resolve to any address (DNS rebinding), addresses cannot.
            is_local || address.is_ok()
        } else {
            address == Ok(self.address)
        }
    }
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

fn fields(text: &str, separator: char) -> impl Iterator<Item = (&str, &str)> {
    text.split(separator)
        .filter_map(|field| field.trim().split_once('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str, token: Option<&str>) -> PageAccess {
        PageAccess {
            address: address.parse().unwrap(),
            hosts: vec!["robots.example".to_owned()],
            frames: String::new(),
            token: token.map(str::to_owned),
            cookie: "morse_8080".to_owned(),
        }
    }

    fn request<'a>(host: &'a str, origin: Option<&'a str>) -> PageRequest<'a> {
        PageRequest {
            host: Some(host),
            origin,
            ..PageRequest::default()
        }
    }

    #[test]
    fn host_names() {
        let fits = |address: &str, host: &str| {
            access(address, None).check(request(host, None)) == Ok(Verdict::Welcome)
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
            access("127.0.0.1", None).check(PageRequest::default()),
            Ok(Verdict::Welcome)
        );
    }

    #[test]
    fn origins() {
        let verdict =
            |origin| access("127.0.0.1", None).check(request("localhost:8080", Some(origin)));
        assert_eq!(verdict("http://localhost:8080"), Ok(Verdict::Welcome));
        for foreign in [
            "http://evil.example",
            "http://localhost:8081",
            "https://localhost:8080",
            "null",
            "",
        ] {
            assert_eq!(verdict(foreign), Err(Refusal::OtherOrigin), "{foreign}");
        }
    }

    #[test]
    fn tokens() {
        let access = access("0.0.0.0", Some("secret"));
        let with = |query: &str, cookie: Option<&str>| {
            access.check(PageRequest {
                query,
                cookie,
                ..request("10.0.0.1:8080", None)
            })
        };
        assert_eq!(with("token=secret", None), Ok(Verdict::TakeCookie));
        assert_eq!(
            with("", Some("a=b; morse_8080=secret")),
            Ok(Verdict::Welcome)
        );
        for (query, cookie) in [
            ("", None),
            ("token=", None),
            ("token=secre", None),
            ("token=secrets", None),
            ("", Some("morse_8081=secret")),
            ("", Some("morse_8080=Secret")),
        ] {
            assert_eq!(
                with(query, cookie),
                Err(Refusal::Token),
                "{query} {cookie:?}"
            );
        }
    }

    #[test]
    fn programs_and_known_origins_may_connect() {
        let open = ProgramAccess {
            token: None,
            origins: vec!["https://robots.example".to_owned()],
        };
        for (origin, is_welcome) in [
            (None, true),
            (Some("http://localhost:3000"), true),
            (Some("http://[::1]:3000"), true),
            (Some("https://robots.example"), true),
            (Some("http://localhost.evil.example"), false),
            (Some("https://evil.example"), false),
            (Some("null"), false),
        ] {
            assert_eq!(open.check("", origin).is_ok(), is_welcome, "{origin:?}");
        }
        let closed = ProgramAccess {
            token: Some("secret".to_owned()),
            origins: Vec::new(),
        };
        assert!(closed.check("a=1&token=secret", None).is_ok());
        assert!(closed.check("token=secre", None).is_err() && closed.check("", None).is_err());
    }

    #[test]
    fn other_machines_need_a_token() {
        let forms = [TokenForm::Page, TokenForm::Address, TokenForm::Line];
        for form in forms {
            for (listen, token, is_fine) in [
                ("127.0.0.1", None, true),
                ("localhost", None, true),
                ("::1", None, true),
                ("0.0.0.0", None, false),
                ("192.168.0.7", None, false),
                ("0.0.0.0", Some("secret"), true),
                ("127.0.0.1", Some(""), false),
                ("here", None, false),
            ] {
                let result = address(listen, token, form);
                assert_eq!(result.is_ok(), is_fine, "{listen} {token:?}: {result:?}");
            }
        }
        assert!(address("::1", Some("a b"), TokenForm::Line).is_ok());
        let unusual = address("::1", Some("a b"), TokenForm::Address);
        assert_eq!(unusual, Err(AccessError::UnusualToken));
        let open = address("0.0.0.0", None, TokenForm::Page);
        let why = open.map_err(|why| why.to_string());
        assert_eq!(
            why,
            Err(
                "other machines can connect to 0.0.0.0: set a `token` that browsers must present \
                 (`--token-file FILE` on the command line, or MORSE_TOKEN)"
                    .to_owned()
            )
        );
    }
}
