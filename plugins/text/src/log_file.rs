//! A file of records that never ends in an incomplete record.
use std::{
    fs::File,
    io::{self, Write as _},
    path::Path,
};

/// Number of bytes that are buffered before they are written.
const ENOUGH: usize = 64 * 1024;

/// A file of records. When writing fails, the file is truncated to its last complete record.
pub struct LogFile {
    file: File,
    /// Complete records in the buffer.
    buffer: Vec<u8>,
    /// End of each record in the buffer.
    ends: Vec<usize>,
    /// Number of bytes in the file.
    written: u64,
}

impl LogFile {
    /// Creates the file, replacing an existing one.
    ///
    /// # Errors
    ///
    /// The file cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            buffer: Vec::new(),
            ends: Vec::new(),
            written: 0,
        })
    }

    /// Appends a record. `write` cannot fail, because it writes to memory.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn record(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        write(&mut self.buffer);
        self.ends.push(self.buffer.len());
        if self.buffer.len() >= ENOUGH {
            self.flush()
        } else {
            Ok(())
        }
    }

    /// Writes the buffer.
    ///
    /// # Errors
    ///
    /// The file cannot be written; it ends with its last complete record.
    pub fn flush(&mut self) -> io::Result<()> {
        let mut done = 0;
        while done < self.buffer.len() {
            match self.file.write(self.buffer.get(done..).unwrap_or_default()) {
                Ok(0) => return self.cut_back(done, io::ErrorKind::WriteZero.into()),
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return self.cut_back(done, error),
            }
        }
        self.written += done as u64;
        self.buffer.clear();
        self.ends.clear();
        Ok(())
    }

    /// Truncates the file to its last complete record, and clears the buffer.
    fn cut_back(&mut self, done: usize, error: io::Error) -> io::Result<()> {
        let whole = self
            .ends
            .iter()
            .copied()
            .take_while(|&end| end <= done)
            .last()
            .unwrap_or(0);
        self.buffer.clear();
        self.ends.clear();
        self.written += whole as u64;
        // A file that cannot be truncated (for example a pipe) keeps its incomplete record; the first error is returned.
        self.file.set_len(self.written).ok();
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_arrive_in_order() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut log = LogFile::create(&path).unwrap();
        for n in 0..10_000 {
            log.record(|out| writeln!(out, "record {n}").unwrap())
                .unwrap();
        }
        log.flush().unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        assert!(
            text.lines()
                .enumerate()
                .all(|(n, line)| line == format!("record {n}"))
        );
        assert_eq!(text.lines().count(), 10_000);
    }

    #[test]
    fn a_full_device_is_an_error() {
        let Ok(file) = File::options().write(true).open("/dev/full") else {
            return;
        };
        let mut log = LogFile {
            file,
            buffer: Vec::new(),
            ends: Vec::new(),
            written: 0,
        };
        log.record(|out| out.extend_from_slice(b"one\n")).unwrap();
        assert_eq!(log.flush().unwrap_err().kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn half_a_record_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log");
        let mut log = LogFile::create(&path).unwrap();
        log.buffer.extend_from_slice(b"one\ntwo\n");
        log.ends = vec![4, 8];
        // As if the disk had accepted six bytes before it was full.
        log.file.write_all(b"one\ntw").unwrap();
        log.cut_back(6, io::ErrorKind::StorageFull.into())
            .unwrap_err();
        assert_eq!(std::fs::read_to_string(path).unwrap(), "one\n");
    }
}
