//! Admission of clients: the token, and the pages that may talk to a simulation.
use subtle::ConstantTimeEq as _;
use tungstenite::{
    handshake::server::{Callback, ErrorResponse, Request, Response},
    http::StatusCode,
};

/// Conditions that a client has to meet.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    /// Token that it has to know, if any.
    pub(crate) token: Option<String>,
    /// Pages that may come in, besides those of this machine.
    pub(crate) origins: Vec<String>,
}

impl Admission {
    /// Judges a request by its address and by the page that makes it.
    fn check(&self, query: &str, origin: Option<&str>) -> Result<(), &'static str> {
        if origin.is_some_and(|origin| !self.is_known(origin)) {
            return Err(
                "pages of this origin may not talk to this simulation: name it in `origins`",
            );
        }
        let Some(token) = &self.token else {
            return Ok(());
        };
        let mut given = query
            .split('&')
            .filter_map(|part| part.strip_prefix("token="));
        if given.any(|given| token.as_bytes().ct_eq(given.as_bytes()).into()) {
            return Ok(());
        }
        Err("a token is needed: open the address with ?token=…")
    }

    /// Programs name no origin; every browser does, whatever its page wants.
    fn is_known(&self, origin: &str) -> bool {
        if self.origins.iter().any(|known| known == origin) {
            return true;
        }
        let host = ["http://", "https://"]
            .into_iter()
            .find_map(|scheme| origin.strip_prefix(scheme));
        let host = host.map(|host| match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
            _ => host,
        });
        host.is_some_and(|host| ["localhost", "127.0.0.1", "[::1]"].contains(&host))
    }
}

impl Callback for Admission {
    fn on_request(self, request: &Request, response: Response) -> Result<Response, ErrorResponse> {
        let query = request.uri().query().unwrap_or_default();
        let origin = request
            .headers()
            .get("Origin")
            .map(|origin| origin.to_str().unwrap_or("?"));
        self.check(query, origin).map(|()| response).map_err(|why| {
            let mut refused = ErrorResponse::new(Some(format!("{why}\n")));
            *refused.status_mut() = StatusCode::FORBIDDEN;
            refused
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_may_come_in() {
        let open = Admission {
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
        let closed = Admission {
            token: Some("secret".to_owned()),
            origins: Vec::new(),
        };
        assert!(closed.check("a=1&token=secret", None).is_ok());
        assert!(closed.check("token=secre", None).is_err() && closed.check("", None).is_err());
    }
}
