//! Entities with a component, in path order.
use bevy::{ecs::system::SystemParam, prelude::*};
use morse_api::state::InPathOrder;

/// Entities with a component, in path order: few of all that have a path. They are kept from tick to tick.
#[derive(SystemParam)]
pub(super) struct InOrder<'w, 's, T: Component> {
    order: Option<Res<'w, InPathOrder>>,
    having: Query<'w, 's, (), With<T>>,
    added: Query<'w, 's, (), Added<T>>,
    known: Local<'s, Vec<Entity>>,
}

impl<T: Component> InOrder<'_, '_, T> {
    /// Returns the entities. Those that have lost the component since the order changed may be among them.
    pub(super) fn entities(&mut self) -> &[Entity] {
        self.entities_and_change().0
    }

    /// Returns the entities, and true if there may be others than at the last call.
    pub(super) fn entities_and_change(&mut self) -> (&[Entity], bool) {
        let Some(order) = &self.order else {
            return (&[], false);
        };
        let has_changed = order.is_changed() || !self.added.is_empty();
        if has_changed {
            self.known.clear();
            let all = order.0.iter().copied();
            self.known
                .extend(all.filter(|entity| self.having.contains(*entity)));
        }
        (&self.known, has_changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component)]
    struct Wing;

    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>);

    fn see(mut wings: InOrder<'_, '_, Wing>, mut seen: ResMut<'_, Seen>) {
        seen.0 = wings.entities().to_vec();
    }

    #[test]
    fn entities_follow_the_order_and_the_components() {
        let mut app = App::new();
        app.init_resource::<Seen>().add_systems(Update, see);
        let mut spawn = |has: bool| {
            let mut entity = app.world_mut().spawn_empty();
            if has {
                entity.insert(Wing);
            }
            entity.id()
        };
        let [one, other, bare] = [spawn(true), spawn(true), spawn(false)];
        let mut seen = |change: &dyn Fn(&mut World)| {
            change(app.world_mut());
            app.update();
            app.world().resource::<Seen>().0.clone()
        };
        assert_eq!(seen(&|_| ()), [], "no order yet");
        let order = InPathOrder(vec![other, bare, one]);
        let sorted = seen(&|world| world.insert_resource(InPathOrder(order.0.clone())));
        assert_eq!(sorted, [other, one]);
        assert_eq!(seen(&|_| ()), [other, one], "kept");
        let more = seen(&|world| {
            world.entity_mut(bare).insert(Wing);
        });
        assert_eq!(more, [other, bare, one]);
        let turned = seen(&|world| world.resource_mut::<InPathOrder>().0.reverse());
        assert_eq!(turned, [one, bare, other]);
    }
}
