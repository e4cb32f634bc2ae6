//! Images and videos: files that other programs can open, equal pixels everywhere, and clear refusals.
#![cfg(test)]
use std::{fs, io::BufReader, path::Path};

use super::{Ran, Room, program};

/// Returns width, height and pixels of a PNG file.
fn png(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

/// Returns the frames of a GIF file.
fn frames(path: &Path) -> usize {
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = decoder.read_info(fs::File::open(path).unwrap()).unwrap();
    let mut count = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        count += 1;
    }
    count
}

#[test]
fn stills_are_the_same_everywhere() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let room = Room::new();
    for (scene, name) in [
        ("table.robray", "table"),
        ("patrol.ron", "patrol"),
        ("arm.robray", "arm"),
    ] {
        let golden = folder
            .join("tests/golden/pictures")
            .join(format!("{name}.png"));
        let drawn = room.path().join(format!("{name}.png"));
        let scene = folder.join("scenes").join(scene);
        let output = program()
            .args(["render", scene.to_str().unwrap(), "--size", "96x72", "-o"])
            .arg(&drawn)
            .output()
            .unwrap();
        Ran::of(&output).with_code(0);
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            fs::copy(&drawn, &golden).unwrap();
        }
        assert!(
            png(&drawn) == png(&golden),
            "{name}: look at {}",
            golden.display()
        );
    }
}

#[test]
fn the_eye_is_where_it_is_put() {
    let room = Room::new();
    let still = |eye: &str, name: &str| {
        let (eye, look) = (format!("--eye={eye}"), "--look=0,0,1");
        room.run(&[
            "render",
            "blocks.robray",
            "-o",
            name,
            "--size",
            "31x21",
            &eye,
            look,
        ])
        .with_code(0);
        png(&room.path().join(name))
    };
    let (width, height, near) = still("-0.3,0,1", "near.png");
    assert_eq!((width, height), (31, 21));
    let (_, _, far) = still("-3,0,1", "far.png");
    let sky = |pixels: &[u8]| {
        let blue = pixels.as_chunks::<4>().0.iter();
        blue.filter(|[red, _, blue, _]| blue > red).count()
    };
    assert!(
        sky(&far) > sky(&near),
        "the block fills less of the picture"
    );
    let ran = room.run(&["render", "blocks.robray", "-o", "a.png", "--eye=1,2,3"]);
    assert!(ran.with_code(2).err.contains("--look"));
    let ran = room.run(&[
        "render",
        "blocks.robray",
        "-o",
        "a.png",
        "--eye=0,0,1",
        "--look=0,0,1",
    ]);
    assert!(ran.with_code(2).err.contains("same point"));
}

#[test]
fn a_run_leaves_pictures_and_films() {
    let room = Room::new();
    let quiet = ["quiet.ron", "--until", "0.5s", "--size", "32x24"];
    let pictures = [
        "--screenshot",
        "t=0.1s:a.png",
        "--screenshot",
        "b.png",
        "--video",
        "c.gif",
    ];
    room.run(&[&quiet[..], &pictures[..]].concat()).with_code(0);
    let [a, b] = ["a.png", "b.png"].map(|name| png(&room.path().join(name)));
    assert_eq!((a.0, a.1), (32, 24));
    assert!(a.2 != b.2, "the block falls");
    // At 0, 0.08, … 0.48 s.
    assert_eq!(frames(&room.path().join("c.gif")), 7);
}

/// At 4 Hz, the last tick is nearest to the frames at 1.92, 2 and 2.08 s.
#[test]
fn films_take_their_time_where_ticks_are_rare() {
    let room = Room::new();
    let slow = ["quiet.ron", "--until", "2s", "--size", "32x24"];
    let slow = [
        &slow[..],
        &["--set", "environment.rate=4"],
        &["--video", "d.gif"],
    ]
    .concat();
    room.run(&slow).with_code(0);
    assert_eq!(frames(&room.path().join("d.gif")), 27);
}

#[test]
fn pictures_are_taken_from_where_one_says() {
    let room = Room::new();
    let take = |file: &str, at: &str, more: &[&str]| {
        let shot = format!("t={at}:{file}");
        let run = ["quiet.ron", "--until", "0.3s", "--size", "64x48"];
        let shot = ["--screenshot", &shot];
        room.run(&[&run[..], &shot, more].concat()).with_code(0);
        png(&room.path().join(file)).2
    };
    // The same position as that of the single image.
    let viewpoint = ["--eye=-1,-1,1.5", "--look=0,0,1"];
    let fixed = take("fixed.png", "0s", &viewpoint);
    let still = ["render", "quiet.ron", "-o", "still.png", "--size", "64x48"];
    room.run(&[&still[..], &viewpoint].concat()).with_code(0);
    let still = png(&room.path().join("still.png")).2;
    let channels = fixed.iter().zip(&still);
    let off: u32 = channels
        .map(|(one, other)| u32::from(one.abs_diff(*other)))
        .sum();
    assert!(
        off < 2 * fixed.len() as u32,
        "edges are smoothed differently: {off}"
    );
    // With a fixed eye the block moves in the picture; with a following eye it stays in the middle.
    let middle = |pixels: &[u8]| pixels[4 * (24 * 64 + 32)..][..3].to_vec();
    let [before, after] = ["0s", "0.25s"].map(|at| take("along.png", at, &["--follow", "block"]));
    assert_eq!(middle(&before), middle(&after));
    assert!(before != after, "what is behind it goes by");
    for (more, text) in [
        (
            ["--screenshot", "a.png", "--follow", "blocks"],
            "did you mean `block`?",
        ),
        (
            ["--eye=1,1,1", "--look=1,1,1", "--screenshot", "a.png"],
            "same point",
        ),
        (
            ["--steps", "1", "--follow", "block"],
            "require an overview image",
        ),
    ] {
        let ran = room.run(&[&["quiet.ron"][..], &more].concat());
        let ran = ran.with_code(2);
        assert!(ran.err.contains(text), "{}", ran.err);
    }
}

#[test]
fn ffmpeg_makes_films_that_it_can_read() {
    let ffmpeg = |arguments: &[&str], room: &Room| {
        std::process::Command::new("ffmpeg")
            .args(["-v", "error", "-nostdin"])
            .args(arguments)
            .current_dir(room.path())
            .output()
    };
    let room = Room::new();
    if ffmpeg(&["-version"], &room).is_err() {
        crate::require::left_out("ffmpeg", "there is no ffmpeg");
        return;
    }
    let run = [
        "quiet.ron",
        "--until",
        "0.5s",
        "--size",
        "128x96",
        "--video",
    ];
    for name in ["film.mp4", "film.gif"] {
        room.run(&[&run[..], &[name]].concat()).with_code(0);
    }
    let read = |name| {
        let read = ["-i", name, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"];
        ffmpeg(&read, &room).unwrap().stdout
    };
    let [film, gif] = ["film.mp4", "film.gif"].map(read);
    // At 0, 1/30, … 15/30 s.
    let frame = 128 * 96 * 3;
    assert_eq!(film.len(), 16 * frame);
    // Difference of frames, of 255 per channel.
    let apart = |one: &[u8], other: &[u8]| {
        let channels = one.iter().zip(other);
        let sum: u32 = channels
            .map(|(one, other)| u32::from(one.abs_diff(*other)))
            .sum();
        f64::from(sum) / one.len() as f64
    };
    let (first, last) = (&film[..frame], &film[15 * frame..]);
    let moved = first.iter().zip(last);
    let moved = moved.map(|(one, other)| one.abs_diff(*other)).max();
    assert!(moved > Some(40), "the block falls: {moved:?}");
    let off = apart(first, &gif[..frame]);
    assert!(
        off < 4.0,
        "the GIF has fewer colours, else it is the same: {off}"
    );
}

#[test]
fn what_cannot_be_filmed_is_said() {
    let room = Room::new();
    for (argument, value, text) in [
        ("--screenshot", "block.video:a.png", "no component"),
        ("--screenshot", "block.pose:a.png", "is not a colour camera"),
        ("--screenshot", "t=3 parsecs:a.png", "unit"),
        ("--video", "a.avi", ".gif"),
    ] {
        let ran = room.run(&["quiet.ron", "--steps", "1", argument, value]);
        let ran = ran.with_code(2);
        assert!(ran.err.contains(text), "{value}: {}", ran.err);
    }
    let ran = room.run(&["quiet.ron", "--steps", "1", "--screenshot", "t=9s:a.png"]);
    assert!(ran.with_code(3).err.contains("ended before 9 s"));
    let output = program()
        .args([
            "quiet.ron",
            "--steps",
            "1",
            "--size",
            "8x8",
            "--video",
            "a.mp4",
        ])
        .env("PATH", "/nowhere")
        .current_dir(room.path())
        .output()
        .unwrap();
    assert!(
        Ran::of(&output)
            .with_code(3)
            .err
            .contains("needs the program ffmpeg")
    );
}

#[test]
fn a_program_without_a_window_says_how_to_get_one() {
    let room = Room::new();
    let ran = room.run(&["quiet.ron", "--view", "--until", "1s"]);
    if cfg!(feature = "viewer") {
        return;
    }
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(
        ran.err.contains("built without the window")
            && ran.err.contains("--features viewer")
            && ran.err.contains("`--serve`"),
        "{}",
        ran.err
    );
}

#[test]
fn a_program_without_the_renderer_gpu_draws_all_the_same() {
    if cfg!(feature = "viewer") {
        return;
    }
    let room = Room::new();
    let take = |renderer: &str, file: &str| {
        let ran = room.run(&[
            "render",
            "quiet.ron",
            "-o",
            file,
            "--size",
            "32x24",
            "--renderer",
            renderer,
        ]);
        assert_eq!(ran.code, 0, "{}", ran.err);
        (
            ran.err,
            fs::read(room.path().join(file)).expect("a picture"),
        )
    };
    let (said, drawn) = take("gpu", "gpu.png");
    assert!(
        said.contains("warning[render::gpu]") && said.contains("`software` draws instead"),
        "{said}"
    );
    let (said, expected) = take("software", "software.png");
    assert!(!said.contains("gpu"), "{said}");
    assert_eq!(drawn, expected);
    let ran = room.run(&["render", "quiet.ron", "-o", "x.png", "--renderer", "cpu"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("unknown renderer; expected `software` or `gpu`"),
        "{}",
        ran.err
    );
}
