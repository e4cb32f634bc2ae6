//! Models that are embedded in the program.
use crate::shipped::Shipped;

/// Lists files of the folder `assets`, sorted by name, with their content.
macro_rules! embedded {
    ($($path:literal)*) => {
        &[$(($path, include_bytes!(concat!("../../../assets/", $path)))),*]
    };
}

/// All files of the folder `assets`; a test detects a missing entry.
pub const SHIPPED: Shipped = Shipped(embedded! {
    "arms/gripper.robray"
    "arms/kuka_lwr.robray"
    "arms/pa10.robray"
    "arms/ptu.robray"
    "environments/apartment.robray"
    "environments/boxes.robray"
    "environments/boxes_of_morse.robray"
    "environments/empty.robray"
    "environments/indoors.robray"
    "environments/outdoors.robray"
    "environments/planks.png"
    "environments/ramp.obj"
    "environments/room.robray"
    "environments/sandbox.robray"
    "environments/terrain.obj"
    "environments/water.robray"
    "meshes/atrv_body.glb"
    "meshes/atrv_wheel.glb"
    "meshes/b21_body.glb"
    "meshes/ers210_ear.glb"
    "meshes/ers210_front_shank.glb"
    "meshes/ers210_head.glb"
    "meshes/ers210_hip.glb"
    "meshes/ers210_jaw.glb"
    "meshes/ers210_neck.glb"
    "meshes/ers210_rear_shank.glb"
    "meshes/ers210_tail.glb"
    "meshes/ers210_thigh.glb"
    "meshes/ers210_trunk.glb"
    "meshes/ers7_ear.glb"
    "meshes/ers7_front_shank.glb"
    "meshes/ers7_head.glb"
    "meshes/ers7_hip.glb"
    "meshes/ers7_jaw.glb"
    "meshes/ers7_neck.glb"
    "meshes/ers7_paw.glb"
    "meshes/ers7_rear_shank.glb"
    "meshes/ers7_tail.glb"
    "meshes/ers7_thigh.glb"
    "meshes/ers7_trunk.glb"
    "meshes/gripper_finger.glb"
    "meshes/gripper_palm.glb"
    "meshes/human_foot.glb"
    "meshes/human_forearm.glb"
    "meshes/human_hand.glb"
    "meshes/human_head.glb"
    "meshes/human_pelvis.glb"
    "meshes/human_shank.glb"
    "meshes/human_thigh.glb"
    "meshes/human_trunk.glb"
    "meshes/human_upper_arm.glb"
    "meshes/hummer_body.glb"
    "meshes/hummer_wheel.glb"
    "meshes/jido_body.glb"
    "meshes/kuka_1.glb"
    "meshes/kuka_2.glb"
    "meshes/kuka_3.glb"
    "meshes/kuka_4.glb"
    "meshes/kuka_5.glb"
    "meshes/kuka_6.glb"
    "meshes/kuka_7.glb"
    "meshes/kuka_base.glb"
    "meshes/morsy_body.glb"
    "meshes/pa10_0.glb"
    "meshes/pa10_1.glb"
    "meshes/pa10_2.glb"
    "meshes/pa10_3.glb"
    "meshes/pa10_4.glb"
    "meshes/pa10_5.glb"
    "meshes/pa10_base.glb"
    "meshes/patrolbot_body.glb"
    "meshes/patrolbot_wheel.glb"
    "meshes/pioneer_body.glb"
    "meshes/pioneer_wheel.glb"
    "meshes/pr2_base.glb"
    "meshes/pr2_elbow.glb"
    "meshes/pr2_finger.glb"
    "meshes/pr2_forearm.glb"
    "meshes/pr2_head.glb"
    "meshes/pr2_neck.glb"
    "meshes/pr2_palm.glb"
    "meshes/pr2_shoulder.glb"
    "meshes/pr2_shoulder_lift.glb"
    "meshes/pr2_torso.glb"
    "meshes/pr2_upper_arm.glb"
    "meshes/pr2_wrist.glb"
    "meshes/ptu_base.glb"
    "meshes/ptu_pan.glb"
    "meshes/ptu_tilt.glb"
    "meshes/quad2012_body.glb"
    "meshes/quadrotor_body.glb"
    "meshes/quadrotor_rotor.glb"
    "meshes/quadrotor_rotor_front.glb"
    "meshes/rmax_body.glb"
    "meshes/rmax_rotor.glb"
    "meshes/rmax_tail_rotor.glb"
    "meshes/segway_body.glb"
    "meshes/segway_wheel.glb"
    "meshes/submarine_body.glb"
    "objects/ball.robray"
    "objects/black_videotape.robray"
    "objects/blue_toy_trashbin.robray"
    "objects/bottle.robray"
    "objects/box_stand.robray"
    "objects/cardboard_box.robray"
    "objects/chessboard.robray"
    "objects/crate.robray"
    "objects/desk.robray"
    "objects/grey_videotape.robray"
    "objects/ikea_shelf.robray"
    "objects/pink_toy_trashbin.robray"
    "objects/rolling_chair.robray"
    "objects/small_table.robray"
    "objects/white_videotape.robray"
    "robots/atrv.robray"
    "robots/b21.robray"
    "robots/ers210.robray"
    "robots/ers7.robray"
    "robots/fake_robot.robray"
    "robots/human.robray"
    "robots/hummer.robray"
    "robots/jido.robray"
    "robots/morsy.robray"
    "robots/patrolbot.robray"
    "robots/pioneer3dx.robray"
    "robots/pr2.robray"
    "robots/quad2012.robray"
    "robots/quadrotor.robray"
    "robots/rmax.robray"
    "robots/segway_rmp400.robray"
    "robots/submarine.robray"
    "robots/victim.robray"
    "shapes/sphere.obj"
});

/// The embedded models.
#[derive(Clone, Copy, Debug)]
pub struct Embedded;

/// Returns the text of an embedded model.
#[must_use]
pub fn text(path: &str) -> Option<&'static str> {
    let content = SHIPPED.content(&Shipped::path(path))?;
    std::str::from_utf8(content).ok()
}

/// Returns the first line of the comment at the top of an embedded model.
#[must_use]
pub fn summary(path: &str) -> String {
    let text = text(path).unwrap_or_default();
    let line = text.lines().next().unwrap_or_default();
    let line = line.trim_start_matches(['/', '*', '#', ' ']);
    line.trim_end_matches(['*', '/', ' ']).to_owned()
}
