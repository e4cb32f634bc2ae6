//! Memory of robots and sensors: known by their settings before anything is allocated, and held against one budget.
use std::sync::Arc;

use bevy::prelude::*;

use crate::{
    component::Path,
    kind::{KindOf, Kinds},
    state::InPathOrder,
};

/// Greatest memory that all robots and sensors of a simulation may take together, B; 4 GiB unless somebody says otherwise.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryBudget(pub u64);

impl Default for MemoryBudget {
    fn default() -> Self {
        Self(4 << 30)
    }
}

/// Estimate of the memory that robots take, besides the measurements of their sensors, B.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RobotMemory(pub u64);

/// Memory that a sensor takes, B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Of one measurement. It is kept more than once: as local and as modified data, as a draft between the two, and by
    /// modifiers that hold it back.
    pub measurement: u64,
    /// Of what it works with besides.
    pub workspace: u64,
}

/// Copies of a measurement that are always kept: local data, modified data and a draft of these.
pub(crate) const COPIES: u64 = 3;

/// Sensors would take more memory than they may.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "it would take {} of memory{}, and the budget is {}", size(*.bytes), together(*.bytes, *.sum), size(.budget.0)
)]
pub struct OverBudget {
    /// Path of the sensor that takes most.
    pub path: Arc<str>,
    /// Memory that it would take, B.
    pub bytes: u64,
    /// Memory that all robots and sensors would take, B.
    pub sum: u64,
    /// The budget.
    pub budget: MemoryBudget,
}

impl OverBudget {
    /// Remedy: other settings, or a budget that would do, in whole GiB.
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

/// An amount of memory as people write it: `4 GiB`, `1.5 MiB`.
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

/// Holds the memory that all robots and sensors would take against the budget.
///
/// # Errors
///
/// It is more; the error names the sensor that takes most.
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
            path: world.get::<Path>(entity).cloned().unwrap_or_default().0,
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
