//! Intersection of rays with solids: exact, in double precision.
//!
//! A convex solid is the intersection (or the convex union) of simpler ones, and a ray is in each of them from `enter` to
//! `leave`. A ray that starts outside hits the surface at `enter`; one that starts inside hits it from within, at `leave`.
use std::sync::Arc;

use nalgebra::Isometry3;

use super::Vec3;
use super::aabb::Aabb;
use super::mesh::Mesh;
use super::packet::{Packet, max, min, reciprocal};

/// A shape with its scale applied, in its own frame, in metres.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A centred box.
    Box {
        /// Half side lengths.
        half: [f64; 3],
    },
    /// A centred sphere.
    Sphere {
        /// Radius, m.
        radius: f64,
    },
    /// A cylinder along z.
    Cylinder {
        /// Radius, m.
        radius: f64,
        /// Z coordinate of the lower end.
        low: f64,
        /// Z coordinate of the upper end; not below `low`.
        high: f64,
    },
    /// A cone along z, from z = 0.
    Cone {
        /// Radius at z = 0.
        start_radius: f64,
        /// Radius at z = `height`.
        end_radius: f64,
        /// Signed length.
        height: f64,
    },
    /// A capsule along z, whose caps extend beyond both ends.
    Capsule {
        /// Radius of the cylinder and of the caps.
        radius: f64,
        /// Z coordinate of the centre of the lower cap.
        low: f64,
        /// Z coordinate of the centre of the upper cap; not below `low`.
        high: f64,
    },
    /// Triangles, which are hit from both sides.
    Mesh {
        /// Triangles before scaling; one mesh may serve many objects.
        mesh: Arc<Mesh>,
        /// Uniform scale about the frame's origin.
        scale: f64,
    },
}

/// Interval in which a ray is inside; empty if `leave` comes before `enter`.
#[derive(Clone, Copy)]
struct Span {
    enter: f64,
    leave: f64,
}

impl Solid {
    /// Returns the distances at which rays from `origin` hit the surface; infinite without a hit. Origin and directions are
    /// in the solid's frame. Not for meshes, which have a tree of their own.
    #[inline]
    pub fn distances<const W: usize>(&self, origin: Vec3, [x, y, z]: &[[f64; W]; 3]) -> [f64; W] {
        let mut distances = [f64::INFINITY; W];
        // One loop per shape: the compiler vectorises it.
        match self {
            Self::Box { half } => {
                for lane in 0..W {
                    let x = Span::slab(-half[0] - origin[0], half[0] - origin[0], x[lane]);
                    let y = Span::slab(-half[1] - origin[1], half[1] - origin[1], y[lane]);
                    let z = Span::slab(-half[2] - origin[2], half[2] - origin[2], z[lane]);
                    distances[lane] = x.and(y).and(z).surface();
                }
            }
            &Self::Sphere { radius } => {
                for lane in 0..W {
                    distances[lane] =
                        Span::sphere(radius, origin, [x[lane], y[lane], z[lane]]).surface();
                }
            }
            &Self::Cylinder { radius, low, high } => {
                for lane in 0..W {
                    let round = Span::tube(radius, origin, [x[lane], y[lane], z[lane]]);
                    distances[lane] = round
                        .and(Span::slab(low - origin[2], high - origin[2], z[lane]))
                        .surface();
                }
            }
            &Self::Cone {
                start_radius,
                end_radius,
                height,
            } => {
                let slope = (end_radius - start_radius) / height;
                let (low, high) = (height.min(0.0) - origin[2], height.max(0.0) - origin[2]);
                for lane in 0..W {
                    let round =
                        Span::cone(start_radius, slope, origin, [x[lane], y[lane], z[lane]]);
                    distances[lane] = round.and(Span::slab(low, high, z[lane])).surface();
                }
            }
            &Self::Capsule { radius, low, high } => {
                for lane in 0..W {
                    let ray = [x[lane], y[lane], z[lane]];
                    let slab = Span::slab(low - origin[2], high - origin[2], ray[2]);
                    let tube = Span::tube(radius, origin, ray).and(slab);
                    let bottom = Span::sphere(radius, [origin[0], origin[1], origin[2] - low], ray);
                    let top = Span::sphere(radius, [origin[0], origin[1], origin[2] - high], ray);
                    distances[lane] = tube.or(bottom).or(top).surface();
                }
            }
            Self::Mesh { .. } => {}
        }
        distances
    }

    /// Returns the bounding box of the solid in its own frame: its minimum and maximum corner.
    pub fn bounds(&self) -> [Vec3; 2] {
        let aabb = self.aabb(&Isometry3::identity()).padded();
        [aabb.low, aabb.high]
    }

    /// Returns the bounding box of the solid at a pose.
    fn aabb(&self, pose: &Isometry3<f64>) -> Aabb {
        let position: Vec3 = pose.translation.vector.into();
        let axis: Vec3 = (pose.rotation * nalgebra::Vector3::z()).into();
        let ball = |along: f64, radius: f64| {
            Aabb::around(
                [0, 1, 2].map(|i| position[i] + along * axis[i]),
                [radius; 3],
            )
        };
        let disc = |along: f64, radius: f64| {
            let half = [0, 1, 2].map(|i| radius * (1.0 - axis[i] * axis[i]).max(0.0).sqrt());
            Aabb::around([0, 1, 2].map(|i| position[i] + along * axis[i]), half)
        };
        match self {
            Self::Box { half } => turned(&Aabb::around([0.0; 3], *half), pose),
            &Self::Sphere { radius } => ball(0.0, radius),
            &Self::Cylinder { radius, low, high } => disc(low, radius).union(&disc(high, radius)),
            &Self::Cone {
                start_radius,
                end_radius,
                height,
            } => disc(0.0, start_radius).union(&disc(height, end_radius)),
            &Self::Capsule { radius, low, high } => ball(low, radius).union(&ball(high, radius)),
            Self::Mesh { mesh, scale } => {
                let aabb = mesh.aabb();
                let half = aabb.half().map(|half| half * scale.abs());
                turned(
                    &Aabb::around(aabb.center().map(|center| center * scale), half),
                    pose,
                )
            }
        }
    }
}

/// A solid at a pose in the world.
pub(super) struct Placed {
    pub(super) solid: Solid,
    /// Rows of the rotation from world to local coordinates, divided by the scale of a mesh.
    pub(super) local_from_world: [Vec3; 3],
    pub(super) position: Vec3,
}

impl Placed {
    /// Returns the solid at the origin.
    pub(super) fn new(solid: Solid) -> Self {
        Self {
            solid,
            local_from_world: [[0.0; 3]; 3],
            position: [0.0; 3],
        }
    }

    /// Sets the pose of the solid in the world and returns its bounding box.
    pub(super) fn put(&mut self, world_from_solid: &Isometry3<f64>) -> Aabb {
        let rotation = world_from_solid.rotation.to_rotation_matrix();
        let over_scale = if let Self {
            solid: Solid::Mesh { scale, .. },
            ..
        } = self
        {
            1.0 / *scale
        } else {
            1.0
        };
        // The transpose is the inverse: the rows here are the columns there.
        self.local_from_world = [0, 1, 2]
            .map(|row| [0, 1, 2].map(|column| rotation.matrix()[(column, row)] * over_scale));
        self.position = world_from_solid.translation.vector.into();
        self.solid.aabb(world_from_solid).padded()
    }

    /// Intersects the packet's rays with the solid, which has the given index.
    #[inline]
    pub(super) fn meet<const W: usize>(&self, number: u32, packet: &mut Packet<W>) {
        let origin = self.local([0, 1, 2].map(|axis| packet.origin[axis] - self.position[axis]));
        let [x, y, z] = &packet.directions;
        let mut directions = [[0.0; W]; 3];
        for (row, local) in self.local_from_world.iter().zip(&mut directions) {
            for lane in 0..W {
                local[lane] = row[0] * x[lane] + row[1] * y[lane] + row[2] * z[lane];
            }
        }
        let distances = match &self.solid {
            Solid::Mesh { mesh, .. } => {
                mesh.distances(Packet::new(origin, directions, packet.distance))
            }
            solid => solid.distances(origin, &directions),
        };
        packet.offer(number, &distances);
    }

    fn local(&self, world: Vec3) -> Vec3 {
        self.local_from_world
            .map(|row| row[0] * world[0] + row[1] * world[1] + row[2] * world[2])
    }
}

impl Span {
    const EMPTY: Self = Self {
        enter: f64::INFINITY,
        leave: f64::NEG_INFINITY,
    };
    const ALWAYS: Self = Self {
        enter: f64::NEG_INFINITY,
        leave: f64::INFINITY,
    };

    /// Returns the distance at which the ray hits the surface: on entering, or, if it starts inside, on leaving.
    #[inline]
    fn surface(self) -> f64 {
        let distance = if self.enter >= 0.0 {
            self.enter
        } else {
            self.leave
        };
        if self.enter <= self.leave && self.leave >= 0.0 {
            distance
        } else {
            f64::INFINITY
        }
    }

    /// Returns the intersection.
    #[inline]
    fn and(self, other: Self) -> Self {
        Self {
            enter: max(self.enter, other.enter),
            leave: min(self.leave, other.leave),
        }
    }

    /// Returns the union, if it is convex.
    #[inline]
    fn or(self, other: Self) -> Self {
        if self.enter > self.leave {
            other
        } else if other.enter > other.leave {
            self
        } else {
            Self {
                enter: min(self.enter, other.enter),
                leave: max(self.leave, other.leave),
            }
        }
    }

    /// Returns the interval between two planes across an axis, at `low` and `high` relative to the origin of the ray.
    #[inline]
    fn slab(low: f64, high: f64, direction: f64) -> Self {
        let over = reciprocal(direction);
        let (low, high) = (low * over, high * over);
        Self {
            enter: min(low, high),
            leave: max(low, high),
        }
    }

    /// Returns the interval in an infinite cylinder.
    #[inline]
    fn tube(radius: f64, [ox, oy, _]: Vec3, [x, y, z]: Vec3) -> Self {
        let across = x * x + y * y;
        let along = -(ox * x + oy * y);
        // Distance of the ray from the axis, times `across`: exact also from far away, unlike b² − 4ac.
        let aside = ox * y - oy * x;
        let square = radius * radius * across - aside * aside;
        let root = max(square, 0.0).sqrt();
        let over = 1.0 / across;
        let span = Self {
            enter: (along - root) * over,
            leave: (along + root) * over,
        };
        let crossing = if square >= 0.0 { span } else { Self::EMPTY };
        let parallel = if ox * ox + oy * oy <= radius * radius {
            Self::ALWAYS
        } else {
            Self::EMPTY
        };
        if across > 1e-30 * z * z {
            crossing
        } else {
            parallel
        }
    }

    #[inline]
    fn sphere(radius: f64, [ox, oy, oz]: Vec3, [x, y, z]: Vec3) -> Self {
        let length = x * x + y * y + z * z;
        let along = -(ox * x + oy * y + oz * z);
        let (ax, ay, az) = (oy * z - oz * y, oz * x - ox * z, ox * y - oy * x);
        let square = radius * radius * length - (ax * ax + ay * ay + az * az);
        let root = max(square, 0.0).sqrt();
        let over = 1.0 / length;
        let span = Self {
            enter: (along - root) * over,
            leave: (along + root) * over,
        };
        if square >= 0.0 { span } else { Self::EMPTY }
    }

    /// Returns the interval in a cone of radius `start + slope · z`, where that is positive.
    #[inline]
    fn cone(start: f64, slope: f64, [ox, oy, oz]: Vec3, [x, y, z]: Vec3) -> Self {
        let (radius, widening) = (start + slope * oz, slope * z);
        // The inside is where a·t² + 2·b·t + c ≤ 0.
        let a = x * x + y * y - widening * widening;
        let b = ox * x + oy * y - radius * widening;
        let c = ox * ox + oy * oy - radius * radius;
        let square = b * b - a * c;
        if a > 0.0 && square < 0.0 {
            return Self::EMPTY;
        }
        let q = -(b + max(square, 0.0).sqrt().copysign(b));
        if q == 0.0 {
            return if a > 0.0 || c <= 0.0 {
                Self::at_apex(a)
            } else {
                Self::EMPTY
            };
        }
        let (one, other) = (q / a, c / q);
        let (first, second) = (min(one, other), max(one, other));
        if a > 0.0 {
            return Self {
                enter: first,
                leave: second,
            };
        }
        // Steeper than the flank: the ray passes through this cone and through its mirror image beyond the apex. This cone
        // is on the side to which the radius grows.
        match (a < 0.0, widening > 0.0) {
            (true, true) => Self {
                enter: second,
                leave: f64::INFINITY,
            },
            (true, false) => Self {
                enter: f64::NEG_INFINITY,
                leave: first,
            },
            // Along the flank, so it crosses once.
            _ if b < 0.0 => Self {
                enter: other,
                leave: f64::INFINITY,
            },
            _ => Self {
                enter: f64::NEG_INFINITY,
                leave: other,
            },
        }
    }

    /// Returns the interval of a ray from the apex: touching, or running inside.
    fn at_apex(a: f64) -> Self {
        if a > 0.0 {
            Self {
                enter: 0.0,
                leave: 0.0,
            }
        } else {
            Self::ALWAYS
        }
    }
}

/// Returns the bounding box of a box at a pose.
fn turned(aabb: &Aabb, pose: &Isometry3<f64>) -> Aabb {
    let rotation = pose.rotation.to_rotation_matrix();
    let center: nalgebra::Point3<f64> = pose * nalgebra::Point3::from(aabb.center());
    let half = rotation.matrix().abs() * nalgebra::Vector3::from(aabb.half());
    Aabb::around(center.coords.into(), half.into())
}
