//! `--screenshot` and `--video`: images of a run.
use std::{fmt, path::PathBuf, str::FromStr};

use bevy::prelude::Entity;
use morse_api::{
    body::BodyState,
    fields::{Value, view},
    kind::Described,
    middleware::Failure,
    render::CameraView,
    samples::Samples,
    service,
};
use morse_diagnostics::{nearest, printable};
use morse_render::{
    Canvas, Margin,
    picture::{Film, Format, RgbaImage},
};
use nalgebra::Vector3;

use super::{
    camera_arguments::CameraArguments,
    render::enlarged,
    run::{Args, seconds},
    usage::UsageError,
};
use crate::{
    run::Watch,
    simulation::{AccessError, Simulation},
};

/// Number of pixels in each direction that are averaged to a pixel of a frame.
const FINE: u32 = 2;

/// Request for an image: time, camera, and file.
#[derive(Clone, Debug, PartialEq)]
pub struct PictureRequest {
    /// Simulated time, s; at the end by default.
    pub at: Option<f64>,
    /// Camera of the image; the overview by default.
    pub camera: Option<String>,
    /// File to write.
    pub file: PathBuf,
}

impl FromStr for PictureRequest {
    type Err = UsageError;

    /// Parses `t=5s:rover.video:out.png`; time and camera may be left out.
    fn from_str(text: &str) -> Result<Self, UsageError> {
        let mut fields: Vec<&str> = text.split(':').collect();
        let file = fields.pop().filter(|file| !file.is_empty());
        let file = PathBuf::from(file.ok_or("the name of a file is missing")?);
        let at = match fields.first().and_then(|field| field.strip_prefix("t=")) {
            Some(time) => {
                let time = seconds(time)?;
                fields.remove(0);
                Some(time)
            }
            None => None,
        };
        match fields.as_slice() {
            [] => Ok(Self {
                at,
                camera: None,
                file,
            }),
            [camera] => Ok(Self {
                at,
                camera: Some((*camera).to_owned()),
                file,
            }),
            _ => {
                Err("write it as t=5s:out.png, or as t=5s:rover.video:out.png for a camera".into())
            }
        }
    }
}

/// Images of a run.
pub struct Pictures {
    shots: Vec<PictureRequest>,
    films: Vec<Recording>,
    size: (u32, u32),
    from: CameraArguments,
    /// Robot or body that the overview follows.
    followed: Option<Entity>,
    /// Overview, once it has been requested.
    view: Option<View>,
}

/// View with smooth edges, from a fixed position, or from one that follows a body.
struct View {
    /// Camera with more pixels in each direction than the image.
    camera: CameraView,
    /// Body that the camera follows, and its offset; the camera does not rotate.
    along: Option<(Entity, Vector3<f64>)>,
    canvas: Canvas,
    image: RgbaImage,
}

impl View {
    fn new(camera: &CameraView) -> Self {
        let pixels = vec![0; 4 * camera.pixels()];
        Self {
            image: RgbaImage {
                width: camera.width,
                height: camera.height,
                pixels,
            },
            camera: enlarged(camera, FINE),
            along: None,
            canvas: Canvas::default(),
        }
    }

    /// Makes the view follow a body.
    fn go_along(&mut self, simulation: &Simulation, body: Entity) {
        let offset = self.camera.world_from_camera.translation.vector - position(simulation, body);
        self.along = Some((body, offset));
    }

    fn take(&mut self, simulation: &mut Simulation) -> &RgbaImage {
        if let Some((body, offset)) = self.along {
            self.camera.world_from_camera.translation =
                (position(simulation, body) + offset).into();
        }
        let changed = morse_render::redraw(simulation.world_mut(), &self.camera, &mut self.canvas);
        if let Some(area) = changed {
            let low = |bound: u32| bound / FINE;
            let high = |bound: u32| bound.div_ceil(FINE);
            let area = [
                low(area.left),
                low(area.top),
                high(area.right),
                high(area.bottom),
            ];
            self.image
                .shrink_from(&self.canvas.picture().color, FINE, area);
        }
        &self.image
    }
}

/// Returns the position of a body in the world, m.
fn position(simulation: &Simulation, body: Entity) -> Vector3<f64> {
    let state = simulation.world().get::<BodyState>(body);
    state.map_or_else(Vector3::zeros, |state| state.pose.translation.vector)
}

/// A video that is being recorded.
struct Recording {
    shot: PictureRequest,
    format: Format,
    film: Option<Film>,
    frames: u64,
    /// Simulated time of the start, s.
    start: f64,
    /// Image of the last frame; empty before the first.
    image: RgbaImage,
}

impl Recording {
    fn new(shot: &PictureRequest, start: f64) -> Result<Self, String> {
        Ok(Self {
            shot: shot.clone(),
            format: Format::of(&shot.file).map_err(|error| error.to_string())?,
            film: None,
            frames: 0,
            start,
            image: RgbaImage::default(),
        })
    }

    /// Returns the simulated time of the next frame, s.
    fn due(&self) -> f64 {
        self.start + self.frames as f64 / self.format.rate()
    }

    /// Adds a frame with the image, if there is one.
    fn add(&mut self) -> Result<(), Failure> {
        self.frames += 1;
        let (shot, image) = (&self.shot, &self.image);
        if image.pixels.is_empty() {
            return Ok(());
        }
        let failed = |error| lost(shot, &error);
        let film = match &mut self.film {
            Some(film) => film,
            None => {
                let film = Film::begin(&shot.file, self.format, image.width, image.height);
                self.film.insert(film.map_err(failed)?)
            }
        };
        film.add(image).map_err(failed)
    }
}

impl Pictures {
    /// Returns the requested images.
    ///
    /// # Errors
    ///
    /// A camera or the followed body does not exist, a video has an unknown extension, or a viewpoint is given without an
    /// overview image.
    pub fn new(simulation: &Simulation, args: &Args) -> Result<Self, UsageError> {
        let (shots, films) = (&args.screenshot, &args.video);
        let mut is_whole = false;
        for shot in shots.iter().chain(films) {
            match &shot.camera {
                Some(camera) => drop(image_of(simulation, camera)?),
                None => is_whole = true,
            }
        }
        shots.iter().try_for_each(is_png)?;
        args.from.check()?;
        if !is_whole && (args.from.eye.is_some() || args.follow.is_some()) {
            return Err("`--eye`, `--look` and `--follow` require an overview image: `--screenshot` or `--video` \
                        without a camera".into());
        }
        let followed = args.follow.as_ref().map(|name| find(simulation, name));
        let recording = |shot: &PictureRequest| Recording::new(shot, 0.0);
        Ok(Self {
            shots: shots.to_vec(),
            films: films.iter().map(recording).collect::<Result<_, String>>()?,
            size: args.size,
            from: args.from.clone(),
            followed: followed.transpose()?,
            view: None,
        })
    }

    /// Begins a film from now on: of a camera, or of the whole scene, which may follow a robot or body.
    ///
    /// # Errors
    ///
    /// The camera or the followed body does not exist, or the file has an unknown extension.
    pub fn film(
        simulation: &Simulation,
        shot: &PictureRequest,
        size: (u32, u32),
        follow: Option<&str>,
    ) -> Result<Self, UsageError> {
        if let Some(camera) = &shot.camera {
            drop(image_of(simulation, camera)?);
        }
        let followed = follow.map(|name| find(simulation, name)).transpose()?;
        Ok(Self {
            shots: Vec::new(),
            films: vec![Recording::new(shot, simulation.seconds())?],
            size,
            from: CameraArguments::default(),
            followed,
            view: None,
        })
    }

    fn write(&mut self, simulation: &mut Simulation, shot: &PictureRequest) -> Result<(), Failure> {
        let image = self.image(simulation, shot)?;
        if image.pixels.is_empty() {
            return Err(lost(shot, &"the camera has not taken a frame yet"));
        }
        image
            .write_png(&shot.file)
            .map_err(|error| lost(shot, &error))
    }

    fn image(
        &mut self,
        simulation: &mut Simulation,
        shot: &PictureRequest,
    ) -> Result<RgbaImage, Failure> {
        if let Some(camera) = &shot.camera {
            return image_of(simulation, camera).map_err(|why| lost(shot, &why));
        }
        let view = self.view.get_or_insert_with(|| {
            let margin = if self.followed.is_some() {
                Margin::STILL
            } else {
                Margin::FILM
            };
            let mut view = View::new(&self.from.camera(
                simulation,
                self.size,
                margin,
                self.followed,
            ));
            if let Some(body) = self.followed {
                view.go_along(simulation, body);
            }
            view
        });
        Ok(view.take(simulation).clone())
    }
}

impl Watch for Pictures {
    /// Takes the images that are due after this tick.
    fn tick(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        let now = simulation.seconds();
        let half_tick = 0.5 / simulation.clock().rate;
        let is_due = |shot: &mut PictureRequest| shot.at.is_some_and(|at| at <= now + half_tick);
        for shot in self.shots.extract_if(.., is_due).collect::<Vec<_>>() {
            self.write(simulation, &shot)?;
        }
        let mut films = std::mem::take(&mut self.films);
        for recording in &mut films {
            // Frames between two ticks show the first of these.
            while recording.due() < now - half_tick {
                recording.add()?;
            }
            if recording.due() <= now + half_tick {
                recording.image = self.image(simulation, &recording.shot)?;
            }
            while recording.due() <= now + half_tick {
                recording.add()?;
            }
        }
        self.films = films;
        Ok(())
    }

    /// Takes the images that are due at the end, and closes the videos.
    fn end(&mut self, simulation: &mut Simulation) -> Result<(), Failure> {
        let shots = std::mem::take(&mut self.shots);
        for shot in shots.iter().filter(|shot| shot.at.is_none()) {
            self.write(simulation, shot)?;
        }
        for recording in std::mem::take(&mut self.films) {
            if let Some(film) = recording.film {
                film.finish()
                    .map_err(|error| lost(&recording.shot, &error))?;
            }
        }
        match shots.iter().find_map(|shot| Some((shot, shot.at?))) {
            Some((shot, at)) => Err(Failure::Environment(format!(
                "`{}` was not written: the run ended before {at} s",
                printable(&shot.file.to_string_lossy())
            ))),
            None => Ok(()),
        }
    }
}

/// Checks that the image is a PNG file. Devices and pipes have no extension.
fn is_png(shot: &PictureRequest) -> Result<(), String> {
    let ending = shot.file.extension().and_then(|ending| ending.to_str());
    let is_device = shot.file.exists() && !shot.file.is_file();
    if is_device || ending.is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    let file = printable(&shot.file.to_string_lossy());
    Err(format!(
        "`--screenshot {file}`: the extension must be `.png`"
    ))
}

fn lost(shot: &PictureRequest, why: &dyn fmt::Display) -> Failure {
    let file = printable(&shot.file.to_string_lossy());
    Failure::Environment(format!("`{file}` cannot be written: {why}"))
}

/// Returns the body with a name, or the base of the robot with that name.
fn find(simulation: &Simulation, name: &str) -> Result<Entity, String> {
    let scene = simulation.scene();
    let known = scene.robots.get(name).or_else(|| scene.bodies.get(name));
    known.copied().ok_or_else(|| {
        let names = scene.robots.keys().chain(scene.bodies.keys());
        let near = nearest(name, names.map(String::as_str));
        let near = near.map(|near| format!("; did you mean `{near}`?"));
        format!(
            "`--follow`: there is no robot or body `{}`{}",
            printable(name),
            near.unwrap_or_default()
        )
    })
}

/// Returns true if a component takes colour images.
fn draws(simulation: &Simulation, camera: &str) -> bool {
    let world = simulation.world();
    let described = service::find(world, camera).and_then(|camera| world.get::<Described>(camera));
    described.is_some_and(|known| known.0.fields.of_kind::<Samples<u8>>("image").is_some())
}

/// Returns the latest image of a camera, which may be empty.
fn image_of(simulation: &Simulation, camera: &str) -> Result<RgbaImage, String> {
    let data = match simulation.read_any(camera) {
        Err(AccessError::NothingYet { .. }) if draws(simulation, camera) => {
            return Ok(RgbaImage::default());
        }
        Err(AccessError::NothingYet { .. }) => {
            return Err(format!("`{camera}` is not a colour camera"));
        }
        data => data.map_err(|error| error.to_string())?,
    };
    let size = |name: &str| match data.field(name).map(view) {
        Some(Value::Integer(size)) => u32::try_from(size).ok(),
        _ => None,
    };
    match (data.field("image").map(view), size("width"), size("height")) {
        (Some(Value::Samples(image)), Some(width), Some(height)) if image.number() == "u8" => {
            Ok(RgbaImage {
                width,
                height,
                pixels: image.bytes().to_vec(),
            })
        }
        _ => Err(format!("`{camera}` is not a colour camera")),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{super::render::still, *};
    use crate::simulation::{
        kinds,
        load::{self, Options},
        no_extensions,
    };

    #[test]
    fn a_view_is_what_a_still_shows() {
        let scene = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/drop.ron");
        let mut plan = load::load(&scene, &Options::default(), &kinds(&no_extensions)).unwrap();
        plan.simulation.disconnect();
        let mut simulation = Simulation::build(plan, &no_extensions).unwrap();
        let camera = morse_render::automatic(simulation.world_mut(), (90, 51), Margin::FILM, None);
        let mut view = View::new(&camera);
        let mut before = RgbaImage::default();
        for _ in 0..4 {
            let expected = still(&mut simulation, &camera, FINE);
            assert!(*view.take(&mut simulation) == expected);
            assert!(expected != before, "something moves");
            before = expected;
            simulation.run(3).unwrap();
        }
    }

    #[test]
    fn when_what_and_where() {
        let shot = |at: Option<f64>, camera: Option<&str>, file: &str| PictureRequest {
            at,
            camera: camera.map(str::to_owned),
            file: file.into(),
        };
        for (text, expected) in [
            ("out.png", shot(None, None, "out.png")),
            ("t=5s:out.png", shot(Some(5.0), None, "out.png")),
            (
                "rover.video:a/b.png",
                shot(None, Some("rover.video"), "a/b.png"),
            ),
            ("t=500ms:r.v:b.png", shot(Some(0.5), Some("r.v"), "b.png")),
        ] {
            assert_eq!(text.parse(), Ok(expected));
        }
        for bad in ["", "t=5s:", "t=x:out.png", "a:b:c.png"] {
            assert!(bad.parse::<PictureRequest>().is_err(), "{bad}");
        }
    }
}
