//! Distribution of the time of systems over components and middlewares: a system runs all sensors of its kind, and passes
//! their readings to all ports, so that its time is distributed by frequency.
use std::collections::BTreeMap;

use bevy::prelude::World;
use morse_api::{
    component::{ComponentPath, UpdateRate},
    kind::KindOf,
    state::InPathOrder,
};

use super::Time;
use crate::service::simulation::Wiring;

/// A sensor or an actuator, with its connections.
pub(super) struct Owner {
    path: String,
    frequency: f64,
    /// Kinds of the middlewares that receive its readings, one per port.
    ports: Vec<String>,
}

/// The components of a world.
#[derive(Default)]
pub(super) struct Owners {
    /// Components by kind, in path order.
    pub(super) kinds: BTreeMap<&'static str, Vec<Owner>>,
}

impl Owners {
    pub(super) fn of(world: &World) -> Self {
        let mut owners = Self::default();
        let wiring = world.get_resource::<Wiring>();
        let order = world.get_resource::<InPathOrder>();
        for &entity in order.iter().flat_map(|order| &order.0) {
            let names = (
                world.get::<KindOf>(entity),
                world.get::<ComponentPath>(entity),
            );
            // Overlays act in requests only.
            let (Some(rate), (Some(kind), Some(path))) = (world.get::<UpdateRate>(entity), names)
            else {
                continue;
            };
            let path = path.to_string();
            let robots = wiring.iter().flat_map(|wiring| wiring.robots.values());
            let mut wired = robots.filter_map(|robot| robot.components.get(&path));
            let streams = wired.next().map(|component| component.streams.as_slice());
            let out = streams.unwrap_or_default().iter();
            let out = out.filter(|(_, direction)| *direction == "OUT");
            owners.kinds.entry(kind.0).or_default().push(Owner {
                ports: out.map(|(kind, _)| kind.clone()).collect(),
                path,
                frequency: rate.frequency,
            });
        }
        owners
    }
}

/// A component with its fraction of the time of its kind.
pub(super) struct ComponentShare {
    pub(super) path: String,
    pub(super) kind: &'static str,
    pub(super) seconds: f64,
    pub(super) is_shared: bool,
}

/// Times of kinds, of components, and of middlewares by kind, s.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) kinds: BTreeMap<&'static str, f64>,
    pub(super) components: Vec<ComponentShare>,
    pub(super) middlewares: BTreeMap<String, f64>,
}

pub(super) fn share_out(owners: &Owners, times: &[Time]) -> Shared {
    let mut shared = Shared::default();
    for (&kind, all) in &owners.kinds {
        let own = times.iter().filter(|time| time.kind == Some(kind));
        let (mut measuring, mut handing) = (0.0, 0.0);
        for time in own {
            let cost = if time.phase == "Outputs" {
                &mut handing
            } else {
                &mut measuring
            };
            *cost += time.seconds;
        }
        let readings = all
            .iter()
            .map(|owner| owner.frequency * owner.ports.len() as f64);
        let readings: f64 = readings.sum();
        if readings > 0.0 {
            for owner in all {
                for port in &owner.ports {
                    let seconds = handing * owner.frequency / readings;
                    *shared.middlewares.entry(port.clone()).or_default() += seconds;
                }
            }
        } else {
            measuring += handing;
        }
        shared.kinds.insert(kind, measuring);
        let acts: f64 = all.iter().map(|owner| owner.frequency).sum();
        shared
            .components
            .extend(all.iter().map(|owner| ComponentShare {
                path: owner.path.clone(),
                kind,
                seconds: if acts > 0.0 {
                    measuring * owner.frequency / acts
                } else {
                    0.0
                },
                is_shared: all.len() > 1,
            }));
    }
    shared
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(path: &str, frequency: f64, ports: &[&str]) -> Owner {
        Owner {
            path: path.to_owned(),
            frequency,
            ports: ports.iter().map(|port| (*port).to_owned()).collect(),
        }
    }

    fn time(phase: &'static str, kind: &'static str, seconds: f64) -> Time {
        Time {
            name: String::new(),
            phase,
            kind: Some(kind),
            seconds,
        }
    }

    #[test]
    fn what_a_kind_costs_goes_to_its_components_and_their_middlewares() {
        let owners = Owners {
            kinds: BTreeMap::from([
                (
                    "pose",
                    vec![
                        owner("a.pose", 30.0, &["socket"]),
                        owner("b.pose", 10.0, &["socket", "text"]),
                    ],
                ),
                ("gps", vec![owner("a.gps", 5.0, &[])]),
            ]),
        };
        let times = [
            time("DefaultAction", "pose", 3.0),
            time("Modifiers", "pose", 1.0),
            time("Outputs", "pose", 5.0),
            time("DefaultAction", "gps", 2.0),
            time("Outputs", "gps", 0.5),
        ];
        let shared = share_out(&owners, &times);
        assert_eq!(shared.kinds, BTreeMap::from([("gps", 2.5), ("pose", 4.0)]));
        let components = shared.components.iter();
        let components: Vec<(&str, f64, bool)> = components
            .map(|one| (one.path.as_str(), one.seconds, one.is_shared))
            .collect();
        assert_eq!(
            components,
            [
                ("a.gps", 2.5, false),
                ("a.pose", 3.0, true),
                ("b.pose", 1.0, true)
            ]
        );
        let of = |kind: &str| shared.middlewares.get(kind).copied();
        assert_eq!((of("socket"), of("text")), (Some(4.0), Some(1.0)));
    }
}
