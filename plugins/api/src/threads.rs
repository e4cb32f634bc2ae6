//! Thread pool of a simulation, for independent work on many components.
use std::sync::{Arc, Mutex, PoisonError};

use bevy::prelude::*;
use rayon::ThreadPool;

/// Maximum number of items that a thread takes at once.
const MAX_SHARE: usize = 8;

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
    ///
    /// The calling thread works, too: to wake others takes as long as to step dozens of robots.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Send + Sync) {
        let Some(pool) = self.pool().filter(|_| items.len() > 1) else {
            items.iter_mut().for_each(work);
            return;
        };
        let helpers = pool.current_num_threads().min(items.len()) - 1;
        let share = items.len().div_ceil(4 * (helpers + 1)).min(MAX_SHARE);
        let queue = Mutex::new(items.chunks_mut(share));
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        let process = || {
            while let Some(share) = next() {
                share.iter_mut().for_each(&work);
            }
        };
        pool.in_place_scope(|scope| {
            for _ in 0..helpers {
                scope.spawn(|_| process());
            }
            process();
        });
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
