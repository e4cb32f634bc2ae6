//! Rows for the relative velocity of two sides at a point.
use nalgebra::Vector3;

use super::{Rows, row::ConstraintRow};
use crate::island::{FreeBody, Member, Side};

impl Rows {
    /// Adds an empty row.
    pub(super) fn begin_row(&mut self) {
        self.rows.push(ConstraintRow::default());
        let entries = self.rows.len() * self.stride;
        if entries > 0 {
            self.jacobians.resize(entries, 0.0);
        }
    }

    /// Returns the index of the first entry of a row that has one for each velocity.
    pub(super) fn home(&self, row: usize) -> Option<usize> {
        (self.stride > 0).then_some(row * self.stride)
    }

    /// Adds a row for each direction: for the velocity of the second side relative to the first at a point along it, or for
    /// their relative angular velocity about it.
    pub(super) fn add_point_rows<const COUNT: usize, const ANGULAR: bool>(
        &mut self,
        sides: &[Side; 2],
        point: &Vector3<f64>,
        directions: [Vector3<f64>; COUNT],
        (members, bodies, starts): (&[Member<'_>], &[FreeBody], &[usize]),
    ) {
        let first = self.rows.len();
        for _ in 0..COUNT {
            self.begin_row();
        }
        for (side, sign) in sides.iter().zip([-1.0, 1.0]) {
            let directions = directions.map(|direction| direction * sign);
            match *side {
                Side::Prescribed(velocity) if !ANGULAR => {
                    for (row, direction) in self.rows[first..].iter_mut().zip(&directions) {
                        row.offset += direction.dot(&velocity);
                    }
                }
                Side::Prescribed(_) => {}
                Side::Link { member, link } => {
                    let Some(of) = members.get(member) else {
                        continue;
                    };
                    let own = (member, starts[member], of.tree.velocity_count());
                    let entries = self.blocks::<COUNT>(first, own);
                    self.add_link::<COUNT, ANGULAR>((of, link), point, directions, entries);
                }
                Side::Body(index) => {
                    let Some(body) = bodies.get(index) else {
                        continue;
                    };
                    let participant = members.len() + index;
                    let entries =
                        self.blocks::<COUNT>(first, (participant, starts[participant], 6));
                    for (entry, direction) in entries.into_iter().zip(&directions) {
                        let [linear, angular] = if ANGULAR {
                            [Vector3::zeros(), *direction]
                        } else {
                            [*direction, (point - body.center).cross(direction)]
                        };
                        let numbers = joined(&linear, &angular);
                        let entries = &mut self.jacobians[entry..entry + 6];
                        for (entry, number) in entries.iter_mut().zip(numbers) {
                            *entry += number;
                        }
                    }
                }
            }
        }
    }

    /// Returns the index of the first entry of each row for a member or body, given its index, that of its first velocity,
    /// and the number of its velocities.
    fn blocks<const COUNT: usize>(
        &mut self,
        first: usize,
        (participant, start, count): (usize, usize, usize),
    ) -> [usize; COUNT] {
        std::array::from_fn(|index| {
            let home = self.home(first + index);
            let row = &mut self.rows[first + index];
            row.block((participant, start, count), &mut self.jacobians, home)
        })
    }

    /// Adds the velocity of a link at a point to the last rows, whose entries for its tree begin at these indices.
    fn add_link<const COUNT: usize, const ANGULAR: bool>(
        &mut self,
        (of, link): (&Member<'_>, usize),
        point: &Vector3<f64>,
        directions: [Vector3<f64>; COUNT],
        entries: [usize; COUNT],
    ) {
        let target = of.pose.rotation.tr_mul(&(point - of.pose.position));
        let axes = directions.map(|direction| of.pose.rotation.tr_mul(&direction));
        let carried = if ANGULAR {
            of.base.velocity.angular
        } else {
            of.base.velocity.at(&target)
        };
        let first = self.rows.len() - COUNT;
        for (row, axis) in self.rows[first..].iter_mut().zip(&axes) {
            row.offset += axis.dot(&carried);
        }
        let jacobians = &mut self.jacobians;
        let work = &of.integrator.workspace;
        work.columns_at(of.tree, link, &target, |speed, column| {
            let moved = if ANGULAR {
                column.angular
            } else {
                column.linear
            };
            for (entry, axis) in entries.iter().zip(&axes) {
                jacobians[entry + speed] += axis.dot(&moved);
            }
        });
    }
}

/// Returns the elements of two vectors: those of a free body's velocities.
#[inline]
pub(super) fn joined(linear: &Vector3<f64>, angular: &Vector3<f64>) -> [f64; 6] {
    [
        linear.x, linear.y, linear.z, angular.x, angular.y, angular.z,
    ]
}
