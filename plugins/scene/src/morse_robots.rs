//! Physical properties of the robots of MORSE's builder, for scripts that were tuned with them.

/// Physical properties of a robot of MORSE's builder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorseRobot {
    /// Class of builder scripts, such as `ATRV`.
    pub class: &'static str,
    /// Embedded model, such as `robots/atrv.robray`.
    pub model: &'static str,
    /// Mass of the base, kg.
    pub mass: f64,
    /// Height of the origin above the ground on which the robot rests, m. MORSE's motion assumes the mass there.
    pub height: f64,
    /// Height of the same point in the model, m.
    pub origin: f64,
    /// Coulomb friction coefficient.
    pub friction: f64,
    /// Fraction of the speed that is lost per second.
    pub linear_loss: f64,
    /// Fraction of the turning rate that is lost per second.
    pub angular_loss: f64,
}

impl MorseRobot {
    /// Returns the short name of the robot, such as `atrv`: the file name of its model without the extension.
    #[must_use]
    pub fn word(&self) -> &'static str {
        let file = self.model.rsplit('/').next().unwrap_or_default();
        file.strip_suffix(".robray").unwrap_or(file)
    }

    /// Returns the linear and angular damping, 1/s.
    #[must_use]
    pub fn dampings(&self) -> [f64; 2] {
        [self.linear_loss, self.angular_loss].map(|share| -libm::log1p(-share))
    }
}

/// Returns a robot with the usual values of the remaining fields.
const fn robot(class: &'static str, model: &'static str, mass: f64, height: f64) -> MorseRobot {
    MorseRobot {
        class,
        model,
        mass,
        height,
        origin: 0.0,
        friction: 0.5,
        linear_loss: 0.04,
        angular_loss: 0.1,
    }
}

/// The robots of MORSE that physics moves, sorted by class.
pub const ROBOTS: &[MorseRobot] = &[
    MorseRobot {
        linear_loss: 0.0254,
        angular_loss: 0.18,
        ..robot("ATRV", "robots/atrv.robray", 20.0, 0.1)
    },
    robot("B21", "robots/b21.robray", 6.0, 0.0),
    MorseRobot {
        linear_loss: 0.4,
        angular_loss: 0.0,
        ..robot("Hummer", "robots/hummer.robray", 10.0, 1.1313)
    },
    robot("Jido", "robots/jido.robray", 1.0, 0.0),
    MorseRobot {
        linear_loss: 0.493,
        angular_loss: 0.658,
        ..robot("Morsy", "robots/morsy.robray", 15.0, 0.0)
    },
    MorseRobot {
        origin: 0.17,
        ..robot("PatrolBot", "robots/patrolbot.robray", 1.0, 0.17)
    },
    MorseRobot {
        origin: 0.1,
        ..robot("Pioneer3DX", "robots/pioneer3dx.robray", 9.0, 0.1)
    },
    robot("Quadrotor", "robots/quadrotor.robray", 2.0, 0.161),
    robot("RMax", "robots/rmax.robray", 1.0, 0.0),
    MorseRobot {
        origin: 0.15,
        ..robot("SegwayRMP400", "robots/segway_rmp400.robray", 90.0, 0.15)
    },
    robot("Submarine", "robots/submarine.robray", 1.0, 0.6),
    MorseRobot {
        linear_loss: 0.0254,
        angular_loss: 0.159,
        ..robot("Victim", "robots/victim.robray", 1.0, 0.0)
    },
];
