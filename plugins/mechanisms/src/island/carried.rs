//! Free bodies that friction carries along with links.
//!
//! The velocities of a free body before and after a step are symmetric about its middle where it turns with a link, as on a
//! turntable; if they were those of the surface in the middle of the step, the body would drift outwards. All contacts of a
//! body have such velocities, or none: they would contradict each other otherwise. Bodies that press other free bodies have none.
use super::{Contact, Island, Side};

/// Fraction of the friction limit up to which a contact sticks.
const STICKING: f64 = 0.99;

/// Gap up to which free bodies press each other, m.
const NEAR: f64 = 1e-3;

impl Island {
    /// Finds the free bodies that friction has held on links in the last step.
    pub(super) fn find_carried(&mut self, contacts: &[Contact], bodies: usize) {
        self.carried.clear();
        self.carried.resize(bodies, None);
        for contact in contacts {
            let load = contact.normal.dot(&contact.impulse);
            match contact.sides {
                [Side::Body(one), Side::Body(other)] if contact.distance < NEAR || load > 0.0 => {
                    (self.carried[one], self.carried[other]) = (Some(false), Some(false));
                }
                [Side::Body(_), Side::Body(_)] => {}
                [Side::Body(body), _] | [_, Side::Body(body)] if load > 0.0 => {
                    let holds = contact.slip.is_some() && sticks(contact);
                    let known = &mut self.carried[body];
                    *known = Some(holds && *known != Some(false));
                }
                _ => {}
            }
        }
    }

    /// Returns true if a contact is one of a free body that friction carries along.
    pub(super) fn is_carried(&self, contact: &Contact) -> bool {
        match contact.sides {
            [Side::Body(_), Side::Body(_)] => false,
            [Side::Body(body), _] | [_, Side::Body(body)] => self.carried[body] == Some(true),
            _ => false,
        }
    }
}

/// Returns true if friction held the sides of a contact in the last step.
fn sticks(contact: &Contact) -> bool {
    let normal = contact.normal.dot(&contact.impulse);
    let across = contact.impulse - contact.normal * normal;
    across.norm() < STICKING * contact.friction * normal
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Vector3;

    const LINK: Side = Side::Link { member: 0, link: 0 };

    fn contact(sides: [Side; 2], distance: f64, impulse: Vector3<f64>) -> Contact {
        Contact {
            sides,
            friction_sides: sides,
            point: Vector3::zeros(),
            normal: Vector3::z(),
            separation_velocity: None,
            slip: Some(Vector3::zeros()),
            distance,
            friction: 0.5,
            restitution: 0.0,
            tangent_velocity: Vector3::zeros(),
            share: 1.0,
            impulse,
        }
    }

    #[test]
    fn all_contacts_of_a_body_are_carried_or_none() {
        let (held, slipping) = (Vector3::new(0.3, 0.0, 1.0), Vector3::new(0.5, 0.0, 1.0));
        let on_link = |body, impulse| contact([LINK, Side::Body(body)], 0.0, impulse);
        let between = |gap| contact([Side::Body(4), Side::Body(5)], gap, Vector3::zeros());
        let contacts = [
            on_link(0, held),
            on_link(1, held),
            on_link(1, slipping),
            on_link(2, slipping),
            on_link(2, held),
            on_link(3, Vector3::zeros()),
            on_link(4, held),
            on_link(5, held),
            between(0.01),
        ];
        let mut island = Island::default();
        island.find_carried(&contacts, 7);
        let expected = [
            Some(true),
            Some(false),
            Some(false),
            None,
            Some(true),
            Some(true),
            None,
        ];
        assert_eq!(island.carried, expected);
        let carried = contacts.map(|contact| island.is_carried(&contact));
        assert_eq!(
            carried,
            [true, false, false, false, false, false, true, true, false]
        );

        // Two boxes that stand side by side press each other.
        let side_by_side = [on_link(4, held), between(1e-4), on_link(5, held)];
        island.find_carried(&side_by_side, 7);
        assert!(
            !side_by_side
                .iter()
                .any(|contact| island.is_carried(contact))
        );
    }
}
