//! Values that programs offer to middlewares.
use std::{
    any::{Any, TypeId},
    collections::BTreeMap,
    sync::Arc,
};

use bevy::prelude::Resource;

/// Values that a program offers to its middlewares when it adds its components, by type; for example controllers that a
/// middleware runs.
#[derive(Resource, Clone, Default)]
pub struct Offers(BTreeMap<TypeId, Arc<dyn Any + Send + Sync>>);

impl Offers {
    /// Returns the value of a type, if there is one.
    #[must_use]
    pub fn get<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.0.get(&TypeId::of::<T>())?.downcast_ref()
    }

    /// Changes the value of a type, starting from its default.
    pub fn change<T: Any + Send + Sync + Clone + Default>(&mut self, change: impl FnOnce(&mut T)) {
        let mut thing = self.get::<T>().cloned().unwrap_or_default();
        change(&mut thing);
        self.0.insert(TypeId::of::<T>(), Arc::new(thing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_looked_up_by_their_types_and_copies_do_not_change() {
        let mut offers = Offers::default();
        offers.change(|numbers: &mut Vec<u8>| numbers.push(1));
        let before = offers.clone();
        offers.change(|numbers: &mut Vec<u8>| numbers.push(2));
        assert_eq!(offers.get::<Vec<u8>>(), Some(&vec![1, 2]));
        assert_eq!(before.get::<Vec<u8>>(), Some(&vec![1]));
        assert!(offers.get::<String>().is_none());
    }
}
