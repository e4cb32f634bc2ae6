//! Topological order of a forest: depth-first along the parents, in time proportional to the number of nodes.

/// Returns the indices `0..count` in an order in which parents come before their children. Nodes come in the order of
/// `starts`, each after those of its ancestors that were not there yet; nodes that `starts` lacks appear only as ancestors.
///
/// `parent` returns the index of a node's parent. A node on a cycle of parents counts as a root.
pub(crate) fn parents_first(
    count: usize,
    starts: impl Iterator<Item = usize>,
    parent: impl Fn(usize) -> Option<usize>,
) -> Vec<usize> {
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let mut pending = Vec::new();
    for start in starts {
        let mut next = Some(start);
        while let Some(index) = next {
            match seen.get_mut(index) {
                Some(seen) if !*seen => *seen = true,
                _ => break,
            }
            pending.push(index);
            next = parent(index);
        }
        order.extend(pending.drain(..).rev());
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_come_first_and_cycles_end() {
        // 4 carries 0 and 3, 3 carries 1, 5 carries nothing, 2 is carried by 1.
        let parents = [Some(4), Some(3), Some(1), Some(4), None, None];
        let parent = |index: usize| parents.get(index).copied().flatten();
        assert_eq!(parents_first(6, 0..6, parent), [4, 0, 3, 1, 2, 5]);
        assert_eq!(
            parents_first(6, [2, 0].into_iter(), parent),
            [4, 3, 1, 2, 0]
        );
        assert_eq!(parents_first(2, 0..2, |index| Some(1 - index)), [1, 0]);
    }
}
