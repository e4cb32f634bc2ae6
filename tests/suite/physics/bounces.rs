//! Bounces by the restitutions of both bodies.

use morse_sim::{Simulation, simulation::no_extensions};

/// Returns the fraction of its speed with which a ball of restitution 0.8 leaves a floor of restitution `floor`, dropped
/// from 1 m.
fn share(environment: &str, floor: Option<f64>) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let scene = "frame floor { geometry { shape box; dimension [4, 4, 0.2]; } }
        frame ball { translation [0, 0, 1.2]; mass 0.3; geometry { shape sphere; radius 0.1; } }";
    std::fs::write(folder.path().join("scene.robray"), scene).expect("written");
    let floor = floor.map_or(String::new(), |floor| {
        format!("\"floor\": (kind: fixed, restitution: {floor}),")
    });
    let text = format!(
        r#"Simulation(scene: "scene.robray", environment: (rate: 1000, {environment}),
            bodies: {{ "ball": (kind: dynamic, restitution: 0.8), {floor} }})"#
    );
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let speed =
        |simulation: &Simulation| simulation.body("ball").expect("a ball").linear_velocity.z;
    let (mut down, mut up) = (0.0_f64, 0.0_f64);
    for _ in 0..1000 {
        simulation.run(1).expect("nobody is in lockstep");
        let now = speed(&simulation);
        if up == 0.0 {
            down = down.min(now);
        }
        up = up.max(now);
    }
    -up / down
}

#[test]
fn the_greater_restitution_counts_unless_another_rule_is_given() {
    for (environment, floor, expected) in [
        ("", None, 0.8),
        ("", Some(0.3), 0.8),
        ("", Some(0.95), 0.95),
        ("restitution_rule: mean", Some(0.4), 0.6),
        ("restitution_rule: mean", None, 0.4),
        ("restitution_rule: smaller", Some(0.3), 0.3),
        ("restitution_rule: product", Some(0.5), 0.4),
        ("motion: morse", Some(0.5), 0.4),
        ("motion: morse, restitution_rule: greater", Some(0.5), 0.8),
    ] {
        let actual = share(environment, floor);
        assert!(
            (actual - expected).abs() < 0.02,
            "{environment}, {floor:?}: {actual} instead of {expected}"
        );
    }
}

/// A world of SDF multiplies the coefficients of restitution, as the physics engine of Gazebo does.
#[test]
fn restitutions_of_a_world_of_sdf_are_multiplied() {
    let link = |shape: &str, restitution: f64| {
        format!(
            "<link name='l'><collision name='c'><geometry>{shape}</geometry><surface><bounce>
            <restitution_coefficient>{restitution}</restitution_coefficient></bounce></surface>
            </collision></link>"
        )
    };
    for (floor, expected) in [(0.0, 0.0), (0.5, 0.4), (1.0, 0.8)] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("world.sdf");
        let text = format!(
            "<sdf version='1.9'><world name='w'>
            <model name='floor'><static>1</static>{}</model>
            <model name='ball'><pose>0 0 1.2 0 0 0</pose>{}</model></world></sdf>",
            link("<box><size>4 4 0.2</size></box>", floor),
            link("<sphere><radius>0.1</radius></sphere>", 0.8)
        );
        std::fs::write(&path, text).expect("written");
        let mut simulation = Simulation::load(&path).unwrap_or_else(|error| panic!("{error}"));
        let (mut down, mut up) = (0.0_f64, 0.0_f64);
        for _ in 0..60 {
            simulation.run(1).expect("nobody is in lockstep");
            let ball = simulation.body("ball").expect("a ball");
            down = down.min(ball.linear_velocity.z);
            up = up.max(ball.linear_velocity.z);
        }
        let actual = -up / down;
        assert!(
            (actual - expected).abs() < 0.05,
            "{floor}: {actual} instead of {expected}"
        );
    }
}

/// A box that falls: mass, kg; edges, m; position, m; roll, pitch and yaw, rad.
type Falling = (f64, [f64; 3], [f64; 3], [f64; 3]);

/// Drops boxes on a floor, all with these coefficients of restitution and friction. Returns the greatest rise of their energy
/// in a second and a half, relative to the energy at the start.
fn rise(boxes: &[Falling], restitution: f64, friction: f64) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let frame = |name: &str, edges: &[f64; 3]| {
        let material = format!("friction {friction}; restitution {restitution};");
        format!("frame {name} {{ geometry {{ shape box; dimension {edges:?}; {material} }} }}")
    };
    let write = |name: &str, text: String| {
        std::fs::write(folder.path().join(name), text).expect("written");
    };
    write("scene.robray", frame("floor", &[20.0, 20.0, 0.2]));
    let mut robots = String::new();
    for (index, (mass, edges, [x, y, z], [roll, pitch, yaw])) in boxes.iter().enumerate() {
        write(&format!("box{index}.robray"), frame("b", edges));
        robots += &format!(
            "\"r{index}\": (model: \"box{index}.robray\", mass: {mass},
                at: (translation: ({x}, {y}, {z}), rpy: ({roll}, {pitch}, {yaw}))),"
        );
    }
    let text = format!("Simulation(scene: \"scene.robray\", robots: {{ {robots} }})");
    let mut simulation = Simulation::parse(&text, folder.path(), &no_extensions)
        .unwrap_or_else(|error| panic!("{error}"));
    let energy = |simulation: &Simulation| -> f64 {
        let energies = boxes.iter().enumerate();
        let energies = energies.map(|(index, (mass, [x, y, z], ..))| {
            let body = simulation.body(&format!("r{index}")).expect("a box");
            let own = body.pose.rotation.inverse() * body.angular_velocity;
            let moments = [y * y + z * z, z * z + x * x, x * x + y * y];
            let moments = moments.map(|moment| moment / 12.0);
            let turning: f64 = (0..3)
                .map(|axis| moments[axis] * own[axis] * own[axis])
                .sum();
            let moving = body.linear_velocity.norm_squared() + turning;
            mass * (moving / 2.0 + 9.81 * body.pose.translation.vector.z)
        });
        energies.sum()
    };
    let first = energy(&simulation);
    let (mut least, mut rise) = (first, 0.0_f64);
    for _ in 0..90 {
        simulation.run(1).expect("nobody is in lockstep");
        let now = energy(&simulation);
        (least, rise) = (least.min(now), rise.max(now - least));
    }
    rise / first
}

/// Bodies that bounce conserve their energy at best, also where several of them meet in a step.
#[test]
fn heaps_of_bouncing_bodies_gain_no_energy() {
    // Without friction, nothing but bounces changes the energy.
    let boxes = [
        (
            0.16,
            [0.22, 0.11, 0.27],
            [0.08, 0.11, 0.5],
            [-1.0, -2.3, -0.6],
        ),
        (
            1.9,
            [0.16, 0.29, 0.37],
            [-0.03, -0.01, 1.0],
            [1.6, 0.7, 1.5],
        ),
        (
            1.0,
            [0.36, 0.13, 0.27],
            [-0.12, 0.14, 1.5],
            [-0.4, -2.3, 2.4],
        ),
        (
            19.0,
            [0.16, 0.18, 0.14],
            [-0.03, -0.01, 2.0],
            [-1.2, -1.0, -1.4],
        ),
    ];
    let rise = rise(&boxes, 1.0, 0.0);
    assert!(rise < 0.02, "{rise}");
}

/// A body between the floor and one that falls on it gets the momentum of that one, and not that of an immovable one.
#[test]
fn bouncing_bodies_are_hit_by_the_mass_of_others() {
    let boxes = [
        (
            4.8,
            [0.09, 0.39, 0.31],
            [0.01, -0.08, 0.5],
            [0.6, -0.8, 0.5],
        ),
        (
            0.19,
            [0.09, 0.27, 0.36],
            [-0.13, 0.11, 1.0],
            [2.9, -0.9, -1.8],
        ),
        (
            0.23,
            [0.31, 0.19, 0.26],
            [-0.03, -0.08, 1.5],
            [0.6, 1.3, -0.6],
        ),
    ];
    let rise = rise(&boxes, 0.4, 0.5);
    assert!(rise < 0.02, "{rise}");
}
