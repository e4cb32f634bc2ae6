//! Data under one modifier, without a whole simulation.
use morse_api::{
    modifier::{ModifierOutcome, Side, Site},
    prelude::*,
    sensor::LocalData,
};

use crate::world::SEED;

/// Data under one modifier, measured ten times a second.
pub struct TestModifier<D> {
    bound: Box<dyn Modify>,
    state: ModifierState,
    clock: Clock,
    data: std::marker::PhantomData<D>,
}

impl<D: LocalData> TestModifier<D> {
    /// Binds a modifier to a sensor's data in a world, at a level.
    ///
    /// # Panics
    ///
    /// The modifier does not fit the data.
    #[must_use]
    pub fn new(modifier: &impl Modifier, level: Option<&str>, world: World) -> Self {
        Self::with_seed(SEED, modifier, level, world)
    }

    /// Binds a modifier with a seed.
    ///
    /// # Panics
    ///
    /// The modifier does not fit the data.
    #[must_use]
    pub fn with_seed(
        seed: u64,
        modifier: &impl Modifier,
        level: Option<&str>,
        world: World,
    ) -> Self {
        Self::on(Side::Measurement, seed, modifier, level, world)
    }

    /// Binds a modifier to commands.
    ///
    /// # Panics
    ///
    /// The modifier does not fit the command.
    #[must_use]
    pub fn command(modifier: &impl Modifier, world: World) -> Self {
        Self::on(Side::Command, SEED, modifier, None, world)
    }

    fn on(
        side: Side,
        seed: u64,
        modifier: &impl Modifier,
        level: Option<&str>,
        world: World,
    ) -> Self {
        let site = Site {
            world: &world,
            side,
            path: "rover.sensor",
        };
        let bound = modifier
            .bind(&Fields::of_type::<D>(level), &site)
            .expect("a modifier that fits");
        Self {
            bound,
            state: ModifierState::new(Random::new(seed, "rover.sensor", "noise")),
            clock: Clock::new(10.0),
            data: std::marker::PhantomData,
        }
    }

    /// Returns the next measurement of the true data.
    pub fn measure(&mut self, truth: D) -> D {
        let mut data = truth;
        self.clock.tick += 1;
        self.state.outcome = ModifierOutcome::Passed;
        self.bound.modify(&mut data, &mut self.state, &self.clock);
        data
    }

    /// Returns the modifier's state.
    #[must_use]
    pub fn state(&self) -> &ModifierState {
        &self.state
    }

    /// Returns the next measurement, if it is exported.
    pub fn export(&mut self, truth: D) -> Option<D> {
        let data = self.measure(truth);
        (self.state.outcome == ModifierOutcome::Passed).then_some(data)
    }
}
