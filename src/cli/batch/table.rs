//! The table of a batch: one JSON object per line, one line per run.
use std::{
    collections::BTreeSet,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Seek as _, SeekFrom, Write as _},
    path::Path,
};

use morse_diagnostics::printable_path;
use serde_json::Value as Json;

/// Reason why a table cannot be continued.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be read or written.
    #[error("`{file}`: {error}")]
    File {
        /// Path.
        file: String,
        /// Reason.
        error: io::Error,
    },
    /// Another process writes it.
    #[error("`{file}`: another batch writes this file")]
    Busy {
        /// Path.
        file: String,
    },
    /// A row does not belong to the batch.
    #[error("`{file}`:{line}: {why}")]
    Row {
        /// Path.
        file: String,
        /// Line, from 1.
        line: usize,
        /// Reason.
        why: String,
    },
}

/// A file of rows, open for further ones. No other process can open it as a table meanwhile.
#[derive(Debug)]
pub struct Table {
    file: File,
    done: BTreeSet<usize>,
    is_torn: bool,
}

impl Table {
    /// Opens the table of a batch with `count` runs, or creates it, and its folder. An incomplete last line, which a killed process
    /// leaves, is removed.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, another process writes it, or it has rows of another batch.
    pub fn open(path: &Path, digest: &str, count: usize) -> Result<Self, TableError> {
        let shown = || printable_path(&path.to_string_lossy()).to_string();
        let failed = |error| TableError::File {
            file: shown(),
            error,
        };
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(failed)?;
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(TableError::Busy { file: shown() }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|byte| *byte == b'\n');
        let whole = whole.map_or(0, |last| last + 1);
        let is_torn = whole < bytes.len();
        bytes.truncate(whole);
        let done = rows(&bytes, digest, count).map_err(|(line, why)| TableError::Row {
            file: shown(),
            line,
            why,
        })?;
        if is_torn {
            file.set_len(whole as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(failed)?;
        Ok(Self {
            file,
            done,
            is_torn,
        })
    }

    /// Returns the runs that have a row.
    #[must_use]
    pub fn done(&self) -> &BTreeSet<usize> {
        &self.done
    }

    /// Returns true if an incomplete last line was removed.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.is_torn
    }

    /// Appends the row of a run. A run that has a row already is left out.
    ///
    /// # Errors
    ///
    /// The row cannot be written.
    pub fn append(&mut self, run: usize, row: &str) -> io::Result<()> {
        if self.done.contains(&run) {
            return Ok(());
        }
        self.file.write_all(format!("{row}\n").as_bytes())?;
        self.done.insert(run);
        Ok(())
    }
}

/// Returns the runs of all rows; an error has its line.
fn rows(bytes: &[u8], digest: &str, count: usize) -> Result<BTreeSet<usize>, (usize, String)> {
    let mut done = BTreeSet::new();
    let lines = bytes.split(|byte| *byte == b'\n');
    for (index, line) in lines.enumerate().filter(|(_, line)| !line.is_empty()) {
        let wrong = |why| Err((index + 1, why));
        let row: Json = match serde_json::from_slice(line) {
            Ok(row) => row,
            Err(error) => return wrong(format!("this is no row of a batch: {error}")),
        };
        if row["batch"] != digest {
            let why = "this is a row of another batch, or its files have been changed since; choose another file";
            return wrong(why.to_owned());
        }
        let run = row["run"].as_u64();
        match run.and_then(|run| usize::try_from(run).ok()) {
            Some(run) if run < count && done.insert(run) => {}
            _ => {
                let run = &row["run"];
                return wrong(format!(
                    "the run {run} is there twice, or not of this batch"
                ));
            }
        }
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_torn_line_is_removed_and_its_run_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results").join("rows.jsonl");
        let mut table = Table::open(&path, "d", 3).unwrap();
        assert!(table.done().is_empty() && !table.is_torn());
        for run in [2, 0, 2] {
            let row = format!(r#"{{"run":{run},"batch":"d"}}"#);
            table.append(run, &row).unwrap();
        }
        let busy = Table::open(&path, "d", 3).unwrap_err().to_string();
        assert!(busy.contains("another batch writes"), "{busy}");
        drop(table);
        let whole = fs::read_to_string(&path).unwrap();
        assert_eq!(
            whole,
            "{\"run\":2,\"batch\":\"d\"}\n{\"run\":0,\"batch\":\"d\"}\n"
        );
        // Cut at each byte of the last line.
        let first = whole.find('\n').unwrap() + 1;
        for cut in first..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let table = Table::open(&path, "d", 3).unwrap();
            assert_eq!(
                (table.done().len(), table.is_torn()),
                (1, cut > first),
                "{cut}"
            );
            assert_eq!(fs::read_to_string(&path).unwrap(), whole[..first]);
        }
    }

    #[test]
    fn other_tables_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        for (text, why) in [
            (
                "{\"run\":0,\"batch\":\"e\"}\n",
                ":1: this is a row of another batch",
            ),
            ("{\"run\":0,\"batch\":\"d\"}\nabc\n", ":2: this is no row"),
            ("{\"run\":3,\"batch\":\"d\"}\n", ":1: the run 3 is"),
            (
                "{\"run\":0,\"batch\":\"d\"}\n{\"run\":0,\"batch\":\"d\"}\n",
                ":2: the run 0 is there twice",
            ),
            ("\u{feff}[]\n", ":1: this is no row"),
        ] {
            fs::write(&path, text).unwrap();
            let message = Table::open(&path, "d", 3).unwrap_err().to_string();
            assert!(message.contains(why), "{text}: {message}");
            assert_eq!(fs::read_to_string(&path).unwrap(), text, "unchanged");
        }
    }
}
