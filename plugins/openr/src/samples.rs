//! Included objects: route and driver of a rover; trainer, legs and head of a dog, a follower of
//! balls, and small objects for single devices.
mod ball;
mod devices;
mod dog;
mod legs;
mod odometry;
mod servos;
mod walk;

use bevy::prelude::App;
use serde_json::{Value as Json, json};

use crate::prelude::*;

/// Registers the objects.
pub(crate) fn plugin(app: &mut App) {
    app.add_object("ROUTE.BIN", || {
        ObjectInstance::new(route(), Route::default())
    })
    .add_object("DRIVER.BIN", || {
        ObjectInstance::new(driver(), Driver::default()).with_priority(0x90)
    })
    .add_object("TRAINER.BIN", dog::trainer)
    .add_object("WALK.BIN", || walk::object().with_priority(0x90))
    .add_object("HEAD.BIN", dog::head)
    .add_object("STAND.BIN", dog::stand)
    .add_object("BALL.BIN", ball::object)
    .add_object("BLINK.BIN", devices::blink)
    .add_object("LOGGER.BIN", devices::logger)
    .add_object("GAINS.BIN", devices::gains);
}

/// Corners of the route, m.
const CORNERS: [[f64; 2]; 4] = [[4.0, 0.0], [4.0, 4.0], [-2.0, 4.0], [-2.0, 0.0]];

fn route() -> Interface {
    Interface::new("Route")
        .subject("Goal", "point")
        .observer("Arrived", "point")
}

/// Sends goals, one after the other: the next one when the driver has arrived.
#[derive(Default)]
struct Route {
    next: usize,
}

impl Route {
    fn send(&mut self, context: &mut Context<'_>) {
        let [x, y] = CORNERS[self.next % CORNERS.len()];
        self.next += 1;
        context.set_data(0, json!({ "x": x, "y": y }));
        context.notify_observers(0);
    }
}

impl Object for Route {
    fn do_start(&mut self, context: &mut Context<'_>, _: SystemEvent) -> Status {
        self.send(context);
        context.assert_ready_to_all()
    }

    fn notify(&mut self, context: &mut Context<'_>, _: &NotifyEvent) {
        self.send(context);
        context.assert_ready(0);
    }
}

/// Indices of the driver's subjects.
const MOTION: usize = 0;
const ARRIVED: usize = 1;
/// Index of the observer of the driver that receives goals; the other one receives poses.
const GOAL: usize = 1;

fn driver() -> Interface {
    Interface::new("Driver")
        .subject("Motion", "v_omega")
        .subject("Arrived", "point")
        .observer("Pose", "pose")
        .observer("Goal", "point")
}

/// Speed towards the goal, m/s, and distance at which it is reached, m.
const SPEED: f64 = 1.0;
const NEAR: f64 = 0.3;
/// Angular velocity per radian of heading error, 1/s, and its limit, rad/s.
const TURN: f64 = 2.0;
const FASTEST_TURN: f64 = 1.5;

/// Drives a rover towards its goal, and turns it towards the goal on the way.
#[derive(Default)]
struct Driver {
    goal: Option<[f64; 2]>,
}

impl Object for Driver {
    fn notify(&mut self, context: &mut Context<'_>, event: &NotifyEvent) {
        let newest = event.data.last().and_then(Region::json);
        if let Some(json) = newest {
            let number = |name: &str| json.get(name).and_then(Json::as_f64);
            if event.observer == GOAL {
                self.goal = number("x").zip(number("y")).map(|(x, y)| [x, y]);
            } else if let (Some(x), Some(y), Some(yaw)) = (number("x"), number("y"), number("yaw"))
            {
                self.drive(context, [x, y, yaw]);
            }
        }
        context.assert_ready(event.observer);
    }
}

impl Driver {
    fn drive(&mut self, context: &mut Context<'_>, [x, y, yaw]: [f64; 3]) {
        let Some([goal_x, goal_y]) = self.goal else {
            return;
        };
        let (ahead_x, ahead_y) = (goal_x - x, goal_y - y);
        if ahead_x * ahead_x + ahead_y * ahead_y < NEAR * NEAR {
            self.goal = None;
            context.set_data(ARRIVED, json!({ "x": x, "y": y }));
            context.notify_observers(ARRIVED);
            return;
        }
        let bearing = libm::atan2(ahead_y, ahead_x) - yaw;
        let turn = bearing - std::f64::consts::TAU * (bearing / std::f64::consts::TAU).round();
        let w = (TURN * turn).clamp(-FASTEST_TURN, FASTEST_TURN);
        // No forward motion while the goal is behind.
        let v = SPEED * (1.0 - turn.abs() / std::f64::consts::FRAC_PI_2).max(0.0);
        context.set_data(MOTION, json!({ "v": v, "w": w }));
        context.notify_observers(MOTION);
    }
}
