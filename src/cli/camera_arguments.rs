//! Arguments for the viewpoint of overview images.
use bevy::prelude::Entity;
use clap::Args as ClapArgs;
use morse_api::render::CameraView;
use morse_render::Margin;
use nalgebra::Point3;

use super::usage::UsageError;
use crate::simulation::Simulation;

/// Position of a camera, and the point that it looks at.
#[derive(Clone, Debug, Default, ClapArgs)]
pub struct CameraArguments {
    /// Position of the camera of overview images; by default one from which all robots are visible
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true, requires = "look")]
    pub eye: Option<Point3<f64>>,
    /// Point to look at
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true, requires = "eye")]
    pub look: Option<Point3<f64>>,
}

impl CameraArguments {
    /// Checks that the viewpoint is valid.
    ///
    /// # Errors
    ///
    /// Position and point to look at are equal.
    pub fn check(&self) -> Result<(), UsageError> {
        if self.eye.is_some() && self.eye == self.look {
            return Err("`--eye` and `--look` are the same point; look at another one".into());
        }
        Ok(())
    }

    /// Returns the camera: at the given position, or at one from which all robots, or the given robot or body, are visible.
    pub fn camera(
        &self,
        simulation: &mut Simulation,
        (width, height): (u32, u32),
        margin: Margin,
        only: Option<Entity>,
    ) -> CameraView {
        match (self.eye, self.look) {
            (Some(eye), Some(look)) => morse_render::look(eye, look, width, height),
            _ => morse_render::automatic(simulation.world_mut(), (width, height), margin, only),
        }
    }
}

/// Parses three numbers.
fn point(text: &str) -> Result<Point3<f64>, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    match numbers.as_deref() {
        Ok([x, y, z]) if [x, y, z].iter().all(|number| number.is_finite()) => {
            Ok(Point3::new(*x, *y, *z))
        }
        _ => Err("a point is three numbers with commas between, such as 3,-2,1.5".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points() {
        assert_eq!(point("1, -2.5,3"), Ok(Point3::new(1.0, -2.5, 3.0)));
        for bad in ["", "1,2", "1,2,3,4", "a,b,c", "1,2,inf"] {
            assert!(point(bad).is_err(), "{bad}");
        }
    }
}
