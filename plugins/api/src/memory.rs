//! Memory of robots and sensors, estimated from their settings before anything is allocated, and limited by one budget.
use std::sync::Arc;

use bevy::prelude::*;

use crate::{
    component::ComponentPath,
    kind::{KindOf, Kinds},
    state::InPathOrder,
};

/// Maximum memory of all robots and sensors of a simulation together, B; 4 GiB by default.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget(pub u64);

impl Default for MemoryBudget {
    fn default() -> Self {
        Self(4 << 30)
    }
}

/// Estimated memory of robots without the measurements of their sensors, B.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotMemory(pub u64);

/// Memory of a sensor, B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Size of one measurement. Several copies exist: local and modified data, a draft between the two, and measurements
    /// that modifiers delay.
    pub measurement: u64,
    /// Size of the sensor's workspace.
    pub workspace: u64,
}

/// Copies of a measurement that always exist: local data, modified data and a draft of these.
pub(crate) const COPIES: u64 = 3;

/// Robots and sensors would exceed the budget.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it would take {} of memory{}, and the budget is {}", size(*.bytes), together(*.bytes, *.sum), size(.budget.0)
)]
pub struct OverBudget {
    /// Path of the sensor with the largest memory.
    pub path: Arc<str>,
    /// Memory of that sensor, B.
    pub bytes: u64,
    /// Memory of all robots and sensors, B.
    pub sum: u64,
    /// The budget.
    pub budget: MemoryBudget,
}

impl OverBudget {
    /// Returns the remedy: other settings, or a sufficient budget in whole GiB.
    #[must_use]
    pub fn remedy(&self) -> String {
        let enough = self.sum.div_ceil(1 << 30);
        format!(
            "give it fewer rays, pixels, points or measurements that wait; or raise the budget by `--memory {enough}GiB`"
        )
    }
}

fn together(bytes: u64, sum: u64) -> String {
    let [bytes, sum] = [bytes, sum].map(size);
    if bytes == sum {
        String::new()
    } else {
        format!(" (all robots and sensors together {sum})")
    }
}

/// Returns an amount of memory as people write it: `4 GiB`, `1.5 MiB`.
#[must_use]
pub fn size(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let fitting = units.into_iter().find(|(power, _)| bytes >> power > 0);
    fitting.map_or_else(
        || format!("{bytes} B"),
        |(power, unit)| {
            let tenths = (bytes as f64 / (1_u64 << power) as f64 * 10.0).round() / 10.0;
            format!("{tenths} {unit}")
        },
    )
}

/// Checks the memory of all robots and sensors against the budget.
///
/// # Errors
///
/// The budget is exceeded; the error names the sensor with the largest memory.
pub fn check(world: &World) -> Result<(), OverBudget> {
    let budget = world
        .get_resource::<MemoryBudget>()
        .copied()
        .unwrap_or_default();
    let (Some(kinds), Some(order)) = (
        world.get_resource::<Kinds>(),
        world.get_resource::<InPathOrder>(),
    ) else {
        return Ok(());
    };
    let robots = world.get_resource::<RobotMemory>().copied();
    let (mut sum, mut most) = (robots.unwrap_or_default().0, None);
    for &entity in &order.0 {
        let kind = world.get::<KindOf>(entity);
        let Some(kind) = kind.and_then(|kind| kinds.sensors.get(kind.0)) else {
            continue;
        };
        let bytes = (kind.memory)(world, entity);
        sum = sum.saturating_add(bytes);
        if most.is_none_or(|(other, _)| bytes > other) {
            most = Some((bytes, entity));
        }
    }
    match most {
        Some((bytes, entity)) if sum > budget.0 => Err(OverBudget {
            path: world
                .get::<ComponentPath>(entity)
                .cloned()
                .unwrap_or_default()
                .0,
            bytes,
            sum,
            budget,
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_short() {
        for (bytes, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1_600_000, "1.5 MiB"),
            (4 << 30, "4 GiB"),
            (u64::MAX, "17179869184 GiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }

    #[test]
    fn what_is_too_much_is_worded() {
        let mut over = OverBudget {
            path: "rover.scan".into(),
            bytes: 5 << 30,
            sum: 5 << 30,
            budget: MemoryBudget::default(),
        };
        assert_eq!(
            over.to_string(),
            "it would take 5 GiB of memory, and the budget is 4 GiB"
        );
        over.sum += 1 << 29;
        assert!(
            over.to_string()
                .contains("(all robots and sensors together 5.5 GiB)")
        );
        assert!(over.remedy().contains("`--memory 6GiB`"));
    }
}
