//! Materials of the robots.

/// Colour and finish of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Material {
    /// Name in the file.
    pub(crate) name: &'static str,
    /// Red, green and blue in sRGB, from 0 to 1.
    pub(crate) color: [f64; 3],
    /// Roughness of glTF: 0 for a mirror, 1 for a matt surface.
    pub(crate) roughness: f64,
    /// True for a bare metal, whose highlights have its colour.
    pub(crate) is_metal: bool,
}

const fn plastic(name: &'static str, color: [f64; 3], roughness: f64) -> Material {
    Material {
        name,
        color,
        roughness,
        is_metal: false,
    }
}

pub(crate) const WHITE: Material = plastic("white", [0.92, 0.93, 0.95], 0.35);
pub(crate) const PEARL: Material = plastic("pearl", [0.80, 0.82, 0.85], 0.35);
pub(crate) const GREY: Material = plastic("grey", [0.50, 0.52, 0.55], 0.5);
pub(crate) const DARK: Material = plastic("dark", [0.17, 0.18, 0.20], 0.5);
pub(crate) const BLACK: Material = plastic("black", [0.05, 0.05, 0.06], 0.3);
pub(crate) const RUBBER: Material = plastic("rubber", [0.10, 0.10, 0.11], 0.9);
pub(crate) const RED: Material = plastic("red", [0.74, 0.07, 0.08], 0.35);
pub(crate) const ORANGE: Material = plastic("orange", [0.95, 0.45, 0.07], 0.4);
pub(crate) const YELLOW: Material = plastic("yellow", [0.95, 0.78, 0.12], 0.4);
pub(crate) const BLUE: Material = plastic("blue", [0.12, 0.32, 0.72], 0.35);
pub(crate) const LIGHT_BLUE: Material = plastic("light blue", [0.45, 0.68, 0.95], 0.3);
pub(crate) const GLASS: Material = plastic("glass", [0.12, 0.17, 0.21], 0.2);
pub(crate) const LAMP: Material = plastic("lamp", [0.98, 0.96, 0.85], 0.25);
pub(crate) const METAL: Material = Material {
    name: "metal",
    color: [0.72, 0.73, 0.75],
    roughness: 0.4,
    is_metal: true,
};
