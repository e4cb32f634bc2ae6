//! Wheels of several robots.
use crate::{
    materials::{DARK, METAL, Material, RUBBER},
    mesh::Mesh,
    shell::Shell,
    solids::{block, drum, lathe, ring},
};

/// Dimensions of a wheel that turns about y, with its centre at the origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wheel {
    /// Name of the mesh.
    pub(super) name: &'static str,
    /// Radius and width of the tyre, m.
    pub(super) radius: f64,
    pub(super) width: f64,
    /// Radius of the rim, m.
    pub(super) rim: f64,
    /// Number of lugs on the tread.
    pub(super) lugs: u32,
    /// Height of the lugs, m.
    pub(super) depth: f64,
    /// Number of spokes.
    pub(super) spokes: u32,
    /// Material of rim and spokes.
    pub(super) metal: Material,
}

impl Default for Wheel {
    fn default() -> Self {
        Self {
            name: "",
            radius: 0.1,
            width: 0.05,
            rim: 0.06,
            lugs: 24,
            depth: 0.003,
            spokes: 5,
            metal: METAL,
        }
    }
}

/// Returns a wheel: a tyre with lugs, a rim, spokes and a hub on both sides.
pub(super) fn wheel(wheel: &Wheel) -> Mesh {
    let Wheel { radius, rim, .. } = *wheel;
    let half = wheel.width / 2.0;
    let tread = radius - wheel.depth;
    let shoulder = (0.35 * (tread - rim)).min(0.35 * half);
    let tyre = ring(
        &[
            [rim - 0.004, -half * 0.80],
            [rim + 0.3 * (tread - rim), -half],
            [tread - shoulder, -half],
            [tread - 0.3 * shoulder, -half + 0.35 * shoulder],
            [tread, -half + shoulder],
            [tread, half - shoulder],
            [tread - 0.3 * shoulder, half - 0.35 * shoulder],
            [tread - shoulder, half],
            [rim + 0.3 * (tread - rim), half],
            [rim - 0.004, half * 0.80],
        ],
        20,
    );
    let dish = ring(
        &[
            [rim, -half * 0.80],
            [rim * 0.96, -half * 0.78],
            [rim * 0.84, -half * 0.40],
            [rim * 0.84, half * 0.40],
            [rim * 0.96, half * 0.78],
            [rim, half * 0.80],
        ],
        16,
    );
    let hub = drum(rim * 0.28, -half * 0.92, half * 0.92, half * 0.08, 10);
    let spoke = block([rim * 0.70, rim * 0.22, wheel.width * 0.70], 0.0).at(rim * 0.52, 0.0, 0.0);
    let metal = dish.and(&spoke.repeated(wheel.spokes)).and(&hub);
    let back = lathe(&[[rim * 0.90, -half * 0.44], [rim * 0.90, half * 0.44]], 12);
    Mesh::new(wheel.name)
        .with(RUBBER, tyre.and(&lugs(wheel, tread)).along_y())
        .with(wheel.metal, metal.along_y())
        .with(DARK, back.along_y())
}

/// Returns the lugs on the tread of a tyre, as bars across it on alternate sides.
fn lugs(wheel: &Wheel, tread: f64) -> Shell {
    let pitch = std::f64::consts::TAU * tread / f64::from(wheel.lugs.max(1));
    let bar = block([2.0 * wheel.depth, pitch * 0.55, wheel.width * 0.46], 0.0);
    (0..wheel.lugs).fold(Shell::default(), |all, index| {
        let side = if index % 2 == 0 { 1.0 } else { -1.0 };
        let angle = 360.0 * f64::from(index) / f64::from(wheel.lugs);
        let bar = bar.clone().at(tread, 0.0, side * wheel.width * 0.20);
        all.and(&bar.turned([0.0, 0.0, 1.0], angle))
    })
}
