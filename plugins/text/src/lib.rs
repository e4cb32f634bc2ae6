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
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, Obstacle, Prospect, Running,
        Wake, Weight, Worker,
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
        if !self.directory.is_empty() {
            std::fs::create_dir_all(&directory)
                .map_err(|error| failed("make the directory", &directory, &error))?;
        }
        let logs = context
            .outputs
            .into_iter()
            .map(|output| Log::open(&directory, output));
        let logs = logs.collect::<Result<Vec<_>, _>>()?;
        let state = (logs, context.wake);
        let write = |(logs, wake): &mut (Vec<Log>, Wake)| write_all(logs, wake);
        let worker = Worker::spawn(Self::KIND, &context.name, state, write)?;
        Ok(Box::new(Writer(worker)))
    }
}

/// The writing thread.
struct Writer(Worker);

impl Running for Writer {
    fn failure(&mut self) -> Option<Failure> {
        self.0.failure()
    }

    fn stop(self: Box<Self>) -> Result<(), Failure> {
        self.0.stop()
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

/// Line in a CSV file where the simulation was reset to an earlier time.
const BACK: &str = "# the simulation went back: reset\n";

impl Log {
    fn open(directory: &Path, (observer, output): (Observer, TextOutput)) -> Result<Self, Failure> {
        let ending = match output.format {
            Format::Text => "txt",
            Format::Csv => "csv",
        };
        let path = directory.join(
            output
                .file
                .unwrap_or_else(|| format!("{}.{ending}", observer.info.path)),
        );
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

/// Writes until the simulation ends, or a file cannot be written.
fn write_all(logs: &mut [Log], wake: &Wake) -> Result<(), Failure> {
    let beat = crossbeam_channel::tick(POLL_INTERVAL);
    let result = loop {
        let (is_beat, is_end) = crossbeam_channel::select! {
            recv(wake.channel()) -> token => (false, token.is_err()),
            recv(beat) -> _ => (true, false),
        };
        // A full file does not keep the others from receiving their readings.
        let mut taken = of_all(logs, Log::take);
        if is_beat {
            taken = taken.and(of_all(logs, Log::flush));
        }
        if taken.is_err() || is_end {
            break taken;
        }
    };
    result.and(of_all(logs, Log::flush))
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
