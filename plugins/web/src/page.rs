//! Files of the page. No other files are served.

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Declares the files of the directory `page`: path, content type and content.
macro_rules! embedded {
    ($($path:literal $name:literal $kind:ident)*) => {
        &[$(($path, $kind, include_bytes!(concat!("../page/", $name)))),*]
    };
}

type File = (&'static str, &'static str, &'static [u8]);

/// All files of the page.
pub(crate) const FILES: &[File] = embedded! {
    "/" "index.html" HTML
    "/style.css" "style.css" CSS
    "/icon.svg" "icon.svg" SVG
    "/main.js" "main.js" SCRIPT
    "/connection.js" "connection.js" SCRIPT
    "/values.js" "values.js" SCRIPT
    "/algebra.js" "algebra.js" SCRIPT
    "/forms.js" "forms.js" SCRIPT
    "/shaders.js" "shaders.js" SCRIPT
    "/drawing.js" "drawing.js" SCRIPT
    "/camera.js" "camera.js" SCRIPT
    "/world.js" "world.js" SCRIPT
    "/overlay.js" "overlay.js" SCRIPT
    "/tree.js" "tree.js" SCRIPT
    "/inspector.js" "inspector.js" SCRIPT
    "/plot.js" "plot.js" SCRIPT
    "/graph.js" "graph.js" SCRIPT
    "/objects.js" "objects.js" SCRIPT
    "/controls.js" "controls.js" SCRIPT
};

/// Returns the content of the page at a path, and its content type.
pub(crate) fn find(path: &str) -> Option<(&'static str, &'static [u8])> {
    let file = FILES.iter().find(|(known, ..)| *known == path);
    file.map(|(_, kind, content)| (*kind, *content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_the_folder_are_there() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
        let mut names: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| format!("/{}", entry.unwrap().file_name().to_string_lossy()))
            .map(|path| path.replace("/index.html", "/"))
            .collect();
        let mut known: Vec<&str> = FILES.iter().map(|(path, ..)| *path).collect();
        names.sort();
        known.sort_unstable();
        assert_eq!(names, known);
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        for (path, _, content) in FILES {
            let text = std::str::from_utf8(content).unwrap();
            for word in [
                "https://",
                "http://",
                "//cdn",
                "@import",
                "eval(",
                "innerHTML",
            ] {
                let text = text.replace("http://www.w3.org/2000/svg", "");
                assert!(!text.contains(word), "{path}: {word}");
            }
        }
    }
}
