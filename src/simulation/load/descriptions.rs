//! Options for reading robot descriptions.
use morse_description::{packages::Packages, urdf::Root, xacro};
use morse_diagnostics::{Diagnostic, nearest, printable};

/// Options for reading robot descriptions.
#[derive(Clone, Debug, Default)]
pub struct Descriptions {
    /// Sources of packages.
    pub packages: Packages,
    /// Options for macros.
    pub xacro: xacro::Options,
    /// Root joint of a description that is a scene; that of a robot follows its `base`.
    pub root: Root,
    /// True to let joints without settings hold their initial positions.
    pub hold: bool,
    /// True to add no floor under a robot that runs by itself.
    pub no_floor: bool,
    /// Maximum number of convex parts into which collision meshes of descriptions are divided; `None` for hulls.
    pub convex_parts: Option<u32>,
    /// True to turn Collada meshes by the upward axes of their files.
    pub collada_up_axis: bool,
}

impl Descriptions {
    /// Returns warnings about options that have had no effect on the files that were read with them. `is_description` is true
    /// if the scene is a robot description.
    pub(crate) fn without_effect(&self, is_description: bool) -> Vec<Diagnostic> {
        let mut warnings = Vec::new();
        if self.root == Root::Fixed && !is_description {
            let message = "`--fixed` has no effect: the scene is no robot description";
            let help = "set `base: fixed` of the robot in the simulation file";
            warnings.push(Diagnostic::warning("load::no-effect", message).help(help));
        }
        let known = self.xacro.known.names();
        let names = self.xacro.arguments.iter().map(|(name, _)| name);
        for name in names.filter(|name| known.binary_search(name).is_err()) {
            let shown = printable(name);
            let message = format!(
                "`--xacro {shown}:=…` has no effect: no robot description has this argument"
            );
            let near = nearest(name, known.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `{}`?", printable(near)),
                None if known.is_empty() => {
                    "arguments are defined by `<xacro:arg name=\"…\"/>` in files `.xacro`"
                        .to_owned()
                }
                None => format!("known are: {}", printable(&known.join(", "))),
            };
            warnings.push(Diagnostic::warning("load::no-effect", message).help(help));
        }
        warnings
    }
}
