//! Solids: surfaces of revolution, prisms, lofts and tubes.
use std::f64::consts::{FRAC_PI_2, TAU};

use nalgebra::Vector3;

use crate::{
    outline::{Outline, inset, superellipse, triangles},
    shell::Shell,
};

/// Number of segments of a bevel.
const BEVEL: u32 = 1;

/// Returns the surface of revolution about z of a profile: radius and height of points, from the bottom to the top. Ends
/// with a radius are closed.
pub(crate) fn lathe(profile: &[[f64; 2]], count: u32) -> Shell {
    let mut shell = Shell::default();
    let mut last: Option<Vec<usize>> = None;
    let closed = [[0.0, first(profile)[1]]]
        .into_iter()
        .chain(profile.iter().copied())
        .chain([[0.0, profile.last().copied().unwrap_or_default()[1]]]);
    for [radius, height] in closed {
        let ring = shell.ring((0..count).map(|index| {
            let (sin, cos) = libm::sincos(TAU * f64::from(index) / f64::from(count));
            Vector3::new(radius * cos, radius * sin, height)
        }));
        if let Some(last) = last.replace(ring.clone()) {
            shell.join(&last, &ring);
        }
    }
    without_slivers(shell)
}

/// Returns the ring about z of a closed profile: radius and height of its corners, counter-clockwise.
pub(crate) fn ring(profile: &[[f64; 2]], count: u32) -> Shell {
    let mut shell = Shell::default();
    let rings: Vec<Vec<usize>> = profile
        .iter()
        .map(|[radius, height]| {
            shell.ring((0..count).map(|index| {
                let (sin, cos) = libm::sincos(TAU * f64::from(index) / f64::from(count));
                Vector3::new(radius * cos, radius * sin, *height)
            }))
        })
        .collect();
    for (index, ring) in rings.iter().enumerate() {
        shell.join(ring, &rings[(index + 1) % rings.len()]);
    }
    shell
}

fn first(profile: &[[f64; 2]]) -> [f64; 2] {
    profile.first().copied().unwrap_or_default()
}

/// Removes triangles without area.
fn without_slivers(mut shell: Shell) -> Shell {
    let points = &shell.points;
    shell.faces.retain(|[a, b, c]| {
        let [a, b, c] = [a, b, c].map(|corner| points[*corner]);
        (b - a).cross(&(c - a)).norm() > 1e-12
    });
    shell
}

/// Returns a cylinder about z with round edges.
pub(crate) fn drum(radius: f64, low: f64, high: f64, bevel: f64, count: u32) -> Shell {
    let mut profile = Vec::new();
    for step in 0..=BEVEL {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * f64::from(step) / f64::from(BEVEL));
        profile.push([radius - bevel + bevel * sin, low + bevel - bevel * cos]);
    }
    for step in 0..=BEVEL {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * f64::from(step) / f64::from(BEVEL));
        profile.push([radius - bevel + bevel * cos, high - bevel + bevel * sin]);
    }
    lathe(&profile, count)
}

/// Returns an ellipsoid.
pub(crate) fn ellipsoid(half: [f64; 3], count: u32) -> Shell {
    let rings = count / 2;
    let profile: Vec<[f64; 2]> = (0..=rings)
        .map(|ring| {
            let (sin, cos) =
                libm::sincos(FRAC_PI_2 * (2.0 * f64::from(ring) / f64::from(rings) - 1.0));
            [cos.max(0.0), sin]
        })
        .collect();
    lathe(&profile, count).scaled(half[0], half[1], half[2])
}

/// Returns a limb along z: a cone with round ends, whose centres are at 0 and at the height.
pub(crate) fn limb(radii: [f64; 2], height: f64, count: u32) -> Shell {
    let steps = count / 4;
    let cap = |end: usize| {
        (0..=steps).map(move |step| {
            let (sin, cos) = libm::sincos(FRAC_PI_2 * f64::from(step) / f64::from(steps));
            if end == 0 {
                [radii[0] * sin, -radii[0] * cos]
            } else {
                [radii[1] * cos, height.abs() + radii[1] * sin]
            }
        })
    };
    let profile: Vec<[f64; 2]> = cap(0).chain(cap(1)).collect();
    let shell = lathe(&profile, count);
    if height < 0.0 {
        shell.turned([1.0, 0.0, 0.0], 180.0)
    } else {
        shell
    }
}

/// Returns a prism along z with bevelled edges.
pub(crate) fn extrude(outline: &[[f64; 2]], low: f64, high: f64, bevel: f64) -> Shell {
    let mut levels: Vec<(f64, f64)> = Vec::new();
    for step in 0..=BEVEL {
        let (sin, cos) = libm::sincos(FRAC_PI_2 * f64::from(step) / f64::from(BEVEL));
        levels.push((bevel * (1.0 - sin), low + bevel * (1.0 - cos)));
        if bevel == 0.0 {
            break;
        }
    }
    let upper: Vec<_> = levels
        .iter()
        .rev()
        .map(|(inner, height)| (*inner, low + high - height))
        .collect();
    levels.extend(upper);
    let rings = levels.iter().map(|(inner, height)| {
        let points = inset(outline, *inner);
        points
            .iter()
            .map(|[x, y]| Vector3::new(*x, *y, *height))
            .collect()
    });
    let ends = inset(outline, bevel);
    stack(rings.collect(), &triangles(&ends))
}

/// Returns the solid between rings of points, closed by caps with these triangles.
fn stack(rings: Vec<Vec<Vector3<f64>>>, cap: &[[usize; 3]]) -> Shell {
    let mut shell = Shell::default();
    let rings: Vec<Vec<usize>> = rings.into_iter().map(|ring| shell.ring(ring)).collect();
    for pair in rings.windows(2) {
        shell.join(&pair[0], &pair[1]);
    }
    if let (Some(bottom), Some(top)) = (rings.first(), rings.last()) {
        for [a, b, c] in cap {
            shell.faces.push([bottom[*a], bottom[*c], bottom[*b]]);
            shell.faces.push([top[*a], top[*b], top[*c]]);
        }
    }
    without_slivers(shell)
}

/// Returns a box with bevelled edges about the origin.
pub(crate) fn block(size: [f64; 3], bevel: f64) -> Shell {
    let [x, y] = [size[0] / 2.0, size[1] / 2.0];
    let outline: Outline = [[x, -y], [x, y], [-x, y], [-x, -y]].into();
    let outline = if bevel > 0.0 {
        crate::outline::rounded(&outline, bevel, BEVEL)
    } else {
        outline
    };
    extrude(&outline, -size[2] / 2.0, size[2] / 2.0, bevel)
}

/// Cross-section of a hull: a superellipse perpendicular to x.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    /// Position along x, m.
    pub(crate) x: f64,
    /// Half width, m.
    pub(crate) half: f64,
    /// Lower and upper end, m.
    pub(crate) z: [f64; 2],
    /// Exponent of the superellipse: 2 for an ellipse.
    pub(crate) exponent: f64,
}

/// Returns a section from its position, half width, lower and upper end, and exponent.
pub(crate) const fn section(x: f64, half: f64, low: f64, high: f64, exponent: f64) -> Section {
    Section {
        x,
        half,
        z: [low, high],
        exponent,
    }
}

/// Returns a loft along x through sections, with `count` corners each.
pub(crate) fn hull(sections: &[Section], count: u32) -> Shell {
    let rings = sections.iter().map(|section| {
        let [low, high] = section.z;
        let half = [section.half, (high - low) / 2.0];
        let outline = superellipse(half, section.exponent, count);
        let point = |[y, z]: [f64; 2]| Vector3::new(section.x, y, z + (low + high) / 2.0);
        outline.into_iter().map(point).collect()
    });
    // A fan of triangles closes each end.
    let fan: Vec<[usize; 3]> = (1..count as usize - 1)
        .map(|corner| [0, corner, corner + 1])
        .collect();
    stack(rings.collect(), &fan)
}

/// Returns a tube through points with a radius at each of them.
pub(crate) fn tube(path: &[[f64; 3]], radii: &[f64], count: u32) -> Shell {
    let points: Vec<Vector3<f64>> = path.iter().map(|point| Vector3::from(*point)).collect();
    let last = points.len() - 1;
    let mut side = Vector3::zeros();
    let rings = points.iter().enumerate().map(|(index, point)| {
        let direction = points[(index + 1).min(last)] - points[index.saturating_sub(1)];
        let direction = direction.normalize();
        if side == Vector3::zeros() {
            let least = direction.map(f64::abs).imin();
            side = Vector3::ith(least, 1.0);
        }
        // The direction of the first corner is carried along the path.
        side = (side - direction * side.dot(&direction)).normalize();
        let up = direction.cross(&side);
        let radius = radii[index.min(radii.len() - 1)];
        let corner = |corner| {
            let (sin, cos) = libm::sincos(TAU * f64::from(corner) / f64::from(count));
            point + (side * cos + up * sin) * radius
        };
        (0..count).map(corner).collect::<Vec<_>>()
    });
    let rings: Vec<_> = rings.collect();
    let fan: Vec<[usize; 3]> = (1..count as usize - 1)
        .map(|corner| [0, corner, corner + 1])
        .collect();
    stack(rings, &fan)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::rectangle;

    /// Returns the volume that a shell encloses (divergence theorem); negative if its faces point inwards.
    fn volume(shell: &Shell) -> f64 {
        let volumes = shell.faces.iter().map(|[a, b, c]| {
            let [a, b, c] = [a, b, c].map(|corner| shell.points[*corner]);
            a.dot(&b.cross(&c)) / 6.0
        });
        volumes.sum()
    }

    #[test]
    fn solids_enclose_their_volumes() {
        let pi = std::f64::consts::PI;
        for (name, shell, expected, tolerance) in [
            ("block", block([1.0, 2.0, 3.0], 0.0), 6.0, 1e-9),
            ("bevelled block", block([1.0, 2.0, 3.0], 0.01), 6.0, 0.01),
            ("drum", drum(0.5, -1.0, 1.0, 0.001, 96), pi / 2.0, 0.01),
            ("ellipsoid", ellipsoid([1.0, 0.5, 0.25], 64), pi / 6.0, 0.01),
            ("limb", limb([0.5, 0.5], 1.0, 64), pi / 4.0 + pi / 6.0, 0.01),
            (
                "hanging limb",
                limb([0.5, 0.5], -1.0, 64),
                pi / 4.0 + pi / 6.0,
                0.01,
            ),
            (
                "hull",
                hull(
                    &[
                        section(0.0, 0.5, -0.5, 0.5, 2.0),
                        section(2.0, 0.5, -0.5, 0.5, 2.0),
                    ],
                    96,
                ),
                pi / 2.0,
                0.01,
            ),
            (
                "tube",
                tube(&[[0.0; 3], [0.0, 1.0, 0.0], [0.0, 2.0, 0.0]], &[0.5], 96),
                pi / 2.0,
                0.01,
            ),
            (
                "prism",
                extrude(&rectangle(1.0, 1.0, 1e-6), 0.0, 2.0, 0.0),
                2.0,
                1e-4,
            ),
        ] {
            let actual = volume(&shell);
            assert!(
                (actual / expected - 1.0).abs() < tolerance,
                "{name}: {actual}"
            );
        }
        let mirrored = block([1.0, 2.0, 3.0], 0.1).at(0.0, 5.0, 0.0).mirrored();
        assert!(
            volume(&mirrored) > 11.0,
            "faces point outwards on both sides"
        );
    }
}
