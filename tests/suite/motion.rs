//! Motion of robots: whole simulations, read from text, against results computed by hand.

mod as_in_morse;
mod driving;
mod far;
mod fluids;
mod ground;
mod limits;
mod lost_bodies;
mod out_of_range;
mod posed;
mod rates;
mod rest;
mod scrub;
mod shipped_robots;
mod vehicles;
mod wheels;

use morse_api::body::BodyState;
use morse_sim::{Simulation, simulation::no_extensions};
use nalgebra::Vector3;

/// Gravity, m/s².
const G: f64 = 9.81;

/// A box of 20 kg.
const SLED: &str = "
frame base {
  frame hull { translation [0, 0, 0.15]; mass 20; center_of_mass [0, 0, -0.05]; inertia [0.5, 0.8, 1, 0, 0, 0];
    geometry { shape box; dimension [0.8, 0.6, 0.3]; } }
}
";

/// Two driven wheels of 0.1 m, 0.4 m apart, and a ball that slides behind them.
const DUO: &str = "
frame base {
  frame hull { translation [-0.03, 0, 0.12]; mass 8; geometry { shape box; dimension [0.4, 0.3, 0.1]; } }
  frame ball { translation [-0.15, 0, 0.035]; mass 0.1; geometry { shape sphere; radius 0.035; friction 0; } }
  frame wheel_left {
    translation [0, 0.2, 0.1]; type revolute; axis [0, 1, 0];
    frame tyre_left { rpy [-pi/2, 0, 0]; translation [0, -0.02, 0]; mass 0.5;
      geometry { shape cylinder; radius 0.1; height 0.04; friction 1; } }
  }
  frame wheel_right {
    translation [0, -0.2, 0.1]; type revolute; axis [0, 1, 0];
    frame tyre_right { rpy [-pi/2, 0, 0]; translation [0, -0.02, 0]; mass 0.5;
      geometry { shape cylinder; radius 0.1; height 0.04; friction 1; } }
  }
}
";

/// A robot on a plane.
struct Test {
    simulation: Simulation,
    /// Slope of the plane about y, rad: it rises along x.
    slope: f64,
}

/// Components of a test; by default a robot of model [`SLED`].
struct Arena<'a> {
    environment: &'a str,
    model: &'a str,
    /// Fields of the robot in addition to its model and pose.
    robot: &'a str,
    slope: f64,
    /// Length of the plane along x, m.
    length: f64,
}

impl Default for Arena<'_> {
    fn default() -> Self {
        Self {
            environment: "",
            model: SLED,
            robot: "",
            slope: 0.0,
            length: 200.0,
        }
    }
}

impl Arena<'_> {
    fn build(&self) -> Test {
        let room = tempfile::tempdir().expect("a directory");
        let (slope, length) = (self.slope, self.length);
        let plane = format!(
            "frame plane {{ rpy [0, {}, 0]; frame slab {{ translation [0, 0, -0.5]; \
             geometry {{ shape box; dimension [{length}, 100, 1]; }} }} }}",
            -slope
        );
        std::fs::write(room.path().join("plane.robray"), plane).expect("written");
        std::fs::write(room.path().join("rover.robray"), self.model).expect("written");
        let text = format!(
            "Simulation(scene: \"plane.robray\", environment: ({}), robots: {{ \"rover\": (\
             model: \"rover.robray\", at: (rpy: (0, {}, 0)), {}) }})",
            self.environment, -slope, self.robot
        );
        let simulation = Simulation::parse(&text, room.path(), &no_extensions);
        Test {
            simulation: simulation.unwrap_or_else(|error| panic!("{error}\n{text}")),
            slope,
        }
    }
}

/// Returns an actuator called `motion` with an initial command.
fn actuator(kind: &str, start: &str) -> String {
    format!("actuators: {{ \"motion\": (kind: \"{kind}\", start: ({start})) }},")
}

impl Test {
    fn run(&mut self, seconds: f64) {
        let ticks = (seconds * self.simulation.clock().rate).round() as u64;
        self.simulation.run(ticks).expect("nobody is in lockstep");
    }

    fn body(&self) -> BodyState {
        *self.simulation.body("rover").expect("there is one")
    }

    fn yaw(&self) -> f64 {
        let ahead = self.body().pose.rotation * Vector3::x();
        libm::atan2(ahead.y, ahead.x)
    }

    /// Returns the position of the robot up the slope, to the left, and above the plane, m.
    fn position_on_slope(&self) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(self.slope);
        let at = self.body().pose.translation.vector;
        Vector3::new(at.x * cos + at.z * sin, at.y, at.z * cos - at.x * sin)
    }

    fn send(&mut self, service: &str, arguments: &serde_json::Value) {
        let call = self.simulation.call("rover.motion", service, arguments);
        let reply = call.reply().expect("a sync service");
        assert_eq!(
            reply.status,
            morse_api::service::Status::Success,
            "{reply:?}"
        );
    }
}
