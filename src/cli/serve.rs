//! `--serve`: the simulation in a browser, through an additional middleware.
use std::{
    env::VarError,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::Path,
};

use morse_diagnostics::{printable, report::Report};
use morse_simulation_file::{
    Family, Spanned, Vocabulary as _,
    model::{Middleware, Settings},
};
use serde_json::json;

use super::{output, usage::UsageError};
use crate::simulation::{
    kinds::{Kinds, Words},
    load::Plan,
};

/// Environment variable with the token.
const VARIABLE: &str = "MORSE_TOKEN";

/// Default address of the page.
pub const DEFAULT: &str = "127.0.0.1:8080";

/// Parses the address of the page: `ADDR:PORT`, or a port alone.
///
/// # Errors
///
/// The text is neither.
pub fn address(text: &str) -> Result<SocketAddr, UsageError> {
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    if let Ok(port) = text.strip_prefix("localhost:").unwrap_or(text).parse() {
        return Ok(loopback(port));
    }
    text.parse().map_err(|_neither| {
        "expected an address and a port, such as 127.0.0.1:8080; put the scene before `--serve`"
            .into()
    })
}

/// Returns the token that browsers must present: the given one, or the content of the file, or else the environment variable
/// `MORSE_TOKEN`. An empty variable means no token.
///
/// # Errors
///
/// The file cannot be read or is empty; the variable is not valid text.
pub fn token(given: Option<&str>, file: Option<&Path>) -> Result<Option<String>, Box<Report>> {
    if let Some(given) = given {
        return Ok(Some(given.to_owned()));
    }
    let Some(file) = file else {
        return match std::env::var(VARIABLE) {
            Ok(token) => Ok(Some(token).filter(|token| !token.is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => {
                let why = format!("{VARIABLE} is not valid text");
                Err(output::refused(
                    &why,
                    "invalid token: use letters, digits, `-`, `_` and `.`",
                ))
            }
        };
    };
    let shown = printable(&file.to_string_lossy());
    let text = std::fs::read_to_string(file).map_err(|error| {
        let why = format!("`--token-file`: `{shown}` cannot be read: {error}");
        output::refused(&why, "check the path, and that it is a file you may read")
    })?;
    match text.trim() {
        "" => {
            let why = format!("`--token-file`: `{shown}` is empty");
            Err(output::refused(
                &why,
                "write the token into it, on one line",
            ))
        }
        token => Ok(Some(token.to_owned())),
    }
}

/// Adds the middleware.
///
/// # Errors
///
/// The program has no kind `web`.
pub fn add(
    plan: &mut Plan,
    address: SocketAddr,
    token: Option<&str>,
    frames: &[&str],
    kinds: &Kinds,
) -> Result<(), Box<Report>> {
    let fields = json!({
        "listen": address.ip().to_string(), "port": address.port(), "token": token, "frames": frames,
    });
    let mut fields = <dyn erased_serde::Deserializer>::erase(fields);
    let settings = Words(kinds)
        .read(Family::Middleware, "web", &mut fields)
        .map_err(|error| output::refused(&format!("`--serve`: {error}"), ""))?;
    let middleware = Middleware {
        kind: Spanned::from("web".to_owned()),
        settings: Settings(settings),
    };
    let name = Spanned::from("--serve".to_owned());
    plan.simulation.middlewares.insert(name, middleware);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses() {
        let read = |text| address(text).map(|address| address.to_string());
        assert_eq!(read(DEFAULT), Ok(DEFAULT.to_owned()));
        assert_eq!(read("9000"), Ok("127.0.0.1:9000".to_owned()));
        assert_eq!(read("localhost:9000"), Ok("127.0.0.1:9000".to_owned()));
        assert_eq!(read("0.0.0.0:80"), Ok("0.0.0.0:80".to_owned()));
        assert_eq!(read("[::1]:80"), Ok("[::1]:80".to_owned()));
        for bad in [
            "",
            "scenes/table.ron",
            "127.0.0.1",
            "1.2.3.4:99999",
            "host:80",
        ] {
            assert!(address(bad).is_err(), "{bad}");
        }
    }
}
