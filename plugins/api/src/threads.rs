//! Thread pool of a simulation, for independent work on many components.
use std::sync::Arc;

use bevy::prelude::*;
use rayon::{ThreadPool, prelude::*};

/// Thread pool of a simulation, if it has more than one thread. Results are equal with any number of threads.
#[derive(Resource, Clone, Default)]
pub struct Threads(Option<Arc<ThreadPool>>);

impl Threads {
    /// Returns a pool of this size. If the threads cannot be started, one thread does all the work.
    #[must_use]
    pub fn new(count: usize) -> Self {
        let builder = rayon::ThreadPoolBuilder::new()
            .num_threads(count)
            .thread_name(|index| format!("threads-{index}"));
        Self(
            (count > 1)
                .then(|| builder.build().ok().map(Arc::new))
                .flatten(),
        )
    }

    /// Returns the pool; `None` for a single thread.
    #[must_use]
    pub fn pool(&self) -> Option<&ThreadPool> {
        self.0.as_deref()
    }

    /// Returns the number of threads, at least 1.
    #[must_use]
    pub fn count(&self) -> usize {
        self.pool().map_or(1, ThreadPool::current_num_threads)
    }

    /// Processes each item, in any order and on any thread: the work on one item must not depend on the others.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        match self.pool().filter(|_| items.len() > 1) {
            Some(pool) => pool.install(|| items.par_iter_mut().with_max_len(8).for_each(work)),
            None => items.iter_mut().for_each(work),
        }
    }
}

/// Returns an empty list of borrows in the memory of a used one, so that no tick allocates.
#[must_use]
pub fn reuse<Used, New>(mut list: Vec<Used>) -> Vec<New> {
    list.clear();
    list.into_iter().filter_map(|_| None).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once() {
        for count in [1, 3] {
            let threads = Threads::new(count);
            assert_eq!(threads.pool().is_some(), count > 1);
            assert_eq!(threads.count(), count);
            let mut items: Vec<u32> = (0..1000).collect();
            threads.each(&mut items, |item| *item += 1);
            assert!(items.into_iter().eq(1..1001));
        }
    }

    #[test]
    fn a_list_keeps_its_memory() {
        let mut list: Vec<&u32> = Vec::with_capacity(100);
        list.push(&1);
        let address = list.as_ptr().cast::<u8>();
        let list: Vec<&u32> = reuse(list);
        assert!(list.is_empty() && list.capacity() == 100);
        assert_eq!(list.as_ptr().cast::<u8>(), address);
    }
}
