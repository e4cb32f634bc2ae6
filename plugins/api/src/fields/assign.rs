//! Copies that do not allocate.
use std::collections::BTreeMap;

/// Makes one map equal to another, entry by entry. Nothing is allocated while the keys stay the same. For `clone_from` of
/// data with maps.
pub fn assign_map<V: Clone>(to: &mut BTreeMap<String, V>, from: &BTreeMap<String, V>) {
    if to.len() == from.len() && to.keys().eq(from.keys()) {
        for (to, from) in to.values_mut().zip(from.values()) {
            to.clone_from(from);
        }
    } else {
        to.clone_from(from);
    }
}
