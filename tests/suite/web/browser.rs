//! The page in a browser: `tests/browser`, where Playwright drives a headless Chromium.

/// Runs the page in a browser; where Playwright or a Chromium is not there, the tests say so.
#[test]
fn the_page_lives_in_a_browser() {
    crate::python::unittests("browser", "tests/browser", &[], 11);
}
