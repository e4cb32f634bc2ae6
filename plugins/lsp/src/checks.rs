//! Checks of open documents in a thread of their own, so that requests are answered meanwhile.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender};
use morse_diagnostics::Overlay;

use crate::program::{Checked, Depth, Program};
use crate::report::{self, ByFile};

/// Time without changes after which the simulation is also built, which takes longer than reading the files.
const PAUSE: Duration = Duration::from_millis(300);

/// Request to check the open documents.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) revision: u64,
    /// Canonical paths of the open documents.
    pub(crate) documents: Vec<PathBuf>,
    pub(crate) overlay: Overlay,
}

/// Diagnostics of all open documents, and of the files that they name.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) revision: u64,
    pub(crate) files: ByFile,
}

/// Channel for one job: a newer one replaces the job that waits.
#[derive(Debug)]
pub(crate) struct Newest {
    sender: Sender<Job>,
    receiver: Receiver<Job>,
}

impl Newest {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = crossbeam_channel::bounded(1);
        Self { sender, receiver }
    }

    pub(crate) fn receiver(&self) -> Receiver<Job> {
        self.receiver.clone()
    }

    /// Replaces the waiting job.
    pub(crate) fn put(&self, job: Job) {
        self.receiver.try_recv().ok();
        // There is space, since there is no other sender.
        self.sender.try_send(job).ok();
    }
}

/// Checks the newest job, until the sender of the jobs is dropped.
pub(crate) fn run(program: &dyn Program, jobs: &Receiver<Job>, outcomes: &Sender<Outcome>) {
    let mut next = jobs.recv().ok();
    while let Some(job) = next {
        if !report_on(program, &job, Depth::Read, outcomes) {
            return;
        }
        next = match jobs.recv_timeout(PAUSE) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Disconnected) => None,
            Err(RecvTimeoutError::Timeout) => {
                if !report_on(program, &job, Depth::Build, outcomes) {
                    return;
                }
                jobs.recv().ok()
            }
        };
    }
}

/// Sends the diagnostics. Returns false if the server has ended.
fn report_on(program: &dyn Program, job: &Job, depth: Depth, outcomes: &Sender<Outcome>) -> bool {
    let outcome = Outcome {
        revision: job.revision,
        files: diagnostics(program, job, depth),
    };
    outcomes.send(outcome).is_ok()
}

/// Documents with their checks and the files that these read.
type Checks<'j> = BTreeMap<&'j Path, (Checked, Vec<PathBuf>)>;

fn diagnostics(program: &dyn Program, job: &Job, depth: Depth) -> ByFile {
    let mut checks = Checks::new();
    let mut files = ByFile::new();
    for path in &job.documents {
        let checked = check(program, path, &job.overlay, depth);
        let read = checked.files.iter();
        let read = read.filter_map(|name| report::path_of_name(name)).collect();
        checks.insert(path, (checked, read));
        // Also without diagnostics, so that older ones disappear.
        files.insert(path.clone(), Vec::new());
    }
    for (path, (checked, _)) in &checks {
        if !is_included_by_another(path, &checks) {
            report::add(&checked.report, path, &mut files);
        }
    }
    files
}

/// Returns true if another open document includes this one: alone, it may lack what that document defines.
fn is_included_by_another(path: &Path, checks: &Checks<'_>) -> bool {
    let reads = |one: &Path, other: &Path| {
        let check = checks.get(one);
        check.is_some_and(|(_, files)| files.iter().any(|file| file == other))
    };
    let mut others = checks.keys().filter(|other| **other != path);
    others.any(|other| reads(other, path) && !reads(path, other))
}

/// Checks a document. A panic, which would be a defect of the checker, must not end the server.
fn check(program: &dyn Program, path: &Path, overlay: &Overlay, depth: Depth) -> Checked {
    let check = || program.check(path, overlay, depth);
    catch_unwind(AssertUnwindSafe(check)).unwrap_or_default()
}
