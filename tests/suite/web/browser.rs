//! The page in a browser: `tests/browser`, where Playwright drives a headless Chromium.

/// Runs the page in a browser; without Playwright or a Chromium the tests are skipped with a message.
#[test]
fn the_page_lives_in_a_browser() {
    crate::python::unittests("browser", "tests/browser", &[], 12);
}
