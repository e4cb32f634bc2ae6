//! Messages of contact sensors.
use nalgebra::Vector3;

use crate::{
    data::Sample,
    messages::{ContactState, ContactsState, Flag, Wrench},
};

/// Returns the contacts of a reading, one state per pair of part and object, in the order of their first points.
pub(crate) fn states(sample: &Sample<'_>) -> ContactsState {
    let [objects, parts] = ["objects", "parts"].map(|name| sample.texts(name));
    let [points, normals, forces] =
        ["points", "normals", "forces"].map(|name| sample.triples(name));
    let depths = sample.numbers("depths");
    let mut states: Vec<ContactState> = Vec::new();
    for (at, (object, part)) in objects.iter().zip(parts).enumerate() {
        let vector = |list: &[[f64; 3]]| Vector3::from(list.get(at).copied().unwrap_or_default());
        let (point, force) = (vector(points), vector(forces));
        let is_pair = |state: &ContactState| {
            state.collision1_name == *part && state.collision2_name == *object
        };
        let state_index = states.iter().position(is_pair).unwrap_or_else(|| {
            states.push(ContactState {
                info: format!("{part} touches {object}"),
                collision1_name: part.clone(),
                collision2_name: object.clone(),
                ..ContactState::default()
            });
            states.len() - 1
        });
        let state = &mut states[state_index];
        state.wrenches.push(Wrench::new(&force, &Vector3::zeros()));
        state
            .total_wrench
            .add(&Wrench::new(&force, &point.cross(&force)));
        state.contact_positions.push(point.into());
        state.contact_normals.push(vector(normals).into());
        state
            .depths
            .push(depths.get(at).copied().unwrap_or_default());
    }
    ContactsState {
        header: sample.own_header(),
        states,
    }
}

/// Returns the field `contact` of a reading.
pub(crate) fn flag(sample: &Sample<'_>) -> Flag {
    Flag {
        data: sample.flag("contact"),
    }
}

impl Wrench {
    pub(crate) fn new(force: &Vector3<f64>, torque: &Vector3<f64>) -> Self {
        Self {
            force: (*force).into(),
            torque: (*torque).into(),
        }
    }

    fn add(&mut self, other: &Self) {
        for (sum, more) in [
            (&mut self.force, &other.force),
            (&mut self.torque, &other.torque),
        ] {
            sum.x += more.x;
            sum.y += more.y;
            sum.z += more.z;
        }
    }
}
