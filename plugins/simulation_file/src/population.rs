//! Robots that are added to a simulation, or removed from it, while it runs.
use std::collections::{BTreeMap, BTreeSet};

use morse_diagnostics::Sources;

use super::drawn::read_drawn;
use super::index::Recorder;
use super::load::{Loaded, parsed, text_of};
use super::model::{Form, Repeat, Simulation};
use super::problem::Problems;
use super::read;
use super::reader::Reader;
use super::span::Spanned;
use super::tree::Node;
use super::vocabulary::Vocabulary;

/// Reads one robot in the form of the entries of `robots`: `(model: "robots/atrv.robray", at: (…), sensors: { … })`.
///
/// Returns a simulation with this robot only, and with the environment and the middlewares of `host`, to which the robot's
/// components refer. Its ranges are drawn from the seed of `host`. `shown` is the name of the text in messages.
pub fn load_robot(
    host: &Simulation,
    name: &str,
    (shown, text): (&str, &str),
    vocabulary: &dyn Vocabulary,
    sources: &mut Sources,
) -> Loaded {
    let source = sources.add(shown, text);
    let mut problems = Problems::new(false);
    let mut simulation = Simulation {
        environment: host.environment.clone(),
        middlewares: host.middlewares.clone(),
        ..Simulation::default()
    };
    let (text, objection) = text_of(text.as_bytes());
    if let Some(objection) = objection {
        problems.push(objection);
    }
    let name = Spanned::from(name.to_owned());
    if let Some(mut root) = parsed(text, source, "", &mut problems, false) {
        let middlewares = host.middlewares.iter();
        let middlewares: BTreeMap<_, _> = middlewares
            .map(|(name, middleware)| (name.value.clone(), middleware.kind.value.clone()))
            .collect();
        let read = |root: &Node, index: &mut Recorder, problems: &mut Problems| {
            let mut reader = Reader {
                vocabulary,
                problems,
                file: source,
                index,
                middlewares: middlewares.clone(),
            };
            read::robot(&mut reader, root, &name)
        };
        let at = (&["robots", name.as_str()][..], host.environment.seed);
        let mut index = Recorder::default();
        let (robot, drawn) = read_drawn(&mut root, at, &mut index, &mut problems, read);
        simulation.robots.extend(robot.map(|robot| (name, robot)));
        simulation.drawn = drawn;
    }
    Loaded {
        simulation,
        diagnostics: problems.into_sorted(),
        source,
    }
}

impl Simulation {
    /// Removes a robot, or one of the copies of a repeated robot; the other copies become entries of their own. Returns
    /// false if there is no such robot.
    pub fn remove_robot(&mut self, name: &str) -> bool {
        if let Some(robot) = self.robots.get(name)
            && robot.repeat.is_none()
        {
            self.robots.remove(name);
            let within = format!("robots.{name}.");
            self.drawn.retain(|drawn| !drawn.path.starts_with(&within));
            return true;
        }
        let copies = |(original, _): &(&Spanned<String>, _)| {
            let number = name.strip_prefix(original.as_str());
            number.is_some_and(|number| number.starts_with('_'))
        };
        let repeated = self
            .robots
            .iter()
            .filter(|(_, robot)| robot.repeat.is_some());
        let originals: Vec<Spanned<String>> = repeated
            .filter(copies)
            .map(|(original, _)| original.clone())
            .collect();
        originals.iter().any(|original| {
            self.make_copies_entries(original, name) && self.robots.remove(name).is_some()
        })
    }

    /// Replaces a repeated robot by its copies, if one of them has the given name. Returns false otherwise.
    fn make_copies_entries(&mut self, original: &Spanned<String>, name: &str) -> bool {
        let Some(robot) = self.robots.get(original.as_str()) else {
            return false;
        };
        let poses = robot.repeat.iter().flat_map(Repeat::poses);
        let copies = poses.zip(1_u32..).map(|(pose, number)| {
            let mut copy = robot.clone();
            copy.repeat = None;
            copy.at = robot.at * pose;
            let name = format!("{}_{number}", original.value);
            let name = Spanned {
                value: name,
                span: original.span,
            };
            (name, copy)
        });
        let copies: BTreeMap<_, _> = copies.collect();
        if !copies.contains_key(name) {
            return false;
        }
        self.robots.remove(original.as_str());
        self.robots.extend(copies);
        true
    }

    /// Removes the settings of frames that a scene no longer has, and those of joints whose variables are not among
    /// `variables`.
    pub fn remove_frames(&mut self, frames: &BTreeSet<String>, variables: &BTreeSet<&str>) {
        self.bodies
            .retain(|frame, _| !frames.contains(frame.as_str()));
        self.objects
            .retain(|frame, _| !frames.contains(frame.as_str()));
        self.joints
            .retain(|variable, _| variables.contains(variable.as_str()));
        self.closures.retain(|_, closure| {
            let mut ends = closure.frames.iter();
            !ends.any(|frame| frames.contains(frame.as_str()))
        });
    }

    /// Returns the name of the robot whose base is a frame, copies included.
    pub fn robot_on(&self, frame: &str) -> Option<String> {
        let mut instances = self.expand().into_iter();
        let on = instances.find(|instance| match &instance.robot.form {
            Form::Model(_) => instance.name == frame,
            Form::Frame(own) => own.value == frame,
        });
        on.map(|instance| instance.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load;

    fn simulation(text: &str) -> Simulation {
        let loaded = load(
            "test.ron",
            text.as_bytes(),
            &[],
            &(),
            &mut Sources::default(),
        );
        assert!(loaded.is_fine(), "{:?}", loaded.diagnostics);
        loaded.simulation
    }

    fn names(simulation: &Simulation) -> Vec<(String, f64)> {
        let robots = simulation.expand().into_iter();
        robots
            .map(|robot| (robot.name, robot.at.translation.x))
            .collect()
    }

    #[test]
    fn a_copy_leaves_and_the_others_stay_where_they_are() {
        let text = r#"Simulation(robots: {
            "van": (model: "van.robray", repeat: (count: 3, pattern: line((2, 0, 0)))),
            "van_x": (model: "van.robray", at: (translation: (9, 0, 0))),
        })"#;
        let mut fleet = simulation(text);
        let all = names(&fleet);
        assert!(!fleet.remove_robot("van_4") && !fleet.remove_robot("van"));
        assert_eq!(names(&fleet), all);
        assert!(fleet.remove_robot("van_2"));
        let left: Vec<_> = all
            .iter()
            .filter(|(name, _)| name != "van_2")
            .cloned()
            .collect();
        assert_eq!(names(&fleet), left);
        assert!(fleet.remove_robot("van_x") && !fleet.remove_robot("van_2"));
        assert_eq!(names(&fleet).len(), 2);
        assert_eq!(fleet.robot_on("van_3"), Some("van_3".to_owned()));
    }

    #[test]
    fn a_robot_refers_to_the_middlewares_of_its_host() {
        let host = simulation(r#"Simulation(environment: (rate: 50), middlewares: {})"#);
        let read = |text: &str| {
            let loaded = load_robot(&host, "van", ("van", text), &(), &mut Sources::default());
            let problems = loaded.diagnostics.iter();
            let problems: Vec<_> = problems.map(|problem| problem.message.clone()).collect();
            (loaded.simulation, problems)
        };
        let (alone, problems) = read("(model: \"van.robray\", at: (translation: (1, 0, 0)))");
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(names(&alone), [("van".to_owned(), 1.0)]);
        assert_eq!(alone.environment.rate.value, 50.0);
        let (drawn, problems) = read("(model: \"van.robray\", mass: between(2, 4))");
        assert_eq!(problems, Vec::<String>::new());
        let whole = simulation(
            "Simulation(robots: { \"van\": (model: \"van.robray\", mass: between(2, 4)) })",
        );
        // As in a file.
        assert_eq!(drawn.drawn, whole.drawn);
        assert_eq!(drawn.drawn[0].path, "robots.van.mass");
        let (_, problems) = read("(model: \"van.robray\", mass: between(-2, 4))");
        assert_eq!(problems.len(), 1, "{problems:?}");
        for wrong in [
            "",
            "(",
            "(raduis: \"a\")",
            "(model: \"a\"), \"b\": ()",
            "[]",
            "\0",
        ] {
            assert!(!read(wrong).1.is_empty(), "{wrong}");
        }
    }
}
