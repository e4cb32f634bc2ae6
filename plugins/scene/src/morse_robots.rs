//! Robots as MORSE's builder has them: what scripts that were tuned on them count on.

/// Physics of a robot of MORSE's builder.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MorseRobot {
    /// Class of builder scripts, such as `ATRV`.
    pub class: &'static str,
    /// Model that the program carries, such as `robots/atrv.robray`.
    pub model: &'static str,
    /// Of the base, kg.
    pub mass: f64,
    /// Height of the origin above the ground on which it rests, m. In MORSE's motion its mass is there.
    pub height: f64,
    /// Height of that point in the model, m.
    pub origin: f64,
    /// Coulomb coefficient.
    pub friction: f64,
    /// Share of its speed that it loses in a second.
    pub linear_loss: f64,
    /// Share of its turning rate that it loses in a second.
    pub angular_loss: f64,
}

impl MorseRobot {
    /// Word by which it is described, such as `atrv`.
    #[must_use]
    pub fn word(&self) -> &'static str {
        let file = self.model.rsplit('/').next().unwrap_or_default();
        file.strip_suffix(".robray").unwrap_or(file)
    }

    /// The rates of its dampings, linear and angular, 1/s.
    #[must_use]
    pub fn dampings(&self) -> [f64; 2] {
        [self.linear_loss, self.angular_loss].map(|share| -libm::log1p(-share))
    }
}

/// A robot with what most of them have.
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
