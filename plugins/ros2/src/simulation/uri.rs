//! Paths of files as URIs (RFC 3986), and back.

/// Scheme and empty authority of files.
const PREFIX: &str = "file://";

/// Returns the URI of an absolute path.
pub(super) fn of(path: &str) -> String {
    let mut uri = PREFIX.to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

/// Returns the path that a URI with the scheme `file` names, or the text if it is a path.
///
/// # Errors
///
/// The URI has another scheme, or names no text; the error says why.
pub(super) fn path(uri: &str) -> Result<String, String> {
    let Some(escaped) = uri.strip_prefix(PREFIX) else {
        if uri.contains("://") {
            return Err(format!(
                "`{uri}`: expected a path, or a URI that begins with `file://`"
            ));
        }
        return Ok(uri.to_owned());
    };
    let mut bytes = Vec::new();
    let mut rest = escaped.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |byte: Option<u8>| char::from(byte?).to_digit(16);
        let code = digit(rest.next()).zip(digit(rest.next()));
        let code = code.and_then(|(high, low)| u8::try_from(16 * high + low).ok());
        let why = || format!("`{uri}`: expected two hexadecimal digits after `%`");
        bytes.push(code.ok_or_else(why)?);
    }
    String::from_utf8(bytes).map_err(|why| format!("`{uri}`: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_and_paths_are_inverse() {
        // Escapes as Python's `urllib.parse.quote` writes them.
        let cases = [
            ("/home/a b/world.ron", "file:///home/a%20b/world.ron"),
            (
                "/Übung/100%/x?#.urdf",
                "file:///%C3%9Cbung/100%25/x%3F%23.urdf",
            ),
            ("/plain-1_2.3~/x", "file:///plain-1_2.3~/x"),
        ];
        for (text, uri) in cases {
            assert_eq!(of(text), uri);
            assert_eq!(path(uri).as_deref(), Ok(text));
        }
        assert_eq!(path("file:///a%2fb").as_deref(), Ok("/a/b"));
        assert_eq!(path("robots/100%.urdf").as_deref(), Ok("robots/100%.urdf"));
    }

    #[test]
    fn other_uris_are_errors() {
        for (uri, why) in [
            ("https://x/y", "expected a path"),
            ("file:///a%2", "two hexadecimal digits"),
            ("file:///a%zz", "two hexadecimal digits"),
            ("file:///a%+1", "two hexadecimal digits"),
            ("file:///%FF", "invalid utf-8"),
        ] {
            let error = path(uri).unwrap_err();
            assert!(error.contains(why) && error.contains(uri), "{error}");
        }
    }
}
