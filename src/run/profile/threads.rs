//! Processor time of the threads of middlewares, from Linux's `/proc`.
use std::{collections::BTreeMap, fs, path::Path};

/// Processor time by name of the thread, ns.
#[derive(Clone, Debug, Default)]
pub(super) struct Threads(BTreeMap<String, u64>);

impl Threads {
    /// Returns the time since an earlier measurement.
    pub(super) fn since(mut self, earlier: &Self) -> Self {
        for (name, nanos) in &mut self.0 {
            *nanos = nanos.saturating_sub(earlier.0.get(name).copied().unwrap_or(0));
        }
        self
    }

    /// Returns the time of the threads of a kind of middleware, whose names are `kind name`; `None` without data.
    pub(super) fn of(&self, kind: &str) -> Option<u64> {
        let is_own = |name: &str| {
            let rest = name.strip_prefix(kind);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };
        let own = self.0.iter().filter(|(name, _)| is_own(name));
        let nanos: Vec<u64> = own.map(|(_, nanos)| *nanos).collect();
        (!nanos.is_empty()).then(|| nanos.iter().sum())
    }
}

/// Reads the times of all threads of the process.
pub(super) fn cpu_nanos() -> Threads {
    let mut threads = Threads::default();
    let Ok(tasks) = fs::read_dir("/proc/self/task") else {
        return threads;
    };
    for task in tasks.flatten() {
        if let Some((name, nanos)) = look(&task.path()) {
            *threads.0.entry(name).or_default() += nanos;
        }
    }
    threads
}

fn look(task: &Path) -> Option<(String, u64)> {
    let name = fs::read_to_string(task.join("comm")).ok()?;
    let times = fs::read_to_string(task.join("schedstat")).ok()?;
    let on_processor = times.split_whitespace().next()?.parse().ok()?;
    Some((name.trim_end().to_owned(), on_processor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_belong_to_the_kind_that_begins_their_name() {
        let times = [("text log", 5), ("text", 2), ("textile x", 7), ("web a", 1)];
        let of = |times: &[(&str, u64)]| {
            Threads(
                times
                    .iter()
                    .map(|(name, nanos)| ((*name).to_owned(), *nanos))
                    .collect(),
            )
        };
        let threads = of(&times);
        assert_eq!(threads.of("text"), Some(7));
        assert_eq!(threads.of("socket"), None);
        assert_eq!(threads.since(&of(&[("text log", 4)])).of("text"), Some(3));
    }
}
