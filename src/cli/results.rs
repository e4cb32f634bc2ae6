//! Results on stdout: if they cannot be written, the program reports an error and fails.
use std::io::{self, ErrorKind, Write};

use super::{exit, say};

/// A writer that stores its first failure. A closed pipe is no failure, since its reader needs no more output.
pub(crate) struct Results<W> {
    out: W,
    failure: Option<io::Error>,
}

impl<W: Write> Results<W> {
    /// Wraps the output `out`.
    pub(crate) fn new(out: W) -> Self {
        Self { out, failure: None }
    }

    /// Flushes the output, and returns the exit code of a command that ended with `code`: a lost result is a failure of the
    /// environment, unless the command failed more severely.
    pub(crate) fn code(mut self, code: u8, err: &mut dyn Write) -> u8 {
        let flushed = self.out.flush();
        self.keep(flushed, ()).ok();
        let Some(error) = self.failure else {
            return code;
        };
        say(
            err,
            format_args!("error: the results cannot be written to standard output: {error}"),
        );
        match code {
            exit::FINE | exit::VERDICT | exit::INPUT => exit::ENVIRONMENT,
            code => code,
        }
    }

    fn keep<T>(&mut self, result: io::Result<T>, otherwise: T) -> io::Result<T> {
        match result {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(otherwise),
            Err(error) if error.kind() != ErrorKind::Interrupted => {
                let again = error.kind().into();
                self.failure.get_or_insert(error);
                Err(again)
            }
            result => result,
        }
    }
}

impl<W: Write> Write for Results<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes);
        self.keep(written, bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.out.flush();
        self.keep(flushed, ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device with one type of failure.
    struct Bad(ErrorKind);

    impl Write for Bad {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lost_results_are_a_failure_and_closed_pipes_are_none() {
        for (kind, before, after) in [
            (ErrorKind::StorageFull, exit::FINE, exit::ENVIRONMENT),
            (ErrorKind::StorageFull, exit::SIMULATION, exit::SIMULATION),
            (ErrorKind::BrokenPipe, exit::FINE, exit::FINE),
            (ErrorKind::BrokenPipe, exit::VERDICT, exit::VERDICT),
        ] {
            let mut results = Results::new(Bad(kind));
            say(&mut results, "a result");
            let mut err = Vec::new();
            assert_eq!(results.code(before, &mut err), after, "{kind}");
            assert_eq!(err.is_empty(), kind == ErrorKind::BrokenPipe);
        }
    }
}
