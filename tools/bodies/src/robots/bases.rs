//! Robots on wheels. Frames of `b21`, `jido`, `patrolbot` and `segway_rmp400` in `robots`.
use super::wheels::{Wheel, wheel};
use crate::{
    materials::{BLACK, BLUE, DARK, GREY, LAMP, LIGHT_BLUE, METAL, RED, RUBBER, WHITE, YELLOW},
    mesh::Mesh,
    outline::rectangle,
    shell::Shell,
    solids::{block, drum, extrude, hull, lathe, section, tube},
};

/// Returns the meshes of the robots.
pub(super) fn meshes() -> Vec<Mesh> {
    let patrol = Wheel {
        name: "patrolbot_wheel",
        radius: 0.0905,
        width: 0.038,
        rim: 0.062,
        lugs: 0,
        ..Wheel::default()
    };
    let segway = Wheel {
        name: "segway_wheel",
        radius: 0.265,
        width: 0.178,
        rim: 0.135,
        lugs: 20,
        depth: 0.014,
        spokes: 6,
        ..Wheel::default()
    };
    vec![
        b21(),
        jido(),
        patrolbot(),
        wheel(&patrol),
        segway_body(),
        wheel(&segway),
    ]
}

/// Returns round transducers on a cylinder.
fn ring_of_sonars(radius: f64, height: f64, count: u32) -> Shell {
    drum(0.021, -0.004, 0.004, 0.003, 8)
        .along_x()
        .at(radius, 0.0, height)
        .repeated(count)
}

fn b21() -> Mesh {
    let gap = drum(0.235, 0.425, 0.485, 0.004, 24);
    let lid = lathe(
        &[
            [0.240, 0.910],
            [0.264, 0.914],
            [0.267, 0.922],
            [0.264, 0.932],
            [0.250, 0.940],
        ],
        28,
    );
    let seams = block([0.006, 0.006, 0.37], 0.0)
        .at(0.2620, 0.0, 0.690)
        .turned([0.0, 0.0, 1.0], 30.0)
        .repeated(6);
    let bumpers = block([0.006, 0.006, 0.31], 0.0)
        .at(0.2670, 0.0, 0.235)
        .repeated(8);
    let skirt = lathe(
        &[
            [0.262, 0.100],
            [0.271, 0.106],
            [0.271, 0.130],
            [0.262, 0.136],
        ],
        28,
    );
    let wheels = drum(0.055, -0.020, 0.020, 0.008, 12)
        .along_y()
        .at(0.17, 0.0, 0.055)
        .turned([0.0, 0.0, 1.0], 45.0)
        .repeated(4);
    let panel = block([0.012, 0.11, 0.06], 0.004).at(0.259, 0.0, 0.815);
    let buttons = drum(0.012, 0.938, 0.950, 0.003, 8)
        .at(0.19, 0.0, 0.0)
        .repeated(4);
    Mesh::new("b21_body")
        .with(RED, shells_of_b21())
        .with(BLACK, gap.and(&lid))
        .with(DARK, seams.and(&bumpers).and(&skirt))
        .with(RUBBER, wheels)
        .with(
            METAL,
            ring_of_sonars(0.262, 0.560, 12).and(&ring_of_sonars(0.267, 0.330, 12)),
        )
        .with(LIGHT_BLUE, panel)
        .with(RED, buttons)
}

fn jido() -> Mesh {
    let hull = extrude(&rectangle(0.700, 0.650, 0.10), 0.070, 0.480, 0.016);
    let bumper = extrude(&rectangle(0.707, 0.660, 0.10), 0.050, 0.120, 0.010);
    let shoulders = extrude(&rectangle(0.640, 0.590, 0.08), 0.470, 0.620, 0.016);
    let slot = extrude(&rectangle(0.706, 0.656, 0.10), 0.300, 0.330, 0.0);
    let mast = extrude(&rectangle(0.110, 0.260, 0.04), 0.60, 1.42, 0.008).at(-0.22, 0.0, 0.0);
    let screen = block([0.030, 0.330, 0.240], 0.012)
        .turned([0.0, 1.0, 0.0], -12.0)
        .at(-0.145, 0.0, 1.10);
    let glass = block([0.012, 0.285, 0.195], 0.004)
        .turned([0.0, 1.0, 0.0], -12.0)
        .at(-0.132, 0.0, 1.102);
    let head = extrude(&rectangle(0.15, 0.35, 0.05), 1.40, 1.53, 0.014).at(-0.22, 0.0, 0.0);
    let pan = drum(0.045, 1.52, 1.60, 0.008, 18).at(-0.22, 0.0, 0.0);
    let cameras = block([0.070, 0.060, 0.055], 0.012)
        .at(-0.20, 0.10, 1.630)
        .mirrored()
        .and(&block([0.040, 0.24, 0.025], 0.006).at(-0.21, 0.0, 1.612));
    let lenses = drum(0.020, 0.0, 0.018, 0.004, 16)
        .along_x()
        .at(-0.166, 0.10, 1.630)
        .mirrored();
    let laser = drum(0.050, 0.0, 0.085, 0.010, 18).at(0.315, 0.0, 0.215);
    let wheels = drum(0.100, -0.025, 0.025, 0.012, 20)
        .along_y()
        .at(0.0, 0.290, 0.100)
        .mirrored();
    let casters = [[0.27, 0.22], [-0.27, 0.22]].map(|[x, y]| {
        drum(0.045, -0.015, 0.015, 0.008, 14)
            .along_y()
            .at(x, y, 0.045)
            .mirrored()
    });
    let knob = drum(0.022, 0.615, 0.640, 0.008, 14)
        .at(-0.23, 0.22, 0.0)
        .mirrored();
    let arm = drum(0.085, 0.615, 0.632, 0.004, 24).at(0.18, 0.0, 0.0);
    Mesh::new("jido_body")
        .with(BLUE, hull.and(&head))
        .with(BLACK, bumper.and(&slot))
        .with(WHITE, shoulders.and(&mast))
        .with(DARK, screen.and(&pan).and(&cameras))
        .with(LIGHT_BLUE, glass)
        .with(BLACK, lenses)
        .with(YELLOW, laser)
        .with(RUBBER, wheels.and(&casters[0]).and(&casters[1]))
        .with(RED, knob)
        .with(METAL, arm)
}

fn patrolbot() -> Mesh {
    let lower = extrude(&rectangle(0.575, 0.355, 0.12), 0.038, 0.150, 0.016);
    let hull = hull_of_patrolbot();
    let deck = extrude(&rectangle(0.500, 0.430, 0.12), 0.362, 0.383, 0.006);
    let stripe = extrude(&rectangle(0.566, 0.486, 0.15), 0.150, 0.166, 0.003);
    let eye = drum(0.017, -0.005, 0.004, 0.002, 12).along_x();
    let front = [-0.11, -0.037, 0.037, 0.11].map(|y| eye.clone().at(0.2775, y, 0.245));
    let sonars = front
        .into_iter()
        .fold(Shell::default(), |all, next| all.and(&next));
    let rear = sonars.clone().turned([0.0, 0.0, 1.0], 180.0);
    let laser = extrude(&rectangle(0.11, 0.15, 0.04), 0.185, 0.225, 0.006).at(0.235, 0.0, 0.0);
    let casters = drum(0.035, -0.012, 0.012, 0.006, 16).along_y();
    let casters = casters
        .clone()
        .at(0.170, 0.0, 0.036)
        .and(&casters.at(-0.210, 0.0, 0.040));
    let screen = block([0.12, 0.20, 0.008], 0.003).at(-0.06, 0.0, 0.384);
    Mesh::new("patrolbot_body")
        .with(DARK, lower.and(&deck))
        .with(WHITE, hull)
        .with(RED, stripe)
        .with(METAL, sonars.and(&rear))
        .with(BLACK, laser)
        .with(LIGHT_BLUE, screen)
        .with(RUBBER, casters)
}

/// Returns the upper shell, which becomes narrower towards the top, and is open above the wheels.
fn hull_of_patrolbot() -> Shell {
    let shell = hull(
        &[
            section(0.160, 0.240, -0.280, 0.280, 4.0),
            section(0.200, 0.242, -0.282, 0.282, 4.0),
            section(0.300, 0.238, -0.278, 0.278, 4.0),
            section(0.352, 0.226, -0.264, 0.264, 4.0),
            section(0.370, 0.205, -0.240, 0.240, 4.0),
        ],
        28,
    );
    shell.turned([0.0, 1.0, 0.0], -90.0)
}

fn segway_body() -> Mesh {
    let axle = 1.12 / 2.0 - 0.265;
    let unit = extrude(&rectangle(0.30, 0.40, 0.05), 0.185, 0.420, 0.018);
    let fairing = block([0.22, 0.30, 0.16], 0.04).at(0.03, 0.0, 0.240);
    let hubs = drum(0.075, -0.235, 0.235, 0.010, 20)
        .along_y()
        .at(0.0, 0.0, 0.265);
    let unit = unit.and(&fairing).and(&hubs);
    let deck = extrude(&rectangle(0.96, 0.46, 0.04), 0.418, 0.430, 0.003);
    let rail = tube(&[[-0.46, 0.20, 0.400], [0.46, 0.20, 0.400]], &[0.014], 8);
    let rails = rail.mirrored();
    let bolts = drum(0.010, 0.426, 0.433, 0.002, 8);
    let bolts = [-0.42, -0.15, 0.15, 0.42].map(|x| bolts.clone().at(x, 0.195, 0.0).mirrored());
    let bolts = bolts.iter().fold(Shell::default(), Shell::and);
    let bumper = tube(
        &[
            [0.43, -0.18, 0.36],
            [0.50, -0.16, 0.36],
            [0.50, 0.16, 0.36],
            [0.43, 0.18, 0.36],
        ],
        &[0.014],
        8,
    );
    let lamps = drum(0.022, 0.0, 0.014, 0.005, 14)
        .along_x()
        .at(0.445, 0.11, 0.275)
        .mirrored();
    Mesh::new("segway_body")
        .with(BLACK, unit.clone().at(axle, 0.0, 0.0))
        .with(
            BLACK,
            unit.turned([0.0, 0.0, 1.0], 180.0).at(-axle, 0.0, 0.0),
        )
        .with(METAL, deck)
        .with(GREY, rails.and(&bumper))
        .with(DARK, bolts)
        .with(LAMP, lamps)
}

/// Returns the shells of the drive and of the enclosure above it.
fn shells_of_b21() -> Shell {
    let drive = lathe(
        &[
            [0.235, 0.035],
            [0.258, 0.045],
            [0.267, 0.070],
            [0.267, 0.400],
            [0.262, 0.425],
            [0.245, 0.436],
        ],
        28,
    );
    let enclosure = lathe(
        &[
            [0.240, 0.475],
            [0.258, 0.484],
            [0.262, 0.500],
            [0.262, 0.885],
            [0.256, 0.904],
            [0.236, 0.914],
        ],
        28,
    );
    drive.and(&enclosure)
}
