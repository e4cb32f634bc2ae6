//! Steps of trees that nothing touches. Four equal ones are integrated together: see [`morse_mechanisms::lanes`].
use std::mem;

use morse_mechanisms::{
    Workspace,
    island::Island,
    lanes::{LANE_COUNT, LaneWorkspace},
};

use super::{TreeRow, link_state::LinkState, taken::Taken};

/// Steps of trees that nothing touches, with workspaces by model.
#[derive(Default)]
pub(super) struct LoneSteps {
    island: Island,
    models: Vec<Option<Model>>,
}

/// Equal trees.
struct Model {
    workspace: Box<Workspace>,
    /// Workspace of four trees; `None` if this processor cannot integrate them together.
    lanes: Option<Box<LaneWorkspace>>,
    /// Trees of this step that wait for others.
    waiting: Vec<Taken>,
}

impl LoneSteps {
    /// Returns a solver; contacts have this natural frequency, Hz.
    pub(super) fn new(contact_frequency: f64) -> Self {
        Self {
            island: Island::new(contact_frequency),
            models: Vec::new(),
        }
    }

    /// Integrates a tree by `dt` seconds, or lets it wait for [`finish`](Self::finish) or equal trees. Adds to `done` the
    /// trees that were integrated.
    ///
    /// A tree that nothing looks at uses the workspaces of its model, which are in the processor's cache.
    pub(super) fn step(
        &mut self,
        mut one: Taken,
        rows: &[TreeRow],
        dt: f64,
        done: &mut Vec<Taken>,
    ) {
        if !one.is_hidden() {
            one.step(rows, &mut self.island, dt);
            done.push(one);
            return;
        }
        let row = &rows[one.index];
        let model = of(&mut self.models, row);
        let can_wait = model.lanes.is_some()
            && one.external_forces.is_empty()
            && one.integrator.accepts_terms(&row.tree, &one.motion);
        if !can_wait {
            model.step(&mut one, rows, &mut self.island, dt);
            done.push(one);
            return;
        }
        model.waiting.push(one);
        if let (Some(four), Some(lanes)) = (model.waiting.first_chunk_mut(), &mut model.lanes) {
            step_together(
                four,
                (lanes, &mut model.workspace),
                rows,
                &mut self.island,
                dt,
            );
            done.append(&mut model.waiting);
        }
    }

    /// Integrates the trees that wait. Adds them to `done`.
    pub(super) fn finish(&mut self, rows: &[TreeRow], dt: f64, done: &mut Vec<Taken>) {
        for model in self.models.iter_mut().flatten() {
            let mut waiting = mem::take(&mut model.waiting);
            for one in &mut waiting {
                model.step(one, rows, &mut self.island, dt);
            }
            done.append(&mut waiting);
            model.waiting = waiting;
        }
    }
}

/// Returns the model of a tree.
fn of<'a>(models: &'a mut Vec<Option<Model>>, row: &TreeRow) -> &'a mut Model {
    let count = models.len().max(row.model + 1);
    models.resize_with(count, || None);
    models[row.model].get_or_insert_with(|| Model {
        workspace: Box::new(Workspace::new(&row.tree)),
        lanes: LaneWorkspace::new(&row.tree).map(Box::new),
        waiting: Vec::new(),
    })
}

impl Model {
    /// Integrates a tree by `dt` seconds.
    fn step(&mut self, one: &mut Taken, rows: &[TreeRow], island: &mut Island, dt: f64) {
        one.is_outdated = true;
        mem::swap(&mut one.integrator.workspace, &mut self.workspace);
        one.step(rows, island, dt);
        mem::swap(&mut one.integrator.workspace, &mut self.workspace);
    }
}

/// Integrates equal trees by `dt` seconds.
fn step_together(
    four: &mut [Taken; LANE_COUNT],
    (lanes, workspace): (&mut LaneWorkspace, &mut Box<Workspace>),
    rows: &[TreeRow],
    island: &mut Island,
    dt: f64,
) {
    let row = &rows[four[0].index];
    let each = four.each_ref();
    let integrators = each.map(|one| &*one.integrator);
    lanes.compute_terms(&row.tree, integrators, each.map(|one| &one.base));
    for (lane, one) in four.iter_mut().enumerate() {
        (one.is_unposed, one.is_outdated) = (false, true);
        mem::swap(&mut one.integrator.workspace, workspace);
        lanes.store_terms(lane, &mut one.integrator);
        one.integrate(rows, island, dt);
        mem::swap(&mut one.integrator.workspace, workspace);
    }
    let each = four.each_ref();
    let (states, bases) = (each.map(|one| &one.motion), each.map(|one| &one.base));
    let bases = (bases, each.map(|one| &one.base_pose));
    let motions = lanes.link_motions(&row.tree, states, bases, &row.centers);
    for (lane, one) in four.iter_mut().enumerate() {
        let links = motions.iter().zip(&row.centers);
        one.links.clear();
        one.links.extend(links.map(|(motion, center)| {
            LinkState::new(&motion[lane].pose, center, motion[lane].velocity)
        }));
    }
}
