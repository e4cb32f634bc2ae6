//! Steps of trees that nothing touches. Two to four equal ones are integrated together: see [`morse_mechanisms::lanes`].
use std::mem;

use morse_mechanisms::{
    Workspace,
    island::Island,
    lanes::{LANE_COUNT, LaneWorkspace},
};

use super::{
    TreeRow,
    link_state::LinkState,
    taken::{Taken, TakenTrees},
};

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
    waiting: TakenTrees,
}

impl LoneSteps {
    /// Returns a solver; contacts have this natural frequency, Hz.
    pub(super) fn new(contact_frequency: f64) -> Self {
        Self {
            island: Island::new(contact_frequency),
            models: Vec::new(),
        }
    }

    /// Integrates a tree by `dt` seconds, or lets it wait for equal trees or [`finish`](Self::finish). Adds to `done` the
    /// trees that were integrated.
    pub(super) fn step(
        &mut self,
        mut one: Box<Taken>,
        rows: &[TreeRow],
        dt: f64,
        done: &mut TakenTrees,
    ) {
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
        if model.waiting.len() == LANE_COUNT {
            model.finish(rows, &mut self.island, dt, done);
        }
    }

    /// Integrates the trees that wait. Adds them to `done`.
    pub(super) fn finish(&mut self, rows: &[TreeRow], dt: f64, done: &mut TakenTrees) {
        for model in self.models.iter_mut().flatten() {
            model.finish(rows, &mut self.island, dt, done);
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
    /// Integrates the trees that wait. Adds them to `done`.
    fn finish(&mut self, rows: &[TreeRow], island: &mut Island, dt: f64, done: &mut TakenTrees) {
        let mut waiting = mem::take(&mut self.waiting);
        match (&mut waiting[..], &mut self.lanes) {
            (several @ [_, _, ..], Some(lanes)) => {
                step_together(several, (lanes, &mut self.workspace), rows, island, dt);
            }
            (few, _) => {
                for one in few {
                    self.step(one, rows, island, dt);
                }
            }
        }
        done.append(&mut waiting);
        self.waiting = waiting;
    }

    /// Integrates a tree by `dt` seconds.
    ///
    /// A tree that nothing looks at uses the workspace of its model, which is in the processor's cache.
    fn step(&mut self, one: &mut Taken, rows: &[TreeRow], island: &mut Island, dt: f64) {
        one.is_outdated = one.is_hidden();
        if !one.is_outdated {
            one.step(rows, island, dt);
            return;
        }
        mem::swap(&mut one.integrator.workspace, &mut self.workspace);
        one.step(rows, island, dt);
        mem::swap(&mut one.integrator.workspace, &mut self.workspace);
    }
}

/// Integrates up to four equal trees by `dt` seconds. It pays for two of them.
fn step_together(
    trees: &mut [Box<Taken>],
    (lanes, workspace): (&mut LaneWorkspace, &mut Box<Workspace>),
    rows: &[TreeRow],
    island: &mut Island,
    dt: f64,
) {
    let row = &rows[trees[0].index];
    let each = fill(trees);
    let integrators = each.map(|one| &*one.integrator);
    lanes.compute_terms(&row.tree, integrators, each.map(|one| &one.base));
    for (lane, one) in trees.iter_mut().enumerate() {
        let Taken {
            integrator, motion, ..
        } = &mut **one;
        lanes.prepare(lane, &row.tree, (integrator, motion), dt);
    }
    lanes.solve();
    for (lane, one) in trees.iter_mut().enumerate() {
        let is_hidden = one.is_hidden();
        one.is_unposed = false;
        if is_hidden {
            mem::swap(&mut one.integrator.workspace, workspace);
        }
        lanes.store_terms(lane, &mut one.integrator, dt);
        one.integrate(rows, island, dt);
        if is_hidden {
            mem::swap(&mut one.integrator.workspace, workspace);
        }
        // Its own workspace does not get the poses after the step.
        one.is_outdated = one.arrives;
    }
    let each = fill(trees);
    let (states, bases) = (each.map(|one| &one.motion), each.map(|one| &one.base));
    let bases = (bases, each.map(|one| &one.base_pose));
    let motions = lanes.link_motions(&row.tree, states, bases, &row.centers);
    for (lane, one) in trees.iter_mut().enumerate() {
        let links = motions.iter().zip(&row.centers);
        one.links.clear();
        if one.arrives {
            one.links.extend(links.map(|(motion, center)| {
                LinkState::new(&motion[lane].pose, center, motion[lane].velocity)
            }));
        }
    }
}

/// Returns a tree for each lane: the last one several times, if there are fewer.
fn fill(trees: &[Box<Taken>]) -> [&Taken; LANE_COUNT] {
    std::array::from_fn(|lane| &*trees[lane.min(trees.len() - 1)])
}
