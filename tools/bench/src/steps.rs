//! Physics steps of a tick: the scene's own, or the fewest with which the check passes.
use super::{Failed, Setup, outcome::Outcome};

/// Physics steps of a tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    /// Number of steps.
    pub(super) substeps: u32,
    /// Iterations of the solver in each, which also move the bodies.
    pub(super) iterations: u32,
}

impl Steps {
    /// Those of a simulation file that does not specify any.
    const USUAL: Self = Self::new(2, 4);

    /// Those that are tried, fewer iterations first.
    const TRIED: [Self; 6] = [
        Self::new(1, 4),
        Self::new(1, 6),
        Self::USUAL,
        Self::new(2, 6),
        Self::new(4, 4),
        Self::new(8, 4),
    ];

    const fn new(substeps: u32, iterations: u32) -> Self {
        Self {
            substeps,
            iterations,
        }
    }

    /// Returns the fields of `environment` in a simulation file.
    pub(super) fn fields(self) -> String {
        let Self {
            substeps,
            iterations,
        } = self;
        format!("substeps: {substeps}, solver_iterations: {iterations}")
    }

    /// Returns the number of iterations per step, as text.
    pub(super) fn variant(self) -> String {
        format!("{} solver iterations a step", self.iterations)
    }
}

/// Measures a scene with the number of steps of the arguments.
pub(super) fn measure(
    setup: &Setup<'_>,
    run: impl Fn(Steps) -> Result<Outcome, Failed>,
) -> Result<Outcome, Failed> {
    if !setup.fewest {
        let substeps = setup.substeps.unwrap_or(Steps::USUAL.substeps);
        return run(Steps {
            substeps,
            ..Steps::USUAL
        });
    }
    let mut outcome = run(Steps::TRIED[0])?;
    for steps in &Steps::TRIED[1..] {
        if outcome.check.passed {
            break;
        }
        outcome = run(*steps)?;
    }
    Ok(outcome)
}

#[cfg(test)]
mod tests {
    use std::{cell::RefCell, path::Path};

    use morse_sim::simulation::no_extensions;

    use super::*;
    use crate::outcome::Check;

    /// The steps of the runs, of which those with at least this number of iterations pass.
    fn runs(fewest: bool, substeps: Option<u32>, passes: u32) -> Vec<(u32, u32)> {
        let setup = Setup {
            n: 1,
            seconds: 1.0,
            threads: 1,
            substeps,
            fewest,
            folder: Path::new(""),
            extensions: &no_extensions,
        };
        let seen = RefCell::new(Vec::new());
        let outcome = measure(&setup, |steps| {
            seen.borrow_mut().push((steps.substeps, steps.iterations));
            let check = Check::new(steps.substeps * steps.iterations >= passes);
            Ok(Outcome {
                check,
                ..Outcome::default()
            })
        });
        assert!(outcome.is_ok());
        seen.into_inner()
    }

    #[test]
    fn the_fewest_steps_that_pass_are_measured() {
        assert_eq!(runs(true, None, 1), [(1, 4)]);
        assert_eq!(runs(true, None, 7), [(1, 4), (1, 6), (2, 4)]);
        assert_eq!(runs(true, None, 1000).len(), Steps::TRIED.len());
        assert_eq!(runs(false, None, 1000), [(2, 4)]);
        assert_eq!(runs(false, Some(5), 1), [(5, 4)]);
    }
}
