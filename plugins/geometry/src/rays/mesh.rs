//! Triangle meshes for rays, each with a bounding volume hierarchy in its own frame.
use std::sync::OnceLock;

use super::Vec3;
use super::aabb::Aabb;
use super::packet::{NOTHING, Packet};
use super::tree::Tree;

/// Overlap of a triangle over its edges, relative to its size, so that no ray slips through between
/// two triangles that share an edge.
const OVERLAP: f64 = 1e-9;

/// Maximum number of triangles in a leaf.
const LEAF: usize = 4;

/// Triangles in the frame of a mesh, in metres, prepared for rays from either side.
pub struct Mesh {
    triangles: Vec<Triangle>,
    /// Index of each triangle in the input.
    sources: Vec<u32>,
    /// Hierarchy, built for the first ray that comes near: most meshes are met by none.
    tree: OnceLock<Tree>,
    aabb: Aabb,
}

struct Triangle {
    corner: Vec3,
    /// Vectors from the first vertex to the second and to the third.
    edges: [Vec3; 2],
    /// Cross product of the edges.
    normal: Vec3,
}

impl Mesh {
    /// Returns the mesh of triangles with the given vertices, in metres. Degenerate triangles, and triangles with missing or
    /// infinite vertices, are omitted.
    #[must_use]
    pub fn new(vertices: &[[f32; 3]], triangles: &[[u32; 3]]) -> Self {
        let vertex = |index: u32| {
            vertices
                .get(index as usize)
                .map(|vertex| vertex.map(f64::from))
        };
        let sound = (0..).zip(triangles).filter_map(|(number, &[a, b, c])| {
            Some((number, Triangle::new(vertex(a)?, vertex(b)?, vertex(c)?)?))
        });
        let (sources, triangles): (Vec<u32>, Vec<Triangle>) = sound.unzip();
        let boxes = triangles.iter().map(Triangle::aabb);
        let aabb = boxes.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb));
        Self {
            triangles,
            sources,
            tree: OnceLock::new(),
            aabb,
        }
    }

    fn tree(&self) -> &Tree {
        self.tree.get_or_init(|| {
            let boxes: Vec<Aabb> = self.triangles.iter().map(Triangle::aabb).collect();
            let mut tree = Tree::default();
            tree.build(&boxes, LEAF);
            tree
        })
    }

    /// Returns the distances of the rays of a packet in the mesh's frame, as `distances` does, and for each ray the index in
    /// the input of the triangle that it hits.
    pub fn nearest<const W: usize>(&self, packet: Packet<W>) -> ([f64; W], [u32; W]) {
        let (distances, triangles) = self.meet(packet);
        let source = |triangle: u32| self.sources.get(triangle as usize).copied();
        (
            distances,
            triangles.map(|triangle| source(triangle).unwrap_or(NOTHING)),
        )
    }

    /// Returns true if there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    pub(super) fn aabb(&self) -> &Aabb {
        &self.aabb
    }

    /// Returns the distances at which the rays of a packet in the mesh's frame hit a triangle within their range; infinite
    /// without a hit.
    pub(super) fn distances<const W: usize>(&self, packet: Packet<W>) -> [f64; W] {
        self.meet(packet).0
    }

    fn meet<const W: usize>(&self, mut packet: Packet<W>) -> ([f64; W], [u32; W]) {
        self.tree().walk(&mut packet, |packet, index| {
            let distances =
                self.triangles[index as usize].distances(packet.origin, &packet.directions);
            packet.offer(index, &distances);
        });
        let mut distances = [f64::INFINITY; W];
        for (lane, distance) in distances.iter_mut().enumerate() {
            if packet.object[lane] != NOTHING {
                *distance = packet.distance[lane];
            }
        }
        (distances, packet.object)
    }

    /// Computes the distances without the tree.
    #[cfg(test)]
    pub(super) fn distances_without_tree<const W: usize>(&self, packet: &Packet<W>) -> [f64; W] {
        let mut nearest = [f64::INFINITY; W];
        for triangle in &self.triangles {
            let distances = triangle.distances(packet.origin, &packet.directions);
            for lane in 0..W {
                if distances[lane] <= packet.distance[lane] {
                    nearest[lane] = nearest[lane].min(distances[lane]);
                }
            }
        }
        nearest
    }
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Mesh")
            .field("triangles", &self.triangles.len())
            .finish_non_exhaustive()
    }
}

impl Triangle {
    fn new(a: Vec3, b: Vec3, c: Vec3) -> Option<Self> {
        let edges = [minus(b, a), minus(c, a)];
        let normal = cross(edges[0], edges[1]);
        let area = dot(normal, normal);
        (area > 0.0 && area.is_finite() && dot(a, a).is_finite()).then_some(Self {
            corner: a,
            edges,
            normal,
        })
    }

    fn aabb(&self) -> Aabb {
        let Self {
            corner,
            edges: [ab, ac],
            ..
        } = self;
        let corners = [*corner, plus(*corner, *ab), plus(*corner, *ac)];
        corners
            .iter()
            .fold(Aabb::EMPTY, |all, &corner| all.with(corner))
            .padded()
    }

    /// Ray–triangle intersection after Möller and Trumbore. Terms that depend on the origin only are computed once for all
    /// rays.
    #[inline]
    fn distances<const W: usize>(&self, origin: Vec3, [x, y, z]: &[[f64; W]; 3]) -> [f64; W] {
        let offset = minus(origin, self.corner);
        let height = -dot(self.normal, offset);
        let u_normal = cross(offset, self.edges[1]);
        let v_normal = cross(self.edges[0], offset);
        let mut distances = [f64::INFINITY; W];
        for lane in 0..W {
            let ray = [x[lane], y[lane], z[lane]];
            let over = 1.0 / dot(ray, self.normal);
            let u = dot(ray, u_normal) * over;
            let v = dot(ray, v_normal) * over;
            let distance = height * over;
            let inside = (u >= -OVERLAP) & (v >= -OVERLAP) & (u + v <= 1.0 + OVERLAP);
            // For a ray in the plane of the triangle `over` is infinite and the distance infinite or NaN: no hit.
            distances[lane] = if inside & (distance >= 0.0) {
                distance
            } else {
                f64::INFINITY
            };
        }
        distances
    }
}

fn plus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vec3, b: Vec3) -> Vec3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}
