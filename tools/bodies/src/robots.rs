//! Bodies of the robots. Lengths are those of the real robots; where these are not published, they are estimates.
mod arms;
mod atrv;
mod bases;
mod ers210;
mod ers7;
mod human;
mod hummer;
mod kuka;
mod morsy;
mod pioneer;
mod pr2;
mod quadrotor;
mod vehicles;
mod wheels;

use crate::{hidden, mesh::Mesh};

/// Returns the meshes of all robots, sorted by name, without hidden faces.
pub(crate) fn all() -> Vec<Mesh> {
    let mut meshes = [
        arms::meshes(),
        atrv::meshes(),
        bases::meshes(),
        ers210::meshes(),
        ers7::meshes(),
        human::meshes(),
        hummer::meshes(),
        kuka::meshes(),
        morsy::meshes(),
        pioneer::meshes(),
        pr2::meshes(),
        quadrotor::meshes(),
        vehicles::meshes(),
    ]
    .concat();
    for mesh in &mut meshes {
        hidden::remove(&mut mesh.parts);
    }
    meshes.sort_by_key(|mesh| mesh.name);
    meshes
}
