//! Bodies, colliders and joints of a scene are made: first all that can fail, then all at once.

use bevy::prelude::*;
use bevy_rapier3d::rapier::prelude::{
    ActiveHooks, CoefficientCombineRule, ColliderBuilder, GenericJointBuilder, JointAxesMask,
    RigidBodyBuilder, RigidBodyType,
};
use morse_api::body::{BodyKind, BodyState};
use nalgebra::{Isometry3, Quaternion, UnitQuaternion, Vector3};

use super::{
    Motion, Settings, convert,
    engine::{
        BodyIndex, BodyRow, Engine, EngineItem, GeometryRow, JOINT_ITERATIONS, JointRow, Tables,
        VariableRow,
    },
    joints::{JointMotion, VariableMotion},
    mass::{self, Mass, Source},
    motor,
    shapes::{self, Solid},
    step,
};
use crate::scene::{
    assembly::{Attachment, BodyLayout, JointMode, Layout, rotation_about},
    diagnostic::{Diagnostic, printable},
    model::{Geometry, Scene},
};

/// Coulomb coefficient of geometry without one.
const DEFAULT_FRICTION: f64 = 0.5;

/// Of motors without a stiffness of their own, Hz: the natural frequency with which a joint carries
/// what hangs on it at the start. An arm of 10 kg and 0.8 m sags by less than a millimetre.
const MOTOR_FREQUENCY: f64 = 25.0;

/// The solids and masses of a scene's bodies, in the order of the layout.
pub struct Prepared {
    bodies: Vec<PreparedBody>,
    /// What is probably not meant.
    pub warnings: Vec<Diagnostic>,
}

struct PreparedBody {
    mass: Mass,
    solids: Vec<PreparedSolid>,
}

struct PreparedSolid {
    /// Place in the layout's frames, and in that frame's geometry.
    at: (usize, usize),
    solid: Solid,
    body_from_frame: Isometry3<f64>,
    friction: f64,
    restitution: f64,
}

/// The entities that stand for a layout, in its order.
#[derive(Clone, Debug, Default)]
pub struct Entities {
    /// Of the bodies.
    pub bodies: Vec<Entity>,
    /// Of the geometry, by frame.
    pub geometry: Vec<Vec<Entity>>,
    /// Of the configuration variables.
    pub variables: Vec<Entity>,
}

/// What was built, for who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Built {
    /// Bodies.
    pub bodies: usize,
    /// Geometry that can be touched.
    pub colliders: usize,
    /// Joints that the engine solves.
    pub joints: usize,
}

/// Makes the solids and the masses of a scene.
///
/// # Errors
///
/// For each shape that cannot be made, such as a mesh whose file is missing or broken.
pub fn prepare(layout: &Layout, scene: &Scene) -> Result<Prepared, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let mut prepared = Prepared {
        bodies: Vec::new(),
        warnings: Vec::new(),
    };
    for body in &layout.bodies {
        let mut maker = BodyMaker {
            layout,
            scene,
            body,
            errors: &mut errors,
        };
        let (made, warning) = maker.make();
        prepared.bodies.push(made);
        prepared.warnings.extend(warning);
    }
    if errors.is_empty() {
        Ok(prepared)
    } else {
        Err(errors)
    }
}

struct BodyMaker<'a> {
    layout: &'a Layout,
    scene: &'a Scene,
    body: &'a BodyLayout,
    errors: &'a mut Vec<Diagnostic>,
}

impl BodyMaker<'_> {
    fn make(&mut self) -> (PreparedBody, Option<Diagnostic>) {
        let mut total = Mass::default();
        let mut all = Vec::new();
        let mut worst = Source::Given;
        for &at in &self.body.frames {
            let Some(place) = self.layout.frames.get(at) else {
                continue;
            };
            let Some(frame) = self.scene.frames().get(place.in_scene) else {
                continue;
            };
            let mut solids = Vec::new();
            for (number, geometry) in frame.geometry.iter().enumerate() {
                // What is only looked at has no mass, unless it says so.
                if geometry.collision || geometry.density.is_some() {
                    let solid = self.solid(&frame.name, geometry);
                    solids.extend(solid.map(|solid| (number, geometry, solid)));
                }
            }
            let weighed: Vec<_> = solids
                .iter()
                .map(|(_, geometry, solid)| (solid, geometry.density))
                .collect();
            let (mass, source) = mass::of_frame(frame, &weighed);
            total = total.plus(&mass.moved(&place.body_from_frame));
            if source == Source::Assumed {
                worst = source;
            }
            let touchable = solids
                .into_iter()
                .filter(|(_, geometry, _)| geometry.collision);
            all.extend(touchable.map(|(number, geometry, solid)| PreparedSolid {
                at: (at, number),
                solid,
                body_from_frame: place.body_from_frame,
                friction: self.friction(geometry),
                restitution: self.restitution(geometry),
            }));
        }
        let (mass, warning) = self.weigh(total, worst);
        (PreparedBody { mass, solids: all }, warning)
    }

    fn solid(&mut self, frame: &str, geometry: &Geometry) -> Option<Solid> {
        let moves = self.body.kind != BodyKind::Fixed;
        shapes::solid(geometry, moves).unwrap_or_else(|why| {
            let message = format!("frame `{}`: {why}", printable(frame));
            let error = Diagnostic::error("scene::mesh", message);
            self.errors.push(match geometry.source.0 {
                Some(span) => error.at(span, "this shape"),
                None => error,
            });
            None
        })
    }

    fn friction(&self, geometry: &Geometry) -> f64 {
        self.body
            .settings
            .friction
            .or(geometry.friction)
            .unwrap_or(DEFAULT_FRICTION)
    }

    fn restitution(&self, geometry: &Geometry) -> f64 {
        self.body
            .settings
            .restitution
            .or(geometry.restitution)
            .unwrap_or(0.0)
    }

    /// The mass that the engine is to use, and what to say about where it comes from.
    fn weigh(&self, total: Mass, source: Source) -> (Mass, Option<Diagnostic>) {
        if self.body.kind != BodyKind::Dynamic {
            return (mass::at_least_some(total), None);
        }
        if let Some(mass) = self.body.settings.mass {
            return (mass::at_least_some(total.scaled_to(mass)), None);
        }
        let mass = mass::at_least_some(total);
        let head = self.layout.frames.get(self.body.head);
        let name = head.map_or("", |head| &head.name);
        let warning = if total.mass <= 0.0 {
            let message = format!("`{}` moves but has no mass", printable(name));
            let note = format!("nothing gives it one; it is taken as {} kg", mass.mass);
            Some(Diagnostic::warning("scene::no-mass", message).note(note))
        } else if source == Source::Assumed {
            let message = format!("`{}` has neither a mass nor a density", printable(name));
            let density = mass::DEFAULT_DENSITY;
            let note = format!("at {density} kg/m³ it has {:.3} kg", mass.mass);
            Some(Diagnostic::warning("scene::no-mass", message).note(note))
        } else {
            None
        };
        (
            mass,
            warning.map(|warning| warning.help("give its frame a `mass`, in kg")),
        )
    }
}

/// Puts a scene into the engine. The entities of bodies get their state and their place.
pub fn build(
    world: &mut World,
    layout: &Layout,
    scene: &Scene,
    prepared: &Prepared,
    entities: &Entities,
) -> Built {
    let settings = world.resource::<Settings>().clone();
    let mut tables = Tables {
        engine: world.resource::<Tables>().engine,
        allowed: allowed(layout, scene),
        ..Tables::default()
    };
    let mut engines = world.query::<Engine>();
    let Ok(mut engine) = engines.single_mut(world) else {
        return Built::default();
    };
    let mut builder = Builder {
        layout,
        prepared,
        entities,
        settings: &settings,
        tables,
    };
    builder.bodies(&mut engine);
    builder.joints(&mut engine);
    tables = builder.tables;
    let states = states(&engine, &tables);
    let built = Built {
        bodies: tables.bodies.len(),
        colliders: tables.geometry.len(),
        joints: engine.joints.impulse_joints.len(),
    };
    for (place, (entity, state)) in states.into_iter().enumerate() {
        world
            .entity_mut(entity)
            .insert((BodyIndex(place), state, convert::transform(&state.pose)));
    }
    world.insert_resource(start(&tables));
    world.insert_resource(tables);
    built
}

fn states(engine: &EngineItem<'_, '_>, tables: &Tables) -> Vec<(Entity, BodyState)> {
    let state = |row: &BodyRow| {
        let mut state = BodyState::default();
        step::copy(engine, row, &mut state);
        (row.entity, state)
    };
    tables.bodies.iter().map(state).collect()
}

/// Where the joints are at the start.
fn start(tables: &Tables) -> JointMotion {
    let motion = |variable: &VariableRow| {
        let position = variable.layout.settings.position;
        VariableMotion {
            positions: vec![position; variable.joints.len().max(1)],
            before: position,
            ..VariableMotion::default()
        }
    };
    JointMotion(tables.variables.iter().map(motion).collect())
}

fn allowed(layout: &Layout, scene: &Scene) -> Vec<(u32, u32)> {
    let place = |name: &str| {
        let found = layout
            .frames
            .binary_search_by(|frame| frame.name.as_str().cmp(name))
            .ok()?;
        u32::try_from(found).ok()
    };
    let pairs = scene.allowed_collisions().iter();
    let mut allowed: Vec<(u32, u32)> = pairs
        .filter_map(|(one, two)| Some((place(one)?, place(two)?)))
        .map(|(one, two)| (one.min(two), one.max(two)))
        .collect();
    allowed.sort_unstable();
    allowed
}

struct Builder<'a> {
    layout: &'a Layout,
    prepared: &'a Prepared,
    entities: &'a Entities,
    settings: &'a Settings,
    tables: Tables,
}

impl Builder<'_> {
    fn bodies(&mut self, engine: &mut EngineItem<'_, '_>) {
        let all = self
            .layout
            .bodies
            .iter()
            .zip(&self.prepared.bodies)
            .zip(&self.entities.bodies);
        let neighbours = self
            .layout
            .bodies
            .iter()
            .enumerate()
            .filter_map(|(child, body)| {
                let parent = body.attachment.as_ref()?.parent;
                Some((child.min(parent), child.max(parent)))
            });
        self.tables.neighbours = neighbours.collect();
        self.tables.neighbours.sort_unstable();
        for (place, ((body, prepared), &entity)) in all.enumerate() {
            let is_posed = self.is_posed(body);
            let neighbours = self.tables.neighbours.iter();
            let is_jointed = neighbours
                .flat_map(|(one, two)| [*one, *two])
                .any(|at| at == place);
            let rigid = rigid_body(place, body, prepared, is_posed, is_jointed);
            let handle = engine.bodies.bodies.insert(rigid);
            self.tables.bodies.push(BodyRow {
                entity,
                handle,
                kind: body.kind,
                mass: if body.kind == BodyKind::Dynamic {
                    prepared.mass.mass
                } else {
                    f64::INFINITY
                },
                gravity: body.settings.gravity,
                attachment: body.attachment.clone(),
                is_jointed,
                is_posed,
                still: is_still(body).then_some(body.pose),
            });
            for solid in &prepared.solids {
                self.collider(engine, place, solid, body);
            }
            let colliders = &engine.colliders.colliders;
            if let Some(body) = engine.bodies.bodies.get_mut(handle) {
                body.recompute_mass_properties_from_colliders(colliders);
            }
        }
        self.tables.posed = posed(self.layout, |body| self.is_posed(body));
    }

    fn is_posed(&self, body: &BodyLayout) -> bool {
        body.attachment.as_ref().is_some_and(|attachment| {
            let variable = self.layout.variables.get(attachment.variable);
            variable.is_some_and(|variable| variable.settings.mode == JointMode::Kinematic)
        })
    }

    fn collider(
        &mut self,
        engine: &mut EngineItem<'_, '_>,
        body: usize,
        solid: &PreparedSolid,
        layout: &BodyLayout,
    ) {
        let (frame, number) = solid.at;
        let entity = self
            .entities
            .geometry
            .get(frame)
            .and_then(|frame| frame.get(number));
        let (Some(&entity), Some(row)) = (entity, self.tables.bodies.get(body)) else {
            return;
        };
        let rule = match self.settings.motion {
            Motion::Default => CoefficientCombineRule::Average,
            Motion::Morse => CoefficientCombineRule::Multiply,
        };
        let place = self.tables.geometry.len();
        let frame = u32::try_from(frame).unwrap_or(u32::MAX);
        let pose = solid.body_from_frame * solid.solid.frame_from_shape;
        let collider = ColliderBuilder::new(solid.solid.shape.clone())
            .position(convert::pose(&pose))
            .density(0.0)
            .friction(solid.friction as f32)
            .restitution(solid.restitution as f32)
            .friction_combine_rule(rule)
            .active_hooks(self.hooks(body, frame, layout))
            .user_data(place as u128);
        let bodies = &mut engine.bodies.bodies;
        engine
            .colliders
            .colliders
            .insert_with_parent(collider, row.handle, bodies);
        self.tables.geometry.push(GeometryRow {
            entity,
            body,
            frame,
        });
    }

    /// Which questions the engine has to ask about a collider; each costs time.
    fn hooks(&self, body: usize, frame: u32, layout: &BodyLayout) -> ActiveHooks {
        let mut hooks = ActiveHooks::empty();
        let in_pair = self
            .tables
            .allowed
            .iter()
            .any(|(one, two)| *one == frame || *two == frame);
        let has_neighbour = self
            .tables
            .neighbours
            .iter()
            .any(|(one, two)| *one == body || *two == body);
        if in_pair || has_neighbour {
            hooks |= ActiveHooks::FILTER_CONTACT_PAIRS;
        }
        // Only the base of a robot is driven, and it has no joint above it.
        if layout.actuated && layout.attachment.is_none() && layout.kind == BodyKind::Dynamic {
            hooks |= ActiveHooks::MODIFY_SOLVER_CONTACTS;
        }
        hooks
    }

    fn joints(&mut self, engine: &mut EngineItem<'_, '_>) {
        for (variable, &entity) in self.layout.variables.iter().zip(&self.entities.variables) {
            let mut row = VariableRow {
                entity,
                layout: variable.clone(),
                joints: Vec::new(),
            };
            for &child in &variable.bodies {
                let body = self.layout.bodies.get(child);
                if let Some(attachment) = body.and_then(|body| body.attachment.as_ref()) {
                    let joint = self.joint(engine, child, attachment, &row);
                    row.joints.push(joint);
                }
            }
            self.tables.variables.push(row);
        }
    }

    fn joint(
        &self,
        engine: &mut EngineItem<'_, '_>,
        child: usize,
        attachment: &Attachment,
        variable: &VariableRow,
    ) -> JointRow {
        let settings = &variable.layout.settings;
        let center = middle(variable);
        let zero = if attachment.is_angle {
            center
        } else {
            -attachment.offset
        };
        let turned = if attachment.is_angle {
            let angle = center + attachment.offset;
            attachment.parent_from_joint * rotation_about(&attachment.axis, angle)
        } else {
            attachment.parent_from_joint
        };
        let axes = x_to(&attachment.axis);
        let carried = self.carried(child, attachment);
        let rate = std::f64::consts::TAU * MOTOR_FREQUENCY;
        let per_travel = attachment.travel * attachment.travel;
        let stiffness = settings
            .stiffness
            .map_or(carried * rate * rate, |own| own / per_travel);
        let critical = 2.0 * libm::sqrt(stiffness * carried);
        let mut row = JointRow {
            child,
            parent: attachment.parent,
            handle: None,
            is_angle: attachment.is_angle,
            zero,
            travel: attachment.travel,
            parent_from_axes: turned * axes,
            child_from_axes: axes,
            stiffness,
            damping: settings.damping.map_or(critical, |own| own / per_travel),
            passive_damping: attachment.damping / per_travel,
        };
        if settings.mode == JointMode::Dynamic {
            row.handle = self.insert(engine, &row, variable);
        }
        row
    }

    fn insert(
        &self,
        engine: &mut EngineItem<'_, '_>,
        row: &JointRow,
        variable: &VariableRow,
    ) -> Option<bevy_rapier3d::rapier::prelude::ImpulseJointHandle> {
        let locked = if row.is_angle {
            JointAxesMask::LOCKED_REVOLUTE_AXES
        } else {
            JointAxesMask::LOCKED_PRISMATIC_AXES
        };
        let child_from_axes = Isometry3::from_parts(Vector3::zeros().into(), row.child_from_axes);
        let mut joint = GenericJointBuilder::new(locked)
            .local_frame1(convert::pose(&row.parent_from_axes))
            .local_frame2(convert::pose(&child_from_axes))
            .contacts_enabled(false)
            .build();
        let position = variable.layout.settings.position;
        let order = motor::Order::default();
        let motor = row.motor(variable, &order, position);
        let axis = motor::axis_of(row.is_angle);
        motor::equip(&mut joint, axis, &motor, row.limits(variable, position));
        let parent = self.tables.bodies.get(row.parent)?.handle;
        let child = self.tables.bodies.get(row.child)?.handle;
        Some(
            engine
                .joints
                .impulse_joints
                .insert(parent, child, joint, true),
        )
    }

    /// The inertia about a joint's axis, or the mass along it, of all that hangs on the joint.
    fn carried(&self, child: usize, attachment: &Attachment) -> f64 {
        let Some(pose) = self.layout.bodies.get(child).map(|body| body.pose) else {
            return 1.0;
        };
        let below = (0..self.layout.bodies.len()).filter(|at| self.hangs_on(*at, child));
        let total = below.fold(Mass::default(), |sum, at| {
            let body = self.layout.bodies.get(at).zip(self.prepared.bodies.get(at));
            body.map_or(sum, |(body, prepared)| {
                sum.plus(&prepared.mass.moved(&pose.inv_mul(&body.pose)))
            })
        });
        if !attachment.is_angle {
            return total.mass;
        }
        let axis = attachment.axis.into_inner();
        axis.dot(&(total.inertia_about(&Vector3::zeros()) * axis))
    }

    fn hangs_on(&self, mut body: usize, ancestor: usize) -> bool {
        for _ in 0..=self.layout.bodies.len() {
            if body == ancestor {
                return true;
            }
            let next = self
                .layout
                .bodies
                .get(body)
                .and_then(|body| body.attachment.as_ref());
            match next {
                Some(attachment) => body = attachment.parent,
                None => return false,
            }
        }
        false
    }
}

/// Nothing ever moves a fixed body, unless it is a robot's base, which can be put elsewhere.
fn is_still(body: &BodyLayout) -> bool {
    body.kind == BodyKind::Fixed && !(body.actuated && body.robot.is_some())
}

fn rigid_body(
    place: usize,
    body: &BodyLayout,
    prepared: &PreparedBody,
    is_posed: bool,
    is_jointed: bool,
) -> RigidBodyBuilder {
    let kind = match body.kind {
        BodyKind::Dynamic => RigidBodyType::Dynamic,
        BodyKind::Fixed => RigidBodyType::Fixed,
        BodyKind::Kinematic if is_posed => RigidBodyType::KinematicPositionBased,
        BodyKind::Kinematic => RigidBodyType::KinematicVelocityBased,
    };
    let settings = &body.settings;
    let arm = body.pose.rotation * prepared.mass.center;
    let linear = settings.linear_velocity + settings.angular_velocity.cross(&arm);
    let moves = body.kind == BodyKind::Dynamic;
    let velocity =
        |velocity: Vector3<f64>| convert::vec3(&if moves { velocity } else { default() });
    RigidBodyBuilder::new(kind)
        .pose(convert::pose(&body.pose))
        .linvel(velocity(linear))
        .angvel(velocity(settings.angular_velocity))
        .additional_mass_properties(prepared.mass.properties())
        .linear_damping(settings.linear_damping as f32)
        .angular_damping(settings.angular_damping as f32)
        .gravity_scale(if settings.gravity { 1.0 } else { 0.0 })
        .additional_solver_iterations(if is_jointed {
            JOINT_ITERATIONS as usize
        } else {
            0
        })
        .can_sleep(!body.actuated && settings.can_sleep.unwrap_or(true))
        .user_data(place as u128)
}

/// The bodies that joints pose, parents before children.
fn posed(layout: &Layout, is_posed: impl Fn(&BodyLayout) -> bool) -> Vec<usize> {
    let depth = |place: usize| {
        let mut depth = 0;
        let mut next = layout
            .bodies
            .get(place)
            .and_then(|body| body.attachment.as_ref());
        while let Some(attachment) = next.filter(|_| depth <= layout.bodies.len()) {
            depth += 1;
            next = layout
                .bodies
                .get(attachment.parent)
                .and_then(|body| body.attachment.as_ref());
        }
        depth
    };
    let all = layout
        .bodies
        .iter()
        .enumerate()
        .filter(|(_, body)| is_posed(body));
    let mut posed: Vec<usize> = all.map(|(place, _)| place).collect();
    posed.sort_by_key(|place| (depth(*place), *place));
    posed
}

/// The middle of a variable's range, where the engine is to measure zero; its start without limits.
fn middle(variable: &VariableRow) -> f64 {
    let [lower, upper] = variable.layout.limits;
    let middle = (lower + upper) / 2.0;
    if middle.is_finite() {
        middle
    } else {
        variable.layout.settings.position
    }
}

/// A rotation that takes the x axis to another one.
fn x_to(axis: &Vector3<f64>) -> UnitQuaternion<f64> {
    let x = Vector3::x();
    let real = 1.0 + x.dot(axis);
    if real < 1e-9 {
        return UnitQuaternion::new_unchecked(Quaternion::new(0.0, 0.0, 0.0, 1.0));
    }
    UnitQuaternion::new_normalize(Quaternion::from_parts(real, x.cross(axis)))
}
