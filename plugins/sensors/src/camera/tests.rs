//! Frames: rows in either order, and reused memory.
use super::*;

fn lens(height: u32, vertical_flip: bool) -> Lens {
    Lens {
        width: 2,
        height,
        focal: 0.032,
        fov: None,
        near: 0.1,
        far: 10.0,
        vertical_flip,
        capturing: true,
        shadows: false,
        distortion: [0.0; 5],
        renderer: None,
    }
}

#[test]
fn rows_come_from_the_top_or_from_the_bottom() {
    let image = [1, 2, 3, 4, 5, 6];
    for (top_first, expected) in [(true, image), (false, [5, 6, 3, 4, 1, 2])] {
        let mut flipped = image;
        flip(&mut flipped, &lens(3, top_first));
        assert_eq!(flipped, expected);
    }
    let mut two = [1, 2, 3, 4];
    flip(&mut two, &lens(2, false));
    assert_eq!(two, [3, 4, 1, 2]);
    flip(&mut [] as &mut [u8], &lens(2, false));
}

#[test]
fn millimetres_are_rounded_and_zero_is_nothing() {
    let depths = [
        1.0,
        1.2344,
        1.2346,
        0.4999,
        65.535,
        65.5356,
        f32::INFINITY,
        0.5,
    ];
    let mut raw = vec![7; 3];
    millimeters(&depths, 0.5, &mut raw);
    assert_eq!(raw, [1000, 1234, 1235, 0, 65_535, 0, 0, 500]);
}

#[test]
fn a_lens_is_what_morse_makes_of_its_settings() {
    let lens = Lens {
        width: 256,
        height: 128,
        focal: 0.035,
        ..lens(1, true)
    };
    assert_eq!(
        lens.intrinsic_matrix(),
        [[280.0, 0.0, 128.0], [0.0, 280.0, 64.0], [0.0, 0.0, 1.0]]
    );
    let wide = Lens {
        fov: Some(std::f64::consts::FRAC_PI_2),
        ..lens
    };
    assert!((wide.pixels() - 128.0).abs() < 1e-9);
    assert_eq!(lens.check(), Ok(()));
    for broken in [
        Lens { far: 0.05, ..lens },
        Lens {
            distortion: [-2.0, 0.0, 0.0, 0.0, 0.0],
            ..lens
        },
        Lens {
            distortion: [f64::NAN, 0.0, 0.0, 0.0, 0.0],
            ..lens
        },
    ] {
        assert!(broken.check().is_err(), "{broken:?}");
    }
}
