//! Handlers that call other services, at once or later.
#![cfg(test)]
use bevy::prelude::*;
use morse_api::service::{
    AddService as _, NoArguments, Outcome, Reply, Service, Status, call, pass_on,
};
use morse_sim::{
    Simulation,
    actuator::{
        v_omega::{VOmega, VOmegaCommand},
        waypoint::Waypoint,
    },
};
use serde_json::json;

use super::{answer, ask, rover_with};

const WAY: &str = r#"
    sensors: { "pose": (kind: "pose") },
    actuators: {
        "motion": (kind: "v_omega", active: false),
        "way": (kind: "waypoint", obstacle_avoidance: false),
    },
"#;

/// Services of a user: `tour` goes to a position by the waypoint actuator and returns it, `halt` stops it and itself, `ring`
/// and `rong` call each other.
fn plugins(app: &mut App) {
    fn said(_: &World, _: Entity, reply: Reply) -> Reply {
        Reply {
            value: json!({ "tour": reply.value }),
            ..reply
        }
    }
    let tour = |world: &mut World, _: Entity, _: NoArguments| {
        pass_on(world, "rover.way", "goto", &json!([2.0, 0.0, 0.0]))
    };
    let halt = |world: &mut World, entity: Entity, _: NoArguments| {
        let there = call(world, "rover.pose", "get_local_data", &json!(null));
        let x = there
            .reply()
            .map_or(json!(null), |reply| reply.value["x"].clone());
        drop(call(world, "rover.way", "stop", &json!([])));
        assert!(world.get::<VOmegaCommand>(entity).is_some());
        Ok(Outcome::Done(x))
    };
    app.add_service::<VOmega>(Service::new("tour", "Goes.", tour).passed_on(Some(said)))
        .add_service::<VOmega>(Service::new("halt", "Stops.", halt))
        .add_service::<VOmega>(Service::new(
            "ring",
            "Rings.",
            |world, _, _: NoArguments| pass_on(world, "rover.motion", "rong", &json!(null)),
        ))
        .add_service::<VOmega>(Service::new(
            "rong",
            "Rings.",
            |world, _, _: NoArguments| pass_on(world, "rover.motion", "ring", &json!(null)),
        ))
        // On the component itself, in place of its own service.
        .add_service::<Waypoint>(
            Service::new(
                "home",
                "Goes home.",
                |world: &mut World, _, _: NoArguments| {
                    pass_on(world, "rover.way", "goto", &json!([0.0, 0.0, 0.0]))
                },
            )
            .passed_on(Some(said)),
        );
}

fn simulation() -> Simulation {
    rover_with(WAY, "", &plugins)
}

#[test]
fn a_handler_may_call_others_and_use_what_they_say() {
    let mut simulation = simulation();
    simulation.step().unwrap();
    let x = answer(&mut simulation, "rover.motion", "halt", json!([]));
    assert!(x.as_f64().unwrap().abs() < 0.1, "{x}");
    let status = answer(&mut simulation, "rover.way", "get_status", json!([]));
    assert_eq!(status, "Stop");
}

#[test]
fn an_answer_that_comes_later_is_passed_on_and_may_be_changed() {
    let mut simulation = simulation();
    let call = simulation.call("rover.motion", "tour", &json!([]));
    simulation.run(30).unwrap();
    assert_eq!(call.reply(), None, "it is on the way");
    simulation.run(300).unwrap();
    let reply = call.reply().unwrap();
    assert_eq!(reply.status, Status::Success);
    assert_eq!(reply.value, json!({ "tour": "Arrived" }));
    assert!((simulation.body("rover").unwrap().pose.translation.x - 2.0).abs() < 0.6);
}

#[test]
fn who_interrupts_the_one_below_interrupts_the_one_above() {
    let mut simulation = simulation();
    let above = simulation.call("rover.motion", "tour", &json!([]));
    simulation.step().unwrap();
    let below = simulation.call("rover.way", "goto", &json!([5.0, 5.0, 0.0]));
    assert_eq!(above.reply().unwrap().status, Status::Preempted);
    simulation.step().unwrap();
    assert_eq!(below.reply(), None);
    // In the opposite direction: a new tour ends the other's journey.
    let again = simulation.call("rover.motion", "tour", &json!([]));
    assert_eq!(below.reply().unwrap().status, Status::Preempted);
    // Cancelled at the upper level, it ends at the lower level.
    simulation.cancel(&again);
    assert_eq!(again.reply().unwrap().status, Status::Preempted);
    let status = answer(&mut simulation, "rover.way", "get_status", json!([]));
    assert_eq!(status, "Stop", "the waypoint's own interruption ran");
}

#[test]
fn a_component_may_pass_on_to_itself() {
    let mut simulation = simulation();
    let home = simulation.call("rover.way", "home", &json!([]));
    simulation.run(2).unwrap();
    let reply = home.reply().unwrap();
    assert_eq!(
        reply.value,
        json!({ "tour": "Arrived" }),
        "it is at home already"
    );
}

#[test]
fn services_that_call_each_other_in_a_circle_are_told_so() {
    let mut simulation = simulation();
    let reply = ask(&mut simulation, "rover.motion", "ring", json!([]));
    assert_eq!(reply.status, Status::Failed);
    assert!(reply.value.to_string().contains("cycle"), "{}", reply.value);
    // No state is left over: a call of the same depth works again.
    answer(&mut simulation, "rover.motion", "halt", json!([]));
}

#[test]
fn what_waits_for_another_is_restored_with_it() {
    let mut simulation = simulation();
    simulation.hash_every_tick();
    drop(simulation.call("rover.motion", "tour", &json!([])));
    simulation.run(20).unwrap();
    let saved = simulation.snapshot().unwrap();
    let end = |simulation: &mut Simulation| {
        simulation.run(400).unwrap();
        simulation.state_hash()
    };
    let straight = end(&mut simulation);
    simulation.restore(&saved).unwrap();
    assert_eq!(end(&mut simulation), straight);
}
