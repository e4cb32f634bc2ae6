//! Detects changes of files, by polling: that works for all file systems and for editors that replace files.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, bounded};

use super::clock::Moment;

/// Interval between two checks. A change is reported once the files are equal in two checks in a row, so that a file that
/// is being written is read as a whole.
const POLL_INTERVAL: Duration = Duration::from_millis(150);

/// Identity of the content of a file, without reading it; `None` if the file does not exist.
type Stamp = Option<(Moment, u64, u64)>;

/// Files with their last reported stamps.
type Known = BTreeMap<PathBuf, Stamp>;

/// Watches files on a thread of its own.
pub(crate) struct FileWatcher {
    known: Arc<Mutex<Known>>,
    changed: Receiver<BTreeSet<PathBuf>>,
    /// The thread ends when this is dropped.
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl FileWatcher {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The system cannot start a thread.
    pub(crate) fn new() -> io::Result<Self> {
        let known = Arc::<Mutex<Known>>::default();
        let (stop, stopped) = bounded(0);
        let (report, changed) = bounded(1);
        let shared = known.clone();
        let thread = Builder::new()
            .name("file watcher".to_owned())
            .spawn(move || poll(&shared, &stopped, &report))?;
        Ok(Self {
            known,
            changed,
            stop: Some(stop),
            thread: Some(thread),
        })
    }

    /// Sets the files and directories to watch. Files were read after `since`: those that were
    /// changed later are reported as changed.
    pub(crate) fn watch(&self, files: BTreeSet<PathBuf>, since: Moment) {
        let is_read = |stamp: &Stamp| stamp.is_none_or(|(modified, ..)| modified < since);
        let files = files.into_iter().map(|file| {
            let stamp = stamp(&file);
            let known = if is_read(&stamp) { stamp } else { None };
            (file, known)
        });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        *known = files.collect();
        // Changes of earlier files are part of what was read since.
        while self.changed.try_recv().is_ok() {}
    }

    /// Returns the files that have changed since the last call, if there are any.
    pub(crate) fn changed(&self) -> Option<BTreeSet<PathBuf>> {
        self.changed.try_recv().ok()
    }
}

impl Drop for FileWatcher {
    fn drop(&mut self) {
        self.stop = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has been reported.
            thread.join().ok();
        }
    }
}

fn poll(known: &Mutex<Known>, stopped: &Receiver<()>, report: &Sender<BTreeSet<PathBuf>>) {
    let mut last = Known::new();
    while stopped.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let files = known.keys();
        let now: Known = files.map(|file| (file.clone(), stamp(file))).collect();
        let is_stable = std::mem::replace(&mut last, now.clone()) == now;
        if !is_stable || now == *known {
            continue;
        }
        let changed = now
            .iter()
            .filter(|(file, stamp)| known.get(*file) != Some(*stamp));
        let changed = changed.map(|(file, _)| file.clone()).collect();
        // Without room there is a change that was not taken; this one is reported later.
        if report.try_send(changed).is_ok() {
            *known = now;
        }
    }
}

fn stamp(file: &Path) -> Stamp {
    let about = fs::metadata(file).ok()?;
    Some((Moment::of_change(&about)?, about.len(), number(&about)))
}

/// Returns the number of a file in its file system: a file that replaces another one of the same time and length has
/// another number.
#[cfg(unix)]
fn number(about: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(about)
}

#[cfg(not(unix))]
fn number(_: &Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the next change, which must come.
    fn next(watcher: &FileWatcher) -> BTreeSet<PathBuf> {
        (0..200)
            .find_map(|_| {
                std::thread::sleep(Duration::from_millis(50));
                watcher.changed()
            })
            .expect("a change")
    }

    #[test]
    fn changes_are_reported_once_however_a_file_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let (file, other) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&file, "one").unwrap();
        let watcher = FileWatcher::new().unwrap();
        let begin = Moment::now();
        std::thread::sleep(Duration::from_millis(20));
        let both = || BTreeSet::from([file.clone(), other.clone()]);
        watcher.watch(both(), Moment::now());
        let only = |path: &PathBuf| BTreeSet::from([path.clone()]);
        fs::write(&file, "three").unwrap();
        assert_eq!(next(&watcher), only(&file), "written in place");
        fs::write(folder.path().join("new"), "other").unwrap();
        fs::rename(folder.path().join("new"), &file).unwrap();
        assert_eq!(next(&watcher), only(&file), "replaced");
        fs::write(&other, "").unwrap();
        assert_eq!(next(&watcher), only(&other), "created");
        fs::remove_file(&file).unwrap();
        assert_eq!(next(&watcher), only(&file), "removed");
        std::thread::sleep(3 * POLL_INTERVAL);
        assert_eq!(watcher.changed(), None);
        // Written after the reading has begun, and before the stamps were taken.
        watcher.watch(both(), begin);
        assert_eq!(next(&watcher), only(&other));
    }
}
