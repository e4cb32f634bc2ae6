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
    "meshes/sphere.obj"
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
