//! Services of an object, their names, and the numbers of its entries.
use std::{fmt, str::FromStr};

/// Side of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The side that sends data.
    Subject,
    /// The side that receives them.
    Observer,
}

/// Name of a service, such as `Camera.Image.Pixels.S`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ServiceName {
    /// First field: usually the object. It may contain dots, as paths of components do.
    pub object: String,
    /// Second field: name of the service within the object.
    pub service: String,
    /// Third field: type of the data, equal at both ends of a link.
    pub data: String,
    /// Fourth field: `S` or `O`.
    pub side: Side,
}

/// Maximum length of the name of a service.
pub const LONGEST_NAME: usize = 127;

impl fmt::Display for ServiceName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Subject => 'S',
            Side::Observer => 'O',
        };
        write!(f, "{}.{}.{}.{side}", self.object, self.service, self.data)
    }
}

/// A text is no name of a service.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidServiceName {
    /// It is too long.
    #[error("a service's name has at most {LONGEST_NAME} characters, not {0}")]
    TooLong(usize),
    /// It has less than four fields.
    #[error("invalid service name `{0}`: expected four fields, as in `Camera.Image.Pixels.S`")]
    FewFields(String),
    /// One of its fields is empty.
    #[error("`{0}` has an empty field")]
    EmptyField(String),
    /// Its last field is no side.
    #[error("`{side}` in `{name}` is neither `S` nor `O`")]
    Side {
        /// The last field.
        side: String,
        /// The text.
        name: String,
    },
}

impl FromStr for ServiceName {
    type Err = InvalidServiceName;

    fn from_str(text: &str) -> Result<Self, InvalidServiceName> {
        if text.len() > LONGEST_NAME {
            return Err(InvalidServiceName::TooLong(text.len()));
        }
        let mut fields = text.rsplitn(4, '.');
        let (side, data, service, object) =
            (fields.next(), fields.next(), fields.next(), fields.next());
        let (Some(side), Some(data), Some(service), Some(object)) = (side, data, service, object)
        else {
            return Err(InvalidServiceName::FewFields(text.to_owned()));
        };
        if [data, service, object]
            .iter()
            .any(|field| field.trim().is_empty())
        {
            return Err(InvalidServiceName::EmptyField(text.to_owned()));
        }
        let side = match side {
            "S" => Side::Subject,
            "O" => Side::Observer,
            other => {
                return Err(InvalidServiceName::Side {
                    side: other.to_owned(),
                    name: text.to_owned(),
                });
            }
        };
        Ok(Self {
            object: object.to_owned(),
            service: service.to_owned(),
            data: data.to_owned(),
            side,
        })
    }
}

/// Service as declared by an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
    /// Name of the service.
    pub name: ServiceName,
    /// True if the object handles connections; otherwise they are accepted.
    pub hears_connections: bool,
    /// True if the object handles readiness (a subject) or data (an observer).
    pub hears_events: bool,
}

/// Services and extra entries of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// Name of the object.
    pub object: String,
    /// Subjects, in the order of their indices.
    pub subjects: Vec<Service>,
    /// Observers, in the order of their indices.
    pub observers: Vec<Service>,
    /// Names of extra entries, in the order of their indices.
    pub extras: Vec<String>,
}

impl Interface {
    /// Returns the interface of an object without services.
    #[must_use]
    pub fn new(object: &str) -> Self {
        Self {
            object: object.to_owned(),
            ..Self::default()
        }
    }

    fn service(&self, service: &str, data: &str, side: Side) -> Service {
        Service {
            name: ServiceName {
                object: self.object.clone(),
                service: service.to_owned(),
                data: data.to_owned(),
                side,
            },
            hears_connections: true,
            hears_events: true,
        }
    }

    /// Adds a subject, with its service name and type of data.
    #[must_use]
    pub fn subject(mut self, service: &str, data: &str) -> Self {
        self.subjects
            .push(self.service(service, data, Side::Subject));
        self
    }

    /// Adds an observer, with its service name and type of data.
    #[must_use]
    pub fn observer(mut self, service: &str, data: &str) -> Self {
        self.observers
            .push(self.service(service, data, Side::Observer));
        self
    }

    /// Adds an extra entry.
    #[must_use]
    pub fn extra(mut self, name: &str) -> Self {
        self.extras.push(name.to_owned());
        self
    }

    /// Returns the first difference of the services and extra entries from those of another interface. The first fields of
    /// names, and the handlers, may differ.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let services = |list: &[Service]| -> Vec<String> {
            let names = list.iter().map(|service| &service.name);
            names
                .map(|name| format!("{}.{}", name.service, name.data))
                .collect()
        };
        [
            (
                "subject",
                services(&self.subjects),
                services(&other.subjects),
            ),
            (
                "observer",
                services(&self.observers),
                services(&other.observers),
            ),
            ("entry", self.extras.clone(), other.extras.clone()),
        ]
        .iter()
        .find_map(|(what, own, other)| {
            let count = own.len().max(other.len());
            let index = (0..count).find(|index| own.get(*index) != other.get(*index))?;
            let name = |list: &[String]| {
                let name = list.get(index);
                name.map_or_else(|| "nothing".to_owned(), |name| format!("`{name}`"))
            };
            let number = index + 1;
            Some(format!(
                "{what} {number} is {} here, and {}",
                name(own),
                name(other)
            ))
        })
    }

    /// Returns the number of an entry in messages.
    #[must_use]
    pub fn number(&self, selector: Selector) -> usize {
        let (subjects, observers) = (self.subjects.len(), self.observers.len());
        match selector {
            Selector::Init => 0,
            Selector::Start => 1,
            Selector::Stop => 2,
            Selector::Destroy => 3,
            Selector::Control(index) => 4 + index,
            Selector::Ready(index) => 4 + subjects + index,
            Selector::Connect(index) => 4 + 2 * subjects + index,
            Selector::Notify(index) => 4 + 2 * subjects + observers + index,
            Selector::Extra(index) => 4 + 2 * (subjects + observers) + index,
        }
    }

    /// Returns the name of an entry for users.
    #[must_use]
    pub fn entry_name(&self, selector: Selector) -> String {
        let of = |list: &[Service], index: usize| {
            let service = list.get(index);
            service.map_or_else(|| index.to_string(), |known| known.name.service.clone())
        };
        match selector {
            Selector::Init => "init".to_owned(),
            Selector::Start => "start".to_owned(),
            Selector::Stop => "stop".to_owned(),
            Selector::Destroy => "destroy".to_owned(),
            Selector::Control(index) => format!("control {}", of(&self.subjects, index)),
            Selector::Ready(index) => format!("ready {}", of(&self.subjects, index)),
            Selector::Connect(index) => format!("connect {}", of(&self.observers, index)),
            Selector::Notify(index) => format!("notify {}", of(&self.observers, index)),
            Selector::Extra(index) => self
                .extras
                .get(index)
                .cloned()
                .unwrap_or_else(|| format!("extra {index}")),
        }
    }
}

/// Entry of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Selector {
    /// Initialisation.
    Init,
    /// Start.
    Start,
    /// Stop.
    Stop,
    /// Destruction.
    Destroy,
    /// Connection of a subject.
    Control(usize),
    /// Readiness of an observer of a subject.
    Ready(usize),
    /// Connection of an observer.
    Connect(usize),
    /// Data for an observer.
    Notify(usize),
    /// Extra entry.
    Extra(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_four_fields_and_the_first_may_be_a_path() {
        let name: ServiceName = "rover.arm.pose.pose.S".parse().expect("a name");
        assert_eq!(
            (name.object.as_str(), name.service.as_str()),
            ("rover.arm", "pose")
        );
        assert_eq!(name.to_string(), "rover.arm.pose.pose.S");
        let rover = |data: &str| {
            let interface = Interface::new("Rover").subject("Motion", data);
            interface.observer("Pose", "pose").extra("Clock")
        };
        let difference = |data: &str, extra: &str| {
            let own = rover("v_omega");
            let other = Interface {
                extras: vec![extra.to_owned()],
                ..rover(data)
            };
            own.difference(&other)
        };
        assert_eq!(difference("v_omega", "Clock"), None);
        let why = difference("twist", "Clock");
        let expected = "subject 1 is `Motion.v_omega` here, and `Motion.twist`";
        assert_eq!(why.as_deref(), Some(expected));
        let why = rover("v_omega").difference(&Interface::new("Rover"));
        let expected = "subject 1 is `Motion.v_omega` here, and nothing";
        assert_eq!(why.as_deref(), Some(expected));
        for wrong in ["A.B.S", "A.B.C.X", "A..C.S", &"x".repeat(200)] {
            assert!(wrong.parse::<ServiceName>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn entries_are_numbered_in_blocks() {
        let interface = Interface::new("A")
            .subject("X", "d")
            .subject("Y", "d")
            .observer("Z", "d")
            .extra("Clock");
        for (selector, number) in [
            (Selector::Destroy, 3),
            (Selector::Control(1), 5),
            (Selector::Ready(0), 6),
            (Selector::Connect(0), 8),
            (Selector::Notify(0), 9),
            (Selector::Extra(0), 10),
        ] {
            assert_eq!(interface.number(selector), number);
        }
        assert_eq!(interface.entry_name(Selector::Ready(1)), "ready Y");
    }
}
