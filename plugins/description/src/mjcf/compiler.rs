//! Settings of `<compiler>`.

use morse_diagnostics::Diagnostic;
use morse_scene::bounds::Bounds;

use super::{codes, fields, option::Switches};
use crate::{problems::Problems, xml::Element};

/// Settings that change the meaning of other elements.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    /// Radians per unit of an angle.
    pub(super) angle: f64,
    /// Directories of meshes and textures, relative to the file.
    directories: [String; 2],
    /// Sequence of the axes of Euler angles; upper case for fixed axes.
    pub(super) sequence: [char; 3],
    /// True if limits apply when a range is given.
    pub(super) limits: bool,
    /// True if inertia is always computed from geoms, false if never; `None` if `<inertial>` is missing.
    pub(super) from_geoms: Option<bool>,
    /// Lowest and highest group of the geoms that have mass.
    pub(super) groups: [f64; 2],
    /// Smallest mass, kg, and smallest moment of inertia, kg·m², of moving bodies.
    pub(super) least: [f64; 2],
    /// True if moments that violate the triangle inequality are replaced by their mean.
    pub(super) balance: bool,
    /// Mass of the whole model, kg.
    pub(super) total: Option<f64>,
    /// True if directories are removed from file names.
    strip: bool,
    /// Forces and actuators that `<option>` switches off.
    pub(super) switches: Switches,
}

/// Attributes of `<compiler>`.
const KNOWN: &[&str] = &[
    "autolimits",
    "boundmass",
    "boundinertia",
    "settotalmass",
    "balanceinertia",
    "strippath",
    "coordinate",
    "angle",
    "fitaabb",
    "eulerseq",
    "meshdir",
    "texturedir",
    "assetdir",
    "discardvisual",
    "usethread",
    "fusestatic",
    "inertiafromgeom",
    "inertiagrouprange",
    "exactmeshinertia",
    "saveinertial",
    "alignfree",
    "convexhull",
];

impl Settings {
    /// Reads all `<compiler>` elements of a model; later ones take precedence.
    pub(super) fn read(root: &Element, problems: &mut Problems) -> Self {
        let mut settings = Self {
            angle: 1.0_f64.to_radians(),
            directories: [String::new(), String::new()],
            sequence: ['x', 'y', 'z'],
            limits: true,
            from_geoms: None,
            groups: [0.0, 5.0],
            least: [0.0; 2],
            balance: false,
            total: None,
            strip: false,
            switches: Switches::read(root, problems),
        };
        for element in root.named("compiler") {
            fields::check(element, KNOWN, problems);
            settings.angles(element, problems);
            settings.files(element, problems);
            settings.masses(element, problems);
        }
        settings
    }

    fn angles(&mut self, element: &Element, problems: &mut Problems) {
        match fields::word(element, "angle", &["degree", "radian"], problems) {
            Some("radian") => self.angle = 1.0,
            Some(_) => self.angle = 1.0_f64.to_radians(),
            None => {}
        }
        self.limits = fields::flag(element, "autolimits", problems).unwrap_or(self.limits);
        if let Some(written) = element.attribute("eulerseq") {
            let letters: Vec<char> = written.value.trim().chars().collect();
            match <[char; 3]>::try_from(letters) {
                Ok(letters) if letters.iter().all(|one| "xyzXYZ".contains(*one)) => {
                    self.sequence = letters;
                }
                _ => problems.push(
                    Diagnostic::error(codes::BAD_WORD, "`eulerseq` has three axes")
                        .at(written.value_span, "expected three of x, y, z, X, Y, Z")
                        .help("for example `eulerseq=\"xyz\"`"),
                ),
            }
        }
        if let Some(written) = element.attribute("coordinate")
            && written.value.trim() != "local"
        {
            let diagnostic = Diagnostic::error(codes::BAD_WORD, "only local coordinates are read")
                .at(written.value_span, "not supported since MuJoCo 2.3.4")
                .help("load the file with an older MuJoCo, and save it again");
            problems.push(diagnostic);
        }
    }

    fn files(&mut self, element: &Element, problems: &mut Problems) {
        let text = |name| {
            let written = element.attribute(name);
            written.map(|written| written.value.trim().to_owned())
        };
        if let Some(directory) = text("assetdir") {
            self.directories = [directory.clone(), directory];
        }
        let [meshes, textures] = &mut self.directories;
        if let Some(directory) = text("meshdir") {
            *meshes = directory;
        }
        if let Some(directory) = text("texturedir") {
            *textures = directory;
        }
        self.strip = fields::flag(element, "strippath", problems).unwrap_or(self.strip);
    }

    fn masses(&mut self, element: &Element, problems: &mut Problems) {
        if element.attribute("inertiafromgeom").is_some() {
            self.from_geoms = fields::flag(element, "inertiafromgeom", problems);
        }
        let groups = Bounds::between(0.0, 5.0);
        let groups = fields::array(element, "inertiagrouprange", groups, problems);
        self.groups = groups.unwrap_or(self.groups);
        let mass = Bounds::between(0.0, 1e9);
        let names = ["boundmass", "boundinertia"];
        for (least, name) in self.least.iter_mut().zip(names) {
            *least = fields::number(element, name, mass, problems).unwrap_or(*least);
        }
        self.balance = fields::flag(element, "balanceinertia", problems).unwrap_or(self.balance);
        let total = fields::number(element, "settotalmass", Bounds::within(1e9), problems);
        self.total = total.filter(|mass| *mass > 0.0).or(self.total);
    }

    /// Returns the path of a file in the directory of meshes (0) or textures (1), relative to the model.
    pub(super) fn file(&self, written: &str, which: usize) -> String {
        let name = match self.strip {
            true => written.rsplit(['/', '\\']).next().unwrap_or(written),
            false => written,
        };
        let directory = self.directories.get(which).map_or("", String::as_str);
        if directory.is_empty() || name.starts_with('/') {
            return name.to_owned();
        }
        format!("{}/{name}", directory.trim_end_matches('/'))
    }
}
