//! Environments that advance at the same time, in as many threads as there are processors, with all their numbers in shared
//! memory.
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;

use crate::{
    core::Core,
    failure::Failure,
    link::{Link, Task},
    lock::{Refusal, RoomLock},
    pool::Pool,
    room::Room,
    shared::Numbers,
    stop::Stop,
    ticks,
};

/// Begin of an episode: the seed of the simulation, and values that are set in its file.
type Start = (u64, Vec<String>);

/// Environments of the same task.
#[pyclass(frozen, module = "morse_sim._native")]
pub(crate) struct Batch {
    rooms: Mutex<Vec<Arc<RoomLock>>>,
    job: Arc<Job>,
    pool: Pool,
}

/// Task and memory that the environments share.
struct Job {
    task: Task,
    /// Ticks per simulated second, from which the ticks of an action follow; zero without environments.
    rate: f64,
    /// Number of numbers of each field that is read.
    sizes: Vec<usize>,
    /// Fields that are read, one row per environment.
    rows: Numbers,
    actions: Numbers,
    /// Time (s), and 1 for each expression of an end that is true.
    outcomes: Numbers,
}

/// End of a step of one environment, if it could be made.
type End = Result<Result<Outcome, Failure>, Refusal>;

/// End of a step of one environment.
enum Outcome {
    Fine,
    /// The physics lost a body.
    Fault(String),
}

#[pymethods]
impl Batch {
    /// Resolves the names of a task in simulations that have made their first tick.
    #[new]
    fn new(py: Python<'_>, cores: Vec<Py<Core>>, task: Task) -> PyResult<Self> {
        let mut sizes = None;
        let mut rate = 0.0;
        for core in &cores {
            let task = task.clone();
            let measure = move |room: &mut Room, _: &Stop| {
                let mut link = Link::new(&room.simulation, &task)?;
                let sizes = link.sizes(&room.simulation)?;
                room.link = Some(link);
                Ok((sizes, room.simulation.clock().rate))
            };
            let (own, own_rate) = core.get().room.attempt(py, measure)?;
            rate = own_rate;
            if sizes.get_or_insert_with(|| own.clone()) != &own {
                let text = "the environments have observations of different lengths";
                return Err(Failure::access(text).into_error(py));
            }
        }
        let sizes: Vec<usize> = sizes.unwrap_or_default();
        let job = Job {
            rows: Numbers::new(cores.len(), sizes.iter().sum()),
            actions: Numbers::new(cores.len(), task.action_size()),
            outcomes: Numbers::new(cores.len(), 1 + task.ends()),
            sizes,
            rate,
            task,
        };
        let rooms = cores.iter().map(|core| Arc::clone(&core.get().room));
        Ok(Self {
            pool: Pool::new(cores.len()),
            rooms: Mutex::new(rooms.collect()),
            job: Arc::new(job),
        })
    }

    /// Number of numbers of each field that is read.
    #[getter]
    fn sizes(&self) -> Vec<usize> {
        self.job.sizes.clone()
    }

    #[getter]
    fn rows(&self) -> Numbers {
        self.job.rows.clone()
    }

    #[getter]
    fn actions(&self) -> Numbers {
        self.job.actions.clone()
    }

    #[getter]
    fn outcomes(&self) -> Numbers {
        self.job.outcomes.clone()
    }

    /// Replaces the simulation of an environment; its next step has to begin an episode.
    fn replace(&self, index: usize, core: Py<Core>) {
        let mut rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(old) = rooms.get_mut(index) {
            *old = Arc::clone(&core.get().room);
        }
    }

    /// Makes one step of all environments at the same time: begins an episode where there is a start, otherwise sends the
    /// action and advances by one period. Returns the environments in which the simulation failed, with the reasons.
    fn step(&self, py: Python<'_>, starts: Vec<Option<Start>>) -> PyResult<Vec<(usize, String)>> {
        self.each(py, starts.into_iter().enumerate().collect())
    }

    /// Begins episodes where there is a start; the other environments stay as they are. Returns failures, as `step` does.
    fn begin(&self, py: Python<'_>, starts: Vec<Option<Start>>) -> PyResult<Vec<(usize, String)>> {
        let starts = starts.into_iter().enumerate();
        self.each(py, starts.filter(|(_, start)| start.is_some()).collect())
    }
}

impl Batch {
    /// Makes a step of some environments at the same time.
    fn each(
        &self,
        py: Python<'_>,
        starts: Vec<(usize, Option<Start>)>,
    ) -> PyResult<Vec<(usize, String)>> {
        let ends = py.detach(|| self.run(starts));
        let (ends, exceptions): (Vec<_>, Vec<_>) = ends.into_iter().unzip();
        if let Some(exception) = exceptions.into_iter().flatten().next() {
            return Err(exception);
        }
        let mut faults = Vec::new();
        for (row, end) in ends {
            match end {
                Ok(Ok(Outcome::Fine)) => {}
                Ok(Ok(Outcome::Fault(why))) | Err(Refusal::Panicked(why)) => {
                    faults.push((row, why));
                }
                Ok(Err(failure)) => return Err(failure.into_error(py)),
                Err(refusal) => return Err(refusal.into_failure().into_error(py)),
            }
        }
        Ok(faults)
    }

    /// Makes the steps. Returns their ends by row, and the exceptions of signals.
    fn run(&self, starts: Vec<(usize, Option<Start>)>) -> Vec<((usize, End), Option<PyErr>)> {
        let rooms = self.rooms.lock().unwrap_or_else(PoisonError::into_inner);
        let rooms = rooms.clone();
        let count = starts.len();
        let flag = Arc::default();
        let waiting = Stop::with(Arc::clone(&flag));
        let job = Arc::clone(&self.job);
        let step = move |index: usize| {
            let (row, start) = starts.get(index)?;
            let room = rooms.get(*row)?;
            let stop = Stop::with(Arc::clone(&flag));
            let end = room.run(&stop, |room, stop| {
                job.step(room, *row, start.clone(), stop)
            });
            Some(((*row, end), stop.into_exception()))
        };
        if count == 1 {
            return step(0).into_iter().collect();
        }
        let ends = self.pool.map(count, step, || {
            waiting.is_set();
        });
        let mut ends: Vec<_> = ends.into_iter().flatten().collect();
        // A signal that came while this thread waited for the others has stopped them.
        if let (Some(exception), Some((_, last))) = (waiting.into_exception(), ends.last_mut()) {
            last.get_or_insert(exception);
        }
        ends
    }
}

impl Job {
    fn step(
        &self,
        room: &mut Room,
        row: usize,
        start: Option<Start>,
        stop: &Stop,
    ) -> Result<Outcome, Failure> {
        let is_start = start.is_some();
        if let Some((seed, set)) = start {
            room.restart(seed, set)?;
            self.check_rate(room.simulation.clock().rate)?;
            ticks::advance(room, 1, stop)?;
            room.link = Some(Link::new(&room.simulation, &self.task)?);
        }
        let Some(mut link) = room.link.take() else {
            let text = "the environment has no episode: call `reset` first";
            return Err(Failure::state(text));
        };
        let outcome = self.observe(room, &mut link, (row, is_start), stop);
        room.link = Some(link);
        outcome
    }

    /// Refuses an episode with another rate, in which the actions would have another duration.
    fn check_rate(&self, rate: f64) -> Result<(), Failure> {
        if rate.to_bits() == self.rate.to_bits() {
            return Ok(());
        }
        let text = format!(
            "the rate of this episode is {rate} Hz, that of the first one was {} Hz: an action has {} ticks in all episodes, so \
             leave `environment.rate` out of `randomize`, and give it one value in the simulation file",
            self.rate, self.task.ticks,
        );
        Err(Failure::access(text))
    }

    /// Sends the action and advances, unless an episode begins; then writes the observation.
    fn observe(
        &self,
        room: &mut Room,
        link: &mut Link,
        (row, is_start): (usize, bool),
        stop: &Stop,
    ) -> Result<Outcome, Failure> {
        if !is_start {
            link.command(&self.actions, row)?;
            for _ in 0..self.task.ticks {
                ticks::advance(room, 1, stop)?;
                link.look(&room.simulation);
            }
        }
        let simulation = &room.simulation;
        link.observe(simulation, &self.sizes, (&self.rows, row))?;
        let mut outcome = vec![simulation.seconds()];
        link.ended(&mut outcome)?;
        self.outcomes.write(row, &outcome);
        Ok(match simulation.lost_bodies().first() {
            Some(body) => Outcome::Fault(body.to_string()),
            None => Outcome::Fine,
        })
    }
}
