//! Vehicles in the air and in the water: the helicopter and the submarine.
use crate::{
    materials::{BLACK, DARK, GLASS, GREY, METAL, RED, WHITE, YELLOW},
    mesh::Mesh,
    shell::Shell,
    solids::{block, drum, ellipsoid, extrude, hull, lathe, ring, section, tube},
};

/// Returns the meshes of the vehicles.
pub(super) fn meshes() -> Vec<Mesh> {
    vec![
        rmax(),
        blades("rmax_rotor", 1.55, 0.055),
        blades("rmax_tail_rotor", 0.225, 0.016),
        submarine(),
    ]
}

fn rmax() -> Mesh {
    let cowl = hull(
        &[
            section(-0.160, 0.060, 0.440, 0.600, 2.4),
            section(-0.100, 0.120, 0.330, 0.640, 3.0),
            section(0.100, 0.170, 0.290, 0.680, 3.2),
            section(0.500, 0.185, 0.290, 0.690, 3.0),
            section(0.850, 0.165, 0.310, 0.640, 2.8),
            section(1.120, 0.120, 0.340, 0.550, 2.5),
            section(1.270, 0.070, 0.370, 0.480, 2.2),
            section(1.340, 0.020, 0.405, 0.440, 2.0),
        ],
        28,
    );
    let belly = hull(
        &[
            section(-0.140, 0.060, 0.300, 0.420, 3.0),
            section(-0.050, 0.150, 0.235, 0.420, 3.5),
            section(0.700, 0.170, 0.235, 0.420, 3.5),
            section(1.000, 0.130, 0.270, 0.420, 3.0),
            section(1.200, 0.070, 0.340, 0.420, 2.5),
        ],
        24,
    );
    let glass = hull(
        &[
            section(0.820, 0.130, 0.560, 0.655, 2.4),
            section(0.900, 0.150, 0.490, 0.643, 2.6),
            section(1.060, 0.125, 0.470, 0.590, 2.5),
            section(1.160, 0.080, 0.455, 0.530, 2.2),
        ],
        20,
    );
    let boom = tube(
        &[
            [-0.05, 0.0, 0.560],
            [-0.60, 0.0, 0.575],
            [-1.28, 0.0, 0.585],
        ],
        &[0.075, 0.052, 0.036],
        16,
    );
    let exhaust = tube(
        &[
            [0.25, 0.150, 0.42],
            [0.10, 0.205, 0.40],
            [-0.12, 0.205, 0.40],
        ],
        &[0.034],
        12,
    );
    Mesh::new("rmax_body")
        .with(WHITE, cowl)
        .with(RED, belly)
        .with(GLASS, glass)
        .with(WHITE, boom)
        .with(RED, tail())
        .with(DARK, mast())
        .with(METAL, exhaust)
        .with(DARK, skids())
}

/// Returns a plate in the plane y = 0 from its side view, whose corners are in either order.
fn fin(side: &[[f64; 2]]) -> Shell {
    let area: f64 = (0..side.len())
        .map(|index| {
            let [a, b] = [side[index], side[(index + 1) % side.len()]];
            a[0] * b[1] - b[0] * a[1]
        })
        .sum();
    let mut outline = side.to_vec();
    if area < 0.0 {
        outline.reverse();
    }
    extrude(&outline, -0.009, 0.009, 0.004).turned([1.0, 0.0, 0.0], 90.0)
}

fn skids() -> Shell {
    let skid = tube(
        &[
            [-0.30, 0.172, 0.016],
            [0.80, 0.172, 0.016],
            [0.92, 0.172, 0.040],
            [0.97, 0.172, 0.085],
        ],
        &[0.015],
        10,
    );
    let strut = tube(
        &[[0.0, 0.10, 0.270], [0.0, 0.150, 0.180], [0.0, 0.172, 0.016]],
        &[0.013],
        8,
    );
    let struts = strut
        .clone()
        .at(0.60, 0.0, 0.0)
        .and(&strut.at(0.02, 0.0, 0.0));
    skid.and(&struts).mirrored()
}

/// Returns two blades about z, and their hub.
fn blades(name: &'static str, radius: f64, chord: f64) -> Mesh {
    let thick = 0.11 * chord;
    let blade = hull(
        &[
            section(0.03 * radius, 0.3 * chord, -thick, thick, 2.0),
            section(0.12 * radius, chord / 2.0, -thick, thick, 2.2),
            section(0.97 * radius, chord / 2.0, -thick, thick, 2.2),
            section(radius, 0.3 * chord, -0.5 * thick, 0.5 * thick, 2.0),
        ],
        10,
    );
    let blade = blade.turned([1.0, 0.0, 0.0], 6.0).repeated(2);
    let hub = drum(0.9 * chord, -0.5 * chord, 0.5 * chord, 0.1 * chord, 14);
    Mesh::new(name).with(DARK, blade).with(METAL, hub)
}

fn submarine() -> Mesh {
    let hull = lathe(
        &[
            [0.06, -2.95],
            [0.14, -2.85],
            [0.26, -2.50],
            [0.39, -2.00],
            [0.47, -1.50],
            [0.50, -1.00],
            [0.50, 2.10],
            [0.485, 2.40],
            [0.43, 2.68],
            [0.32, 2.88],
            [0.17, 2.99],
            [0.05, 3.025],
        ],
        30,
    );
    let bands = [-0.95, 0.0, 1.6].map(|z| drum(0.503, z, z + 0.04, 0.004, 28).along_x());
    let bands = bands.iter().fold(Shell::default(), Shell::and);
    let sail = hull_of_sail();
    let keel = hull_of_keel();
    let shroud = ring(
        &[
            [0.335, -0.09],
            [0.360, -0.09],
            [0.368, 0.0],
            [0.355, 0.09],
            [0.325, 0.09],
            [0.330, 0.0],
        ],
        28,
    );
    let ports = drum(0.085, 0.0, 0.030, 0.01, 18).along_y();
    let ports = [1.55, 1.95].map(|x| ports.clone().at(x, 0.488, 0.08).mirrored());
    let window = ellipsoid([0.33, 0.25, 0.25], 20).at(2.66, 0.0, 0.20);
    Mesh::new("submarine_body")
        .with(YELLOW, hull.along_x().and(&sail))
        .with(DARK, bands.and(&keel))
        .with(RED, fins())
        .with(METAL, propeller().at(-2.93, 0.0, 0.0))
        .with(DARK, shroud.along_x().at(-2.93, 0.0, 0.0))
        .with(GLASS, ports[0].clone().and(&ports[1]).and(&window))
        .with(
            GREY,
            tube(&[[0.45, 0.0, 0.65], [0.45, 0.0, 0.705]], &[0.03], 10),
        )
        .with(
            BLACK,
            drum(0.12, 0.695, 0.705, 0.003, 18).at(0.75, 0.0, 0.0),
        )
}

/// Returns the sail, with a round leading edge.
fn hull_of_sail() -> Shell {
    hull(
        &[
            section(0.12, 0.020, 0.40, 0.66, 3.0),
            section(0.25, 0.075, 0.40, 0.695, 4.0),
            section(0.70, 0.125, 0.40, 0.70, 4.5),
            section(0.98, 0.095, 0.40, 0.69, 4.0),
            section(1.06, 0.030, 0.40, 0.66, 3.0),
        ],
        24,
    )
}

fn hull_of_keel() -> Shell {
    hull(
        &[
            section(-1.50, 0.16, -0.57, -0.40, 4.0),
            section(-1.38, 0.24, -0.60, -0.36, 4.5),
            section(1.38, 0.24, -0.60, -0.36, 4.5),
            section(1.50, 0.16, -0.57, -0.40, 4.0),
        ],
        20,
    )
}

/// Returns the fins and the stabiliser of the helicopter.
fn tail() -> Shell {
    let fin = fin(&[
        [-1.18, 0.575],
        [-1.30, 0.800],
        [-1.362, 0.800],
        [-1.330, 0.575],
    ])
    .and(&fin(&[
        [-1.17, 0.575],
        [-1.29, 0.575],
        [-1.345, 0.420],
        [-1.300, 0.420],
    ]));
    let stabiliser = block([0.14, 0.34, 0.014], 0.004).at(-0.95, 0.0, 0.582);
    fin.and(&stabiliser)
}

/// Returns the mast of the main rotor, and the radiators.
fn mast() -> Shell {
    let mast = lathe(
        &[
            [0.060, 0.660],
            [0.045, 0.700],
            [0.024, 0.720],
            [0.022, 0.870],
        ],
        14,
    )
    .at(0.35, 0.0, 0.0);
    let radiators = block([0.24, 0.03, 0.16], 0.008)
        .at(0.62, 0.178, 0.52)
        .mirrored();
    mast.and(&radiators)
}

/// Returns four fins at the stern of the submarine.
fn fins() -> Shell {
    let fin = extrude(
        &[[-2.08, 0.30], [-2.45, 0.60], [-2.62, 0.60], [-2.55, 0.20]],
        -0.022,
        0.022,
        0.010,
    );
    let upper = fin.clone().turned([1.0, 0.0, 0.0], 90.0);
    fin.mirrored()
        .and(&upper)
        .and(&upper.clone().scaled(1.0, 1.0, -1.0))
}

/// Returns a propeller that turns about x.
fn propeller() -> Shell {
    let blade = block([0.012, 0.11, 0.24], 0.004)
        .turned([0.0, 0.0, 1.0], 35.0)
        .at(0.0, 0.0, 0.19);
    (0..5).fold(drum(0.07, -0.10, 0.05, 0.02, 16).along_x(), |all, index| {
        all.and(
            &blade
                .clone()
                .turned([1.0, 0.0, 0.0], 72.0 * f64::from(index)),
        )
    })
}
