//! Executors of a tick.
use bevy::prelude::{FixedUpdate, IntoScheduleConfigs as _, Schedules};

use super::{open, scenes, ticks};

#[test]
fn the_executor_of_a_tick_does_not_matter() {
    for scene in scenes() {
        let run = |has_condition: bool| {
            let mut simulation = open(&scene);
            if has_condition {
                // Bevy's own executor runs ticks with conditions.
                let mut schedules = simulation.world_mut().resource_mut::<Schedules>();
                schedules.add_systems(FixedUpdate, (|| {}).run_if(|| true));
            }
            simulation
                .run(ticks(&scene))
                .expect("no observer to be lost");
            simulation.state_hash()
        };
        assert_eq!(run(true), run(false), "{}", scene.display());
    }
}
