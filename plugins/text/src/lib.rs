//! Readings as text: one file per sensor, in MORSE's record format or as CSV.
//!
//! - [`log_file`]: files that never end in an incomplete record, even when the disk is full;
//! - [`record`]: a reading as text;
//! - here: settings, and the writing thread.
pub mod log_file;
pub mod record;

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use bevy::prelude::{App, Reflect};
use morse_api::{
    middleware::{
        AddMiddleware as _, ErasedContext, Failure, Middleware, MiddlewareContext, Obstacle,
        Prospect, Reloaded, Running, Successor, Wake, Weight, Worker,
    },
    port::{Observer, Policy},
};
use serde::Deserialize;

use crate::log_file::LogFile;

/// Writes the readings of each sensor to a file of its own.
///
/// Every reading is written: by default the tick waits for the disk. Readings are in the files a quarter of a second later.
/// A file that cannot be written any more, because the disk is full, is reported once and ends the run; all files then end
/// with their last complete record.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Text {
    /// Directory of the files, relative to the directory of the simulation file; it is created if it is missing. A file of
    /// an earlier run is replaced. Empty for the directory of the simulation file.
    pub directory: String,
}

/// Format and file of one sensor's readings.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TextOutput {
    /// MORSE's records, or values separated by semicolons under a header line.
    pub format: Format,
    /// Name of the file; by default the sensor's path, with `.txt` or `.csv`.
    pub file: Option<String>,
}

/// Format of the text.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// A paragraph per reading: the robot's pose, a number, the time, and a line per field.
    #[default]
    Text,
    /// A line per reading. A line that begins with `#` marks where the simulation was reset to an earlier time.
    Csv,
}

/// Settings of inputs: this middleware takes no commands.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NoInput {}

/// Registers the kind `text`.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Text>();
}

impl Middleware for Text {
    const KIND: &'static str = "text";
    const DEFAULT_POLICY: Policy = Policy::Lockstep(Duration::from_secs(60));
    type Output = TextOutput;
    type Input = NoInput;

    fn check(&self, prospect: &Prospect<'_, TextOutput, NoInput>) -> Vec<Obstacle> {
        let actuators = prospect.inputs.iter().map(|(actuator, _)| actuator);
        let refused = actuators.map(|actuator| {
            let path = &actuator.path;
            let why = format!("text brings no commands in, so `{path}` cannot listen to it");
            Obstacle::new(Weight::Settings, why).help("leave it out of the actuator's `inputs`")
        });
        refused.collect()
    }

    fn start(
        &self,
        context: MiddlewareContext<TextOutput, NoInput>,
    ) -> Result<Box<dyn Running>, Failure> {
        let directory = context.path(&self.directory);
        let next = Successor::default();
        if !self.directory.is_empty() {
            std::fs::create_dir_all(&directory)
                .map_err(|error| failed("make the directory", &directory, &error))?;
        }
        let logs = context
            .outputs
            .into_iter()
            .map(|output| Log::open(&directory, output));
        let logs = logs.collect::<Result<Vec<_>, _>>()?;
        let files = LogFiles {
            directory,
            logs,
            wake: context.wake,
            next: next.clone(),
        };
        let worker = Worker::spawn(Self::KIND, &context.name, files, LogFiles::write_all)?;
        Ok(Box::new(Writer { worker, next }))
    }
}

/// The writing thread.
struct Writer {
    worker: Worker,
    next: Successor<World>,
}

/// Connections to a world.
type World = MiddlewareContext<TextOutput, NoInput>;

impl Running for Writer {
    fn failure(&mut self) -> Option<Failure> {
        self.worker.failure()
    }

    fn reload(&mut self, context: ErasedContext) -> Reloaded {
        match context.typed() {
            Ok(next) => {
                self.next.set(next);
                Reloaded::Continues
            }
            Err(failure) => Reloaded::Failed(failure),
        }
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.worker.stop()
    }
}

/// The file of one sensor.
struct Log {
    observer: Observer,
    format: Format,
    path: PathBuf,
    file: LogFile,
    count: u64,
    /// Time of the last reading, ns.
    nanos: u64,
}

/// Returns the path of a sensor's file.
fn path(directory: &Path, observer: &Observer, output: &TextOutput) -> PathBuf {
    let ending = match output.format {
        Format::Text => "txt",
        Format::Csv => "csv",
    };
    let own = output.file.clone();
    directory.join(own.unwrap_or_else(|| format!("{}.{ending}", observer.info.path)))
}

/// Line in a CSV file where the simulation was reset to an earlier time.
const BACK: &str = "# the simulation went back: reset\n";

impl Log {
    fn open(directory: &Path, (observer, output): (Observer, TextOutput)) -> Result<Self, Failure> {
        let path = path(directory, &observer, &output);
        let mut file = LogFile::create(&path).map_err(|error| failed("write", &path, &error))?;
        let info = &observer.info;
        file.record(|out| match output.format {
            Format::Text => record::header(out, info),
            Format::Csv if record::waits(info) => {}
            Format::Csv => record::csv_header(out, info, None),
        })
        .and_then(|()| file.flush())
        .map_err(|error| failed("write", &path, &error))?;
        observer.stay_ready();
        Ok(Self {
            observer,
            format: output.format,
            path,
            file,
            count: 0,
            nanos: 0,
        })
    }

    /// Returns true if the readings of a sensor of another world belong into this file.
    fn is_continued_by(&self, path: &Path, observer: &Observer, output: &TextOutput) -> bool {
        let names = |observer: &Observer| -> Vec<&str> {
            let fields = observer.info.fields.0.iter();
            fields.map(|field| field.name).collect()
        };
        self.path == path
            && self.format == output.format
            && names(&self.observer) == names(observer)
    }

    /// Writes the readings that have arrived.
    fn take(&mut self) -> Result<(), Failure> {
        let Self {
            observer,
            format,
            path,
            file,
            count,
            nanos,
        } = self;
        while let Some(reading) = observer.try_recv() {
            let is_back = *count > 0 && reading.nanos <= *nanos;
            *nanos = reading.nanos;
            let written = file.record(|out| match format {
                Format::Text => record::paragraph(out, &observer.info, &reading, *count),
                Format::Csv => {
                    let info = &observer.info;
                    if *count == 0 && record::waits(info) {
                        record::csv_header(out, info, Some(&reading));
                    }
                    if is_back {
                        out.extend_from_slice(BACK.as_bytes());
                    }
                    record::csv_line(out, info, &reading);
                }
            });
            *count += 1;
            written.map_err(|error| failed("write", path, &error))?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Failure> {
        self.file
            .flush()
            .map_err(|error| failed("write", &self.path, &error))
    }
}

/// Maximum time until a reading is written.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// State of the writing thread.
struct LogFiles {
    directory: PathBuf,
    logs: Vec<Log>,
    wake: Wake,
    next: Successor<World>,
}

impl LogFiles {
    /// Writes until the simulation ends, or a file cannot be written.
    fn write_all(&mut self) -> Result<(), Failure> {
        let beat = crossbeam_channel::tick(POLL_INTERVAL);
        let result = loop {
            let (is_beat, is_end) = crossbeam_channel::select! {
                recv(self.wake.channel()) -> token => (false, token.is_err()),
                recv(beat) -> _ => (true, false),
            };
            // A full file does not keep the others from receiving their readings.
            let mut taken = of_all(&mut self.logs, Log::take);
            if is_beat {
                taken = taken.and(of_all(&mut self.logs, Log::flush));
            }
            if taken.is_err() {
                break taken;
            }
            if is_end {
                // The next world is taken only now: before, there may still be readings of this one.
                match self.next.take() {
                    Some(next) => self.change_world(next)?,
                    None => break taken,
                }
            }
        };
        result.and(of_all(&mut self.logs, Log::flush))
    }

    /// Continues with another world. A sensor whose file and fields are the same continues its file.
    fn change_world(&mut self, next: World) -> Result<(), Failure> {
        let mut old = std::mem::take(&mut self.logs);
        for (observer, output) in next.outputs {
            let path = path(&self.directory, &observer, &output);
            let known = old
                .iter()
                .position(|log| log.is_continued_by(&path, &observer, &output));
            let log = match known {
                Some(known) => {
                    let mut log = old.swap_remove(known);
                    observer.stay_ready();
                    log.observer = observer;
                    log
                }
                None => Log::open(&self.directory, (observer, output))?,
            };
            self.logs.push(log);
        }
        self.wake = next.wake;
        of_all(&mut old, Log::flush)
    }
}

/// Calls a function with every log. Returns the first failure.
fn of_all(
    logs: &mut [Log],
    work: impl FnMut(&mut Log) -> Result<(), Failure>,
) -> Result<(), Failure> {
    logs.iter_mut().map(work).fold(Ok(()), Result::and)
}

fn failed(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::Environment(format!("cannot {what} `{}`: {error}", path.display()))
}
