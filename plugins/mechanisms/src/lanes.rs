//! Dynamics of four equal trees at the same time: with AVX, a processor calculates with four numbers in one instruction. The
//! results for each tree are those of its own [`Integrator`] and [`Workspace`], to the last bit.
#[cfg(target_arch = "x86_64")]
mod avx;
#[cfg(not(target_arch = "x86_64"))]
mod plain;

use nalgebra::{Matrix3, Vector3};

use crate::{
    linear,
    number::Number as _,
    spatial::{Motion, Pose},
    state::State,
    step::Integrator,
    tree::Tree,
    workspace::{Base, Workspace},
};
#[cfg(target_arch = "x86_64")]
use avx::Lanes;
#[cfg(target_arch = "x86_64")]
pub(crate) use avx::is_supported;
#[cfg(not(target_arch = "x86_64"))]
use plain::Lanes;
#[cfg(not(target_arch = "x86_64"))]
pub(crate) use plain::is_supported;

/// Number of trees.
pub const LANE_COUNT: usize = 4;

/// Values of the trees.
pub type Each<T> = [T; LANE_COUNT];

/// Workspace of four equal trees.
#[derive(Clone, Debug)]
pub struct LaneWorkspace {
    workspace: Workspace<Lanes>,
    positions: Vec<Lanes>,
    velocities: Vec<Lanes>,
    bias: Vec<Lanes>,
    /// Terms of armatures, dampers and motors on the diagonals of the mass matrices.
    added: Vec<Lanes>,
    accelerations: Vec<Lanes>,
    terms: Each<Terms>,
    motions: Vec<Each<LinkMotion>>,
}

/// Terms of the equations of motion of one tree.
#[derive(Clone, Debug, Default)]
struct Terms {
    /// Lower triangle of the mass matrix, row by row.
    matrix: Vec<f64>,
    /// Efforts of gravity and velocities.
    bias: Vec<f64>,
    /// Terms of armatures, dampers and motors on the diagonal of the mass matrix.
    added: Vec<f64>,
    /// Factors of the mass matrix with these terms.
    factors: Vec<f64>,
    /// Efforts without constraints, then the accelerations that they cause.
    accelerations: Vec<f64>,
}

/// Motion of a link in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkMotion {
    /// Pose.
    pub pose: Pose,
    /// Velocity of a point, m/s, and angular velocity, rad/s.
    pub velocity: [Vector3<f64>; 2],
}

impl LaneWorkspace {
    /// Returns a workspace for trees that equal this one; `None` if this processor has no AVX.
    #[must_use]
    pub fn new(tree: &Tree) -> Option<Self> {
        let count = tree.velocity_count();
        is_supported().then(|| Self {
            workspace: Workspace::blank(tree),
            positions: Vec::new(),
            velocities: Vec::new(),
            bias: vec![Lanes::new(0.0); count],
            added: Vec::new(),
            accelerations: Vec::new(),
            // Lanes without a tree have these terms.
            terms: std::array::from_fn(|_| Terms {
                added: vec![0.0; count],
                accelerations: vec![0.0; count],
                ..Terms::default()
            }),
            motions: Vec::new(),
        })
    }

    /// Computes the mass matrices, and the efforts of gravity and velocities, at the predictions of four trees, on which no
    /// external forces act. See [`Integrator::accepts_terms`].
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub fn compute_terms(
        &mut self,
        tree: &Tree,
        integrators: Each<&Integrator>,
        bases: Each<&Base>,
    ) {
        let states = integrators.map(Integrator::prediction);
        #[expect(unsafe_code, reason = "a function for AVX")]
        // SAFETY: a workspace exists only where AVX is supported.
        unsafe {
            self.compute_terms_by_avx(tree, states, bases);
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn compute_terms_by_avx(&mut self, tree: &Tree, states: Each<&State>, bases: Each<&Base>) {
        let base = self.load(states, bases);
        let work = &mut self.workspace;
        work.kinematics(tree, &base, &self.positions, &self.velocities);
        work.mass_matrix(tree);
        work.bias(tree, &base, &[], &mut self.bias);
        let each = self.terms.each_mut();
        separate(&work.matrix.lower, each.map(|terms| &mut terms.matrix));
        let each = self.terms.each_mut();
        separate(&self.bias, each.map(|terms| &mut terms.bias));
    }

    /// Computes the gains of one of the trees in a step of `dt` seconds from a state, given the results of
    /// [`compute_terms`](Self::compute_terms).
    pub fn prepare(
        &mut self,
        lane: usize,
        tree: &Tree,
        (integrator, state): (&mut Integrator, &State),
        dt: f64,
    ) {
        let terms = &mut self.terms[lane];
        let known = (&terms.matrix[..], &terms.bias[..]);
        let [added, efforts] = integrator.prepare(tree, state, known, dt);
        terms.added.copy_from_slice(added);
        terms.accelerations.copy_from_slice(efforts);
    }

    /// Computes the factors of the mass matrices, and the accelerations without constraints, of the trees that were
    /// [prepared](Self::prepare).
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub fn solve(&mut self) {
        #[expect(unsafe_code, reason = "a function for AVX")]
        // SAFETY: a workspace exists only where AVX is supported.
        unsafe {
            self.solve_by_avx();
        }
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn solve_by_avx(&mut self) {
        let each = self.terms.each_ref();
        join(each.map(|terms| &terms.added[..]), &mut self.added);
        let efforts = each.map(|terms| &terms.accelerations[..]);
        join(efforts, &mut self.accelerations);
        let matrix = &mut self.workspace.matrix;
        for (speed, added) in self.added.iter().enumerate() {
            matrix.add(speed, speed, *added);
        }
        matrix.factor_numbers();
        matrix.solve_numbers(&mut self.accelerations);
        let each = self.terms.each_mut();
        separate(&matrix.lower, each.map(|terms| &mut terms.factors));
        let each = self.terms.each_mut();
        let each = each.map(|terms| &mut terms.accelerations);
        separate(&self.accelerations, each);
    }

    /// Writes the results of [`solve`](Self::solve) for one of the trees to its integrator, whose next step of `dt` seconds
    /// uses them.
    pub fn store_terms(&self, lane: usize, integrator: &mut Integrator, dt: f64) {
        let terms = &self.terms[lane];
        integrator.set_terms(&terms.matrix, &terms.factors, &terms.accelerations, dt);
    }

    /// Returns the motion of each link of four trees, given the poses of their bases in the world; velocities are those of
    /// `points`, one per link in its frame, m.
    #[cfg_attr(
        not(target_arch = "x86_64"),
        expect(unused_unsafe, reason = "no function for AVX on these processors")
    )]
    pub fn link_motions(
        &mut self,
        tree: &Tree,
        states: Each<&State>,
        (bases, poses): (Each<&Base>, Each<&Pose>),
        points: &[Vector3<f64>],
    ) -> &[Each<LinkMotion>] {
        #[expect(unsafe_code, reason = "a function for AVX")]
        // SAFETY: a workspace exists only where AVX is supported.
        unsafe {
            self.link_motions_by_avx(tree, states, (bases, poses), points);
        }
        &self.motions
    }

    #[cfg_attr(target_arch = "x86_64", target_feature(enable = "avx"))]
    fn link_motions_by_avx(
        &mut self,
        tree: &Tree,
        states: Each<&State>,
        (bases, poses): (Each<&Base>, Each<&Pose>),
        points: &[Vector3<f64>],
    ) {
        let base = self.load(states, bases);
        let work = &mut self.workspace;
        work.kinematics(tree, &base, &self.positions, &self.velocities);
        let poses = join_poses(poses);
        self.motions.clear();
        for (link, point) in points.iter().enumerate() {
            let pose = poses * work.pose_of(link);
            let velocity = work.velocity_at(link, &linear::vector(point));
            let velocity = velocity.map(|velocity| linear::times(&poses.rotation, &velocity));
            self.motions.push(split(&pose, &velocity));
        }
    }

    /// Loads the states of four trees. Returns their bases.
    #[inline(always)]
    fn load(&mut self, states: Each<&State>, bases: Each<&Base>) -> Base<Lanes> {
        join(
            states.map(|state| &state.positions[..]),
            &mut self.positions,
        );
        join(
            states.map(|state| &state.velocities[..]),
            &mut self.velocities,
        );
        Base {
            gravity: join_vectors(bases.map(|base| &base.gravity)),
            velocity: join_motions(bases.map(|base| &base.velocity)),
            acceleration: join_motions(bases.map(|base| &base.acceleration)),
        }
    }
}

/// Joins the numbers of four trees.
#[inline(always)]
fn join(numbers: Each<&[f64]>, joined: &mut Vec<Lanes>) {
    let [first, second, third, fourth] = numbers;
    let pairs = first.iter().zip(second).zip(third.iter().zip(fourth));
    joined.clear();
    joined.extend(pairs.map(|((a, b), (c, d))| Lanes::from_array([*a, *b, *c, *d])));
}

/// Separates the numbers of four trees.
#[inline(always)]
fn separate(numbers: &[Lanes], separate: Each<&mut Vec<f64>>) {
    let [first, second, third, fourth] = separate.map(|own| {
        own.resize(numbers.len(), 0.0);
        &mut own[..]
    });
    let pairs = first.iter_mut().zip(second);
    let pairs = pairs.zip(third.iter_mut().zip(fourth));
    for (((a, b), (c, d)), lanes) in pairs.zip(numbers) {
        [*a, *b, *c, *d] = lanes.to_array();
    }
}

#[inline(always)]
fn join_vectors(vectors: Each<&Vector3<f64>>) -> Vector3<Lanes> {
    let row = |row: usize| Lanes::from_array(vectors.map(|vector| vector[row]));
    Vector3::new(row(0), row(1), row(2))
}

#[inline(always)]
fn join_motions(motions: Each<&Motion>) -> Motion<Lanes> {
    Motion {
        angular: join_vectors(motions.map(|motion| &motion.angular)),
        linear: join_vectors(motions.map(|motion| &motion.linear)),
    }
}

#[inline(always)]
fn join_poses(poses: Each<&Pose>) -> Pose<Lanes> {
    Pose {
        rotation: linear::elements(|row, column| {
            Lanes::from_array(poses.map(|pose| pose.rotation[(row, column)]))
        }),
        position: join_vectors(poses.map(|pose| &pose.position)),
    }
}

/// Returns the motion of a link of each tree.
#[inline(always)]
fn split(pose: &Pose<Lanes>, velocity: &[Vector3<Lanes>; 2]) -> Each<LinkMotion> {
    let position = each_vector(&pose.position);
    let [linear, angular] = velocity.each_ref().map(each_vector);
    let columns = [0, 1, 2].map(|column| each_vector(&pose.rotation.column(column).into()));
    std::array::from_fn(|lane| LinkMotion {
        pose: Pose {
            rotation: Matrix3::from_columns(&[0, 1, 2].map(|column: usize| columns[column][lane])),
            position: position[lane],
        },
        velocity: [linear[lane], angular[lane]],
    })
}

#[inline(always)]
fn each_vector(vectors: &Vector3<Lanes>) -> Each<Vector3<f64>> {
    let [x, y, z] = [vectors.x, vectors.y, vectors.z].map(Lanes::to_array);
    std::array::from_fn(|lane| Vector3::new(x[lane], y[lane], z[lane]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        island::{Island, Member},
        reference,
        step::Motor,
    };

    const DT: f64 = 0.01;
    const POINT: Vector3<f64> = Vector3::new(0.1, -0.2, 0.3);

    /// A tree on a base that is inclined and moves.
    #[derive(Clone)]
    struct One {
        integrator: Integrator,
        state: State,
        base: Base,
        pose: Pose,
    }

    impl One {
        fn new(tree: &Tree, state: &State, lane: usize) -> Self {
            let mut integrator = Integrator::new(tree);
            for (index, motor) in integrator.motors.iter_mut().enumerate() {
                *motor = Motor {
                    stiff: (index % 3 == 0).then_some(50.0),
                    stiffness: 20.0,
                    damping: 2.0,
                    position: 0.3 * (index + lane) as f64,
                    max_effort: 10.0,
                    ..Motor::default()
                };
            }
            // Its rows are solved with the factors of the first step.
            for dynamics in integrator.joint_dynamics.iter_mut().step_by(2) {
                dynamics.friction = 0.1;
            }
            let mut state = state.clone();
            for variable in tree.variables() {
                state.positions[variable.position] += 0.1 * lane as f64;
                state.velocities[variable.speed] *= 1.0 - 0.3 * lane as f64;
            }
            let tilt = nalgebra::Rotation3::from_euler_angles(0.2 * lane as f64, 0.3, -0.1);
            let turning = Motion {
                angular: Vector3::new(0.1, 0.2 * lane as f64, -0.3),
                linear: Vector3::new(0.5, 0.0, 0.1 * lane as f64),
            };
            Self {
                integrator,
                state,
                base: Base {
                    gravity: tilt.inverse() * Vector3::new(0.0, 0.0, -9.81),
                    velocity: turning,
                    acceleration: turning * 2.0,
                },
                pose: Pose {
                    rotation: tilt.into_inner(),
                    position: Vector3::new(1e4, 0.3 * lane as f64, 2.0),
                },
            }
        }

        fn step(&mut self, tree: &Tree, island: &mut Island) {
            let member = Member {
                tree,
                integrator: &mut self.integrator,
                state: &mut self.state,
                base: self.base,
                pose: self.pose,
                external_forces: &[],
            };
            island.step(&mut [member], &mut [], &mut [], &mut [], DT);
        }
    }

    fn step_together(
        trees: &mut [One; 4],
        tree: &Tree,
        island: &mut Island,
    ) -> Vec<Each<LinkMotion>> {
        let mut lanes = LaneWorkspace::new(tree).expect("AVX");
        for one in &mut *trees {
            let (integrator, state) = (&mut one.integrator, &one.state);
            integrator.predict_positions(tree, state, DT / 2.0);
            assert!(integrator.accepts_terms(tree, state));
        }
        let each = trees.each_ref();
        lanes.compute_terms(
            tree,
            each.map(|one| &one.integrator),
            each.map(|one| &one.base),
        );
        for (lane, one) in trees.iter_mut().enumerate() {
            lanes.prepare(lane, tree, (&mut one.integrator, &one.state), DT);
        }
        lanes.solve();
        for (lane, one) in trees.iter_mut().enumerate() {
            lanes.store_terms(lane, &mut one.integrator, DT);
            one.step(tree, island);
        }
        let each = trees.each_ref();
        let bases = (each.map(|one| &one.base), each.map(|one| &one.pose));
        let points = vec![POINT; tree.link_count()];
        let motions = lanes.link_motions(tree, each.map(|one| &one.state), bases, &points);
        motions.to_vec()
    }

    #[test]
    fn trees_move_together_as_each_does_alone() {
        if !is_supported() {
            return;
        }
        for (tree, state) in reference::trees() {
            let mut island = Island::default();
            let mut together = std::array::from_fn(|lane| One::new(&tree, &state, lane));
            let mut alone = together.clone();
            for tick in 0..50 {
                let motions = step_together(&mut together, &tree, &mut island);
                for one in &mut alone {
                    let integrator = &mut one.integrator;
                    integrator.predict(&tree, &one.base, &one.state, DT / 2.0);
                    one.step(&tree, &mut island);
                    let work = &mut one.integrator.workspace;
                    work.forward_kinematics(&tree, &one.base, &one.state);
                }
                for (link, motions) in motions.iter().enumerate() {
                    for (motion, one) in motions.iter().zip(&alone) {
                        let work = &one.integrator.workspace;
                        let velocity = work.velocity_at(link, &POINT);
                        let expected = LinkMotion {
                            pose: one.pose * work.pose_of(link),
                            velocity: velocity.map(|velocity| one.pose.rotation * velocity),
                        };
                        assert_eq!(*motion, expected, "tick {tick}");
                    }
                }
                for (one, other) in together.iter().zip(&alone) {
                    assert_eq!(one.state, other.state, "tick {tick}");
                    assert_eq!(one.integrator.efforts, other.integrator.efforts);
                }
            }
            let positions = together.iter().flat_map(|one| &one.state.positions);
            assert!(positions.clone().all(|position| position.is_finite()));
        }
    }
}
