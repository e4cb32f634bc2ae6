//! The terrain's formula, which generates the built-in mesh.
use std::{fmt::Write as _, path::PathBuf};

use morse_sim::scene::assets::SHIPPED;

/// Cells along each side.
const CELLS: usize = 48;
/// Side of a cell, m.
const CELL: f64 = 1.25;
/// Radius of the flat clearing, m.
const CLEARING: f64 = 8.0;
/// Distance from the clearing to the full height of the hills, m.
const RISE: f64 = 10.0;

/// Returns the height above the clearing, m.
fn hills(x: f64, y: f64) -> f64 {
    let out = ((libm::hypot(x, y) - CLEARING) / RISE).clamp(0.0, 1.0);
    let share = out * out * (3.0 - 2.0 * out);
    let long = 1.2 * libm::sin(0.21 * x + 0.4) * libm::cos(0.17 * y - 0.3);
    let short = 0.5 * libm::sin(0.37 * (x + y)) + 0.3 * libm::cos(0.5 * y - 0.29 * x);
    share * (long + short)
}

/// Returns a vertex in the units of the file, millimetres.
pub(super) fn vertex(column: usize, row: usize) -> [f64; 3] {
    let half = CELLS as f64 * CELL / 2.0;
    let [x, y] = [column, row].map(|number| number as f64 * CELL - half);
    [x, y, libm::round(hills(x, y) * 1000.0) / 1000.0]
}

/// Returns all triangles, counter-clockwise from above.
pub(super) fn triangles() -> impl Iterator<Item = [[f64; 3]; 3]> {
    let cells = (0..CELLS).flat_map(|row| (0..CELLS).map(move |column| (column, row)));
    cells.flat_map(|(column, row)| {
        let near = [vertex(column, row), vertex(column + 1, row)];
        let far = [vertex(column, row + 1), vertex(column + 1, row + 1)];
        [[near[0], near[1], far[1]], [near[0], far[1], far[0]]]
    })
}

fn text() -> String {
    let mut text =
        "# Hills of 60 x 60 m, z up; made by the test `the_terrain_is_what_its_formula_makes`.\n"
            .to_owned();
    for row in 0..=CELLS {
        for column in 0..=CELLS {
            let [x, y, z] = vertex(column, row);
            // Adding zero removes the sign of a negative zero.
            writeln!(text, "v {x} {y} {}", z + 0.0).unwrap();
        }
    }
    let index = |column: usize, row: usize| row * (CELLS + 1) + column + 1;
    for row in 0..CELLS {
        for column in 0..CELLS {
            let near = [index(column, row), index(column + 1, row)];
            let far = [index(column, row + 1), index(column + 1, row + 1)];
            writeln!(text, "f {} {} {}", near[0], near[1], far[1]).unwrap();
            writeln!(text, "f {} {} {}", near[0], far[1], far[0]).unwrap();
        }
    }
    text
}

/// `UPDATE_GOLDEN=1` writes the file.
#[test]
fn the_terrain_is_what_its_formula_makes() {
    let name = "environments/terrain.obj";
    let made = text();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
            .join("assets")
            .join(name);
        std::fs::write(file, &made).unwrap();
        return;
    }
    let shipped = SHIPPED
        .0
        .iter()
        .find(|(path, _)| *path == name)
        .expect("a terrain")
        .1;
    assert!(made.as_bytes() == shipped, "UPDATE_GOLDEN=1 writes {name}");
}
