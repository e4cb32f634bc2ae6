//! Arms, grippers and legs in contact, against results computed by hand.
use bevy::ecs::system::RunSystemOnce as _;
use morse_sim::{
    Simulation,
    actuator::joints::{Joints, JointsCommand},
    physics::Contacts,
    simulation::no_extensions,
};
use nalgebra::Vector3;

/// Gravity, m/s².
pub(super) const G: f64 = 9.81;

/// A simulation of a scene, with a rate of 240 Hz.
pub(super) struct Test(pub(super) Simulation);

impl Test {
    pub(super) fn new(scene: &str, settings: &str) -> Self {
        Self::parse(scene, settings).unwrap_or_else(|error| panic!("{error}\n{scene}"))
    }

    /// Returns a simulation as [`new`](Self::new) does, with another rate, Hz.
    pub(super) fn at(rate: u32, scene: &str, settings: &str) -> Self {
        Self::parse_at(rate, scene, settings).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(super) fn parse(scene: &str, settings: &str) -> Result<Self, String> {
        Self::parse_at(240, scene, settings)
    }

    fn parse_at(rate: u32, scene: &str, settings: &str) -> Result<Self, String> {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("scene.robray"), scene).expect("a file");
        let text =
            format!("Simulation(scene: \"scene.robray\", environment: (rate: {rate}), {settings})");
        let simulation = Simulation::parse(&text, folder.path(), &no_extensions);
        simulation.map(Self).map_err(|error| error.to_string())
    }

    pub(super) fn run(&mut self, seconds: f64) {
        let ticks = seconds * self.0.clock().rate;
        self.0.run(ticks.round() as u64).expect("ticks");
    }

    pub(super) fn order(&self, names: &[&str], positions: &[f64]) {
        let names = names.iter().map(ToString::to_string).collect();
        let order = JointsCommand {
            names,
            positions: positions.to_vec(),
            ..JointsCommand::default()
        };
        self.0
            .command::<Joints>("robot.joints", order)
            .expect("joints");
    }

    pub(super) fn exert(&self, names: &[&str], efforts: &[f64]) {
        let names = names.iter().map(ToString::to_string).collect();
        let order = JointsCommand {
            names,
            efforts: efforts.to_vec(),
            ..JointsCommand::default()
        };
        self.0
            .command::<Joints>("robot.joints", order)
            .expect("joints");
    }

    pub(super) fn position(&self, name: &str) -> Vector3<f64> {
        self.0.body(name).expect("a body").pose.translation.vector
    }

    pub(super) fn joint(&self, name: &str) -> morse_api::joint::JointState {
        let entity = self.0.scene().variables[name];
        *self.0.world().get(entity).expect("a joint")
    }

    /// Returns the sum of the contact forces on a body, without friction, N.
    fn force_on(&mut self, name: &str) -> Vector3<f64> {
        let entity = self.0.scene().bodies[name];
        let contacts = move |contacts: Contacts| contacts.force_on(entity);
        let world = self.0.world_mut();
        world.run_system_once(contacts).expect("the system runs")
    }

    /// Returns the maximum penetration of all contacts, m.
    pub(super) fn deepest(&mut self) -> f64 {
        let deepest = |contacts: Contacts| contacts.deepest();
        let world = self.0.world_mut();
        world.run_system_once(deepest).expect("the system runs")
    }

    /// Returns the energy of cubes with this side (m), J: translational, rotational and potential.
    pub(super) fn energy(&self, names: &[String], side: f64) -> f64 {
        let bodies = names.iter().filter_map(|name| self.0.body(name));
        bodies
            .map(|body| {
                let speed = body.linear_velocity.norm_squared();
                let spin = body.angular_velocity.norm_squared();
                let height = body.center_of_mass.z;
                body.mass * ((speed + spin * side * side / 6.0) / 2.0 + G * height)
            })
            .sum()
    }
}

pub(super) const FLOOR: &str = "frame floor { translation [0, 0, -0.5]; geometry { shape box; dimension [20, 20, 1]; friction 0.8; } }";

pub(super) const JOINTS: &str = r#"actuators: { "joints": (kind: "joints") }"#;

#[test]
fn an_arm_sags_as_its_stiffness_says() {
    // 2 kg at 0.5 m: kp·sag = m·g·r·cos q.
    let scene = "frame arm { frame link { type revolute; axis [0, -1, 0]; variable bend;
        mass 2; center_of_mass [0.5, 0, 0]; inertia [0.01, 0.01, 0.01, 0, 0, 0]; } }";
    let settings = format!(
        r#"robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS},
            joints: {{ "bend": (stiffness: 300, damping: 30) }}) }}"#
    );
    let mut test = Test::new(scene, &settings);
    test.order(&["bend"], &[0.4]);
    test.run(5.0);
    let bend = test.joint("bend");
    let load = 2.0 * G * 0.5 * libm::cos(bend.position);
    assert!((300.0 * (0.4 - bend.position) - load).abs() < 1e-3 * load);
    assert!((bend.effort - load).abs() < 1e-3 * load, "{bend:?}");
}

#[test]
fn an_arm_presses_on_a_table_with_what_it_is_told() {
    // Two links of 1 kg, 0.5 m each, in the x-z plane: efforts Jᵀf plus gravity efforts, for 20 N down at the tip.
    let scene = format!(
        "{FLOOR} frame arm {{ translation [0, 0, 0.6];
        frame upper {{ type revolute; axis [0, 1, 0]; variable upper; mass 1; center_of_mass [0.25, 0, 0];
          inertia [0.001, 0.02, 0.02, 0, 0, 0];
          frame lower {{ translation [0.5, 0, 0]; type revolute; axis [0, 1, 0]; variable lower; mass 1;
            center_of_mass [0.25, 0, 0]; inertia [0.001, 0.02, 0.02, 0, 0, 0];
            frame tip {{ translation [0.5, 0, 0]; mass 0.05; geometry {{ shape sphere; radius 0.03; friction 1; }} }} }} }} }}"
    );
    let settings = format!(
        r#"robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS},
            joints: {{ "upper": (position: 0.2), "lower": (position: 1.1) }}) }}"#
    );
    let mut test = Test::new(&scene, &settings);
    test.order(&["upper", "lower"], &[0.2, 1.1]);
    test.run(0.5);
    for _ in 0..(4 * 240) {
        let mut arm = test.0.mechanism("robot").expect("an arm");
        let tip = nalgebra::Point3::new(0.5, 0.0, -0.0);
        let jacobian = arm.jacobian("lower", &tip).expect("a link");
        let pressed = jacobian.row(2) * -20.0;
        // A little damping, so that it comes to rest.
        let speeds = arm.velocities().to_vec();
        let held = arm.gravity();
        let efforts: Vec<f64> = (0..2)
            .map(|index| held[index] + pressed[index] - 2.0 * speeds[index])
            .collect();
        test.exert(&["upper", "lower"], &efforts);
        test.run(1.0 / 240.0);
    }
    let force = test.force_on("lower").z;
    // The tip is a ball: its contact force acts a little beside its middle, with friction.
    assert!((force - 20.0).abs() < 0.02 * 20.0, "{force} N");
}

#[test]
fn a_box_that_falls_on_a_held_arm_stays_there() {
    let scene = format!(
        "{FLOOR} frame crate {{ translation [0.5, 0, 1.6]; mass 1;
            geometry {{ shape box; dimension [0.2, 0.2, 0.2]; friction 0.6; }} }}
        frame arm {{ translation [0, 0, 0.5];
          frame beam {{ type revolute; axis [0, -1, 0]; variable bend;
            frame bar {{ translation [0.35, 0, 0]; mass 3; geometry {{ shape box; dimension [0.7, 0.3, 0.06]; friction 0.6; }} }} }} }}"
    );
    let settings = format!(
        r#"bodies: {{ "crate": (kind: dynamic) }}, robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS}) }}"#
    );
    let mut test = Test::new(&scene, &settings);
    let names = ["crate".to_owned()];
    test.order(&["bend"], &[0.0]);
    let (mut deepest, mut gained): (f64, f64) = (0.0, 0.0);
    let mut energy = test.energy(&names, 0.2);
    for _ in 0..(3 * 240) {
        test.run(1.0 / 240.0);
        let now = test.energy(&names, 0.2);
        gained = gained.max(now - energy);
        energy = now;
        deepest = deepest.max(test.deepest());
    }
    println!("{deepest} m deep, {gained} J gained in a tick");
    assert!(deepest < 3e-3, "{deepest} m deep");
    assert!(gained < 2e-3, "{gained} J out of nothing");
    let rest = test.position("crate").z;
    assert!((rest - 0.63).abs() < 1e-3, "it rests at {rest}");
    let effort = test.joint("bend").effort;
    let wanted = G * (3.0 * 0.35 + 1.0 * test.position("crate").x);
    assert!(
        (effort - wanted).abs() < 0.01 * wanted,
        "{effort}, not {wanted}"
    );
}

/// At 5 m/s and 60 Hz a box moves 42 mm in a physics step.
#[test]
fn what_falls_fast_stops_at_the_surface() {
    for (rate, height) in [(60, 1.9), (60, 3.0), (240, 1.9)] {
        let scene = format!(
            "{FLOOR} frame crate {{ translation [0.5, 0, {height}]; mass 1;
                geometry {{ shape box; dimension [0.2, 0.2, 0.2]; friction 0.6; }} }}
            frame arm {{ translation [0, 0, 0.5];
              frame beam {{ type revolute; axis [0, -1, 0]; variable bend;
                frame bar {{ translation [0.35, 0, 0]; mass 3; geometry {{ shape box; dimension [0.7, 0.3, 0.06]; friction 0.6; }} }} }} }}"
        );
        let settings = format!(
            r#"bodies: {{ "crate": (kind: dynamic) }}, robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS}) }}"#
        );
        let mut test = Test::at(rate, &scene, &settings);
        test.order(&["bend"], &[0.0]);
        let mut deepest: f64 = 0.0;
        for _ in 0..2 * rate {
            test.run(1.0 / f64::from(rate));
            // The bar's upper side is at 0.53 m, and the box extends 0.1 m below its centre.
            deepest = deepest.max(0.63 - test.position("crate").z);
        }
        let rest = test.position("crate").z;
        println!("{rate} Hz, from {height} m: {deepest} m deep, rests at {rest}");
        assert!(
            deepest < 3e-3,
            "{rate} Hz, from {height} m: {deepest} m deep"
        );
        assert!((rest - 0.63).abs() < 1e-3, "it rests at {rest}");
    }
}

/// A bar of 1 m that falls from level about its end: the speed of its tip is 5.4 m/s at the bottom, 45 mm per physics step.
#[test]
fn a_fast_arm_stops_at_the_surface_of_what_it_hits() {
    let bar = "frame arm { translation [0, 0, 1.2];
        frame beam { type revolute; axis [0, 1, 0]; variable swing;
          frame bar { translation [0.5, 0, 0]; mass 3; geometry { shape box; dimension [1, 0.1, 0.06]; friction 0.6; } } } }";
    for distance in [0.05, 0.06, 0.07] {
        for (kind, [x, z], size) in [
            ("fixed", [-0.5, 0.4], [1.0, 0.8]),
            ("dynamic", [-0.1, 0.3], [0.2, 0.6]),
        ] {
            let scene = format!(
                "{FLOOR} {bar} frame block {{ translation [{}, 0, {z}]; mass 5;
                    geometry {{ shape box; dimension [{}, 0.6, {}]; friction 0.6; }} }}",
                x - distance,
                size[0],
                size[1]
            );
            let settings = format!(
                r#"bodies: {{ "block": (kind: {kind}) }}, robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS}) }}"#
            );
            let mut test = Test::at(60, &scene, &settings);
            let mut deepest: f64 = 0.0;
            for _ in 0..60 {
                test.run(1.0 / 60.0);
                let block = test.0.body("block").expect("a block").pose;
                let bar = test.0.body("beam").expect("a bar").pose;
                for side in [0.03, -0.03] {
                    let corner = bar * nalgebra::Point3::new(1.0, 0.0, side);
                    let corner = block.inverse_transform_point(&corner);
                    if corner.z < size[1] / 2.0 {
                        deepest = deepest.max(size[0] / 2.0 - corner.x);
                    }
                }
            }
            assert!(deepest > 0.0, "{kind}, {distance} m: it does not get there");
            assert!(deepest < 1e-3, "{kind}, {distance} m: {deepest} m deep");
            println!("{kind}, {distance} m: {deepest} m deep");
            assert!(
                test.joint("swing").position < 1.8,
                "{:?}",
                test.joint("swing")
            );
        }
    }
}

/// 1 000 kg on 1 kg: on a free body, and on a link.
#[test]
fn what_is_heavy_does_not_sink_into_what_is_light() {
    let light = "translation [0, 0, 0.1]; mass 1; geometry { shape box; dimension [0.2, 0.2, 0.2]; friction 0.6; }";
    let free = format!("frame light {{ {light} }}");
    let link =
        format!("frame post {{ frame light {{ type prismatic; axis [0, 0, 1]; {light} }} }}");
    for (kind, below, settings) in [
        ("free", free, r#""light": (kind: dynamic) }"#.to_owned()),
        (
            "link",
            link,
            format!(r#"}}, robots: {{ "robot": (frame: "post", base: fixed, {JOINTS}) }}"#),
        ),
    ] {
        let scene = format!(
            "{FLOOR} {below} frame heavy {{ translation [0, 0, 0.45]; mass 1000;
                geometry {{ shape box; dimension [0.5, 0.5, 0.5]; friction 0.6; }} }}"
        );
        let settings = format!(r#"bodies: {{ "heavy": (kind: dynamic), {settings}"#);
        let mut test = Test::at(60, &scene, &settings);
        let mut deepest: f64 = 0.0;
        for _ in 0..180 {
            test.run(1.0 / 60.0);
            let (below, above) = (test.position("light").z, test.position("heavy").z);
            deepest = deepest.max(0.1 - below).max(0.35 - (above - below));
        }
        println!("{kind}: {deepest} m deep");
        assert!(deepest < 3e-3, "{kind}: {deepest} m deep");
    }
}

#[test]
fn a_joint_stops_at_its_limit_and_gains_nothing() {
    let scene = "frame arm { frame link { type revolute; axis [0, 1, 0]; variable bend; limit_position [-0.5, 0.8];
        mass 1; center_of_mass [0, 0, -0.4]; inertia [0.01, 0.01, 0.01, 0, 0, 0]; } }";
    let settings = format!(r#"robots: {{ "robot": (frame: "arm", base: fixed, {JOINTS}) }}"#);
    let mut test = Test::new(scene, &settings);
    let names = ["link".to_owned()];
    let (mut highest, mut lowest): (f64, f64) = (0.0, 0.0);
    for tick in 0..1200 {
        // Against the lower limit, then released: it swings at most as far to the other side.
        let effort = if tick < 480 { -9.0 } else { 0.0 };
        test.exert(&["bend"], &[effort]);
        test.run(1.0 / 240.0);
        let bend = test.joint("bend").position;
        highest = highest.max(bend);
        lowest = lowest.min(bend);
    }
    println!("from {lowest} to {highest}, {} J", test.energy(&names, 0.0));
    assert!(
        highest < 0.8 + 1e-3 && lowest > -0.5 - 1e-3,
        "{lowest} to {highest}"
    );
    assert!(lowest < -0.5 + 1e-6, "it comes to its limit: {lowest}");
    // No higher than the initial height.
    assert!(test.energy(&names, 0.0) <= -G * 0.4 * libm::cos(0.5) + 1e-3);
}

/// Returns twelve joints, four legs of two links below a body of 8 kg, with round feet.
fn quadruped() -> String {
    let mut legs = String::new();
    for (name, x, y) in [
        ("fl", 0.25, 0.15),
        ("fr", 0.25, -0.15),
        ("rl", -0.25, 0.15),
        ("rr", -0.25, -0.15),
    ] {
        legs += &format!(
            "frame hip_{name} {{ translation [{x}, {y}, 0]; type revolute; axis [1, 0, 0]; variable roll_{name};
              mass 0.3; inertia [0.001, 0.001, 0.001, 0, 0, 0]; limit_effort 40;
              frame thigh_{name} {{ type revolute; axis [0, 1, 0]; variable pitch_{name}; limit_effort 40;
                mass 0.4; center_of_mass [0, 0, -0.1]; inertia [0.002, 0.002, 0.0003, 0, 0, 0];
                frame shin_{name} {{ translation [0, 0, -0.2]; type revolute; axis [0, 1, 0]; variable knee_{name};
                  limit_effort 40; mass 0.2; center_of_mass [0, 0, -0.1]; inertia [0.001, 0.001, 0.0001, 0, 0, 0];
                  frame foot_{name} {{ translation [0, 0, -0.2]; mass 0.05; geometry {{ shape sphere; radius 0.02; friction 0.8; }} }}
                }} }} }}\n"
        );
    }
    format!(
        "frame trunk {{
           frame shell {{ mass 8; geometry {{ shape box; dimension [0.5, 0.2, 0.1]; }} }} {legs} }}"
    )
}

#[test]
fn a_quadruped_stands() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("dog.robray"), quadruped()).expect("a file");
    std::fs::write(folder.path().join("floor.robray"), FLOOR).expect("a file");
    let legs = ["fl", "fr", "rl", "rr"];
    let (names, bent): (Vec<String>, Vec<f64>) = legs
        .iter()
        .flat_map(|leg| {
            [("roll", 0.0), ("pitch", 0.6), ("knee", -1.2)]
                .map(|(joint, at)| (format!("{joint}_{leg}"), at))
        })
        .unzip();
    let starts: Vec<String> = names
        .iter()
        .zip(&bent)
        .map(|(name, at)| format!("\"{name}\": (position: {at}, stiffness: 400, damping: 8)"))
        .collect();
    let height = 2.0 * 0.2 * libm::cos(0.6) + 0.02;
    let text = format!(
        r#"Simulation(scene: "floor.robray", environment: (rate: 240), robots: {{ "robot": (model: "dog.robray",
            at: (translation: (0, 0, {height})), base: dynamic, {JOINTS}, joints: {{ {} }}) }})"#,
        starts.join(", ")
    );
    let simulation = Simulation::parse(&text, folder.path(), &no_extensions);
    let mut test = Test(simulation.unwrap_or_else(|error| panic!("{error}")));
    let all: Vec<&str> = names.iter().map(String::as_str).collect();
    test.order(&all, &bent);
    test.run(2.0);
    let before = test.position("robot");
    test.run(10.0);
    let drift = (test.position("robot") - before).norm();
    let weight = G * (8.0 + 4.0 * 0.95);
    let forces: Vec<f64> = legs
        .iter()
        .map(|leg| test.force_on(&format!("robot.shin_{leg}")).z)
        .collect();
    println!("drift {drift} m, forces {forces:?}, weight {weight}");
    assert!(drift < 1e-3, "{drift} m");
    let sum: f64 = forces.iter().sum();
    assert!((sum / weight - 1.0).abs() < 0.01, "{sum} N, not {weight}");
    assert!(
        forces.iter().all(|force| *force > 0.15 * weight),
        "{forces:?}"
    );
}
