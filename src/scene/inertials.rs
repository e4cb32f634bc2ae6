//! Masses of the frames of a scene.
use morse_api::motion::MotionMode;
use morse_description::write::Inertial;
use morse_diagnostics::Diagnostic;
use morse_physics::prepare::prepare;
use morse_scene::{
    assembly::{Assembly, layout},
    model::Scene,
};

/// Returns the masses of all frames, as they are simulated.
///
/// # Errors
///
/// The scene cannot be simulated.
pub(crate) fn inertials(scene: &Scene) -> Result<Vec<Option<Inertial>>, Vec<Diagnostic>> {
    let assembly = Assembly {
        scene: scene.clone(),
        ..Assembly::default()
    };
    let layout = layout(&assembly)?;
    let prepared = prepare(&layout, scene, MotionMode::Default)?;
    let mut inertials = vec![None; scene.frames().len()];
    for (frame, mass) in prepared.frame_masses(&layout) {
        if let Some(inertial) = inertials.get_mut(frame).filter(|_| mass.mass > 0.0) {
            *inertial = Some(Inertial {
                mass: mass.mass,
                center: mass.center,
                inertia: mass.inertia,
            });
        }
    }
    Ok(inertials)
}
