//! Node of ROS 2 without an installed ROS: each sensor is a topic of the usual type, each actuator listens to the usual type,
//! and `/clock`, `/tf` and `/tf_static` are published.
//!
//! - this file: settings; they are in every program;
//! - `topics`: topics of the components with their types and qualities of service;
//! - `network`: domain and range of discovery, from the settings and the environment; `static_peers`: other machines;
//! - with the feature `dds`: `node`: start and end; `opening`: topics of DDS; `ends`: publishers and subscriptions;
//!   `publishing`, `clock` and `listening`: the threads; `inputs`: messages that become commands; `server`: the thread of
//!   `services`, of `simulation`, the services of `simulation_interfaces`, and of `actions`; `serving`: requests of all of
//!   these; `responses`: limits of their responses; `source`: sensors with their topics; `lockstep` and `answers`: ticks that
//!   wait for nodes; `peers`: nodes that subscribe; `notes`: warnings and counters.
#[cfg(feature = "dds")]
mod actions;
#[cfg(feature = "dds")]
mod answers;
#[cfg(feature = "dds")]
mod clock;
#[cfg(feature = "dds")]
mod ends;
#[cfg(feature = "dds")]
mod inputs;
#[cfg(feature = "dds")]
mod listening;
#[cfg(feature = "dds")]
mod lockstep;
#[cfg(any(feature = "dds", test))]
mod network;
#[cfg(feature = "dds")]
mod node;
#[cfg(feature = "dds")]
mod notes;
#[cfg(feature = "dds")]
mod opening;
#[cfg(feature = "dds")]
mod peers;
#[cfg(feature = "dds")]
mod publishing;
#[cfg(feature = "dds")]
mod responses;
#[cfg(feature = "dds")]
mod server;
#[cfg(feature = "dds")]
mod services;
#[cfg(feature = "dds")]
mod serving;
#[cfg(feature = "dds")]
mod simulation;
#[cfg(feature = "dds")]
mod source;
#[cfg(any(feature = "dds", test))]
#[cfg_attr(
    not(feature = "dds"),
    expect(
        dead_code,
        reason = "without DDS, only the reader of addresses is tested"
    )
)]
mod static_peers;
mod topics;

use bevy::prelude::{App, Reflect};
use morse_api::{
    fields::Unit,
    middleware::{
        AddMiddleware as _, Failure, Middleware, MiddlewareContext, Obstacle, Prospect, Running,
        Weight,
    },
    range::ValueRange,
};
use serde::Deserialize;

use crate::topics::{check_input, check_output};

/// A node of ROS 2 over DDS, without an installed ROS, in programs with the feature `ros2`.
///
/// It publishes all sensors and accepts commands for all actuators, which need not list it: `rover.scan` is the topic
/// `/rover/scan`. Sensors that no node subscribes to are not converted. `/clock` has the simulated time, `/tf` the odometries
/// and `/tf_static` the mounts of sensors. A component that lists it in its outputs or inputs can change topic, frame, type
/// and quality of service.
#[derive(Reflect, Clone, Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ros2 {
    /// Name of the node.
    pub node: String,
    /// Namespace of the node, and of all topics; by default the environment's `ROS_NAMESPACE`, or none.
    pub namespace: Option<String>,
    /// Domain; by default the environment's `ROS_DOMAIN_ID`, or 0.
    #[reflect(@ValueRange(0.0, 232.0))]
    pub domain: Option<u16>,
    /// Machines with which nodes are exchanged; by default the environment's `ROS_AUTOMATIC_DISCOVERY_RANGE`, or this
    /// machine.
    pub discovery: Option<Discovery>,
    /// Distribution of the nodes, in whose form messages are that differ between distributions: results of `NavigateToPose`.
    /// By default that of the environment's `ROS_DISTRO`, or Jazzy.
    pub distribution: Option<Distribution>,
    /// True if sensors and actuators that do not list the middleware have topics, too.
    pub all: bool,
    /// True to publish the simulated time on `/clock`.
    pub clock: bool,
    /// Timeout of nodes in lockstep, after which the run ends.
    #[reflect(@Unit("s"), @ValueRange(0.0, 86_400.0))]
    pub lockstep_timeout: f64,
}

impl Default for Ros2 {
    fn default() -> Self {
        Self {
            node: "morse_sim".to_owned(),
            namespace: None,
            domain: None,
            discovery: None,
            distribution: None,
            all: true,
            clock: true,
            lockstep_timeout: 30.0,
        }
    }
}

/// Range of the discovery of other nodes.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Discovery {
    /// Nodes on this machine.
    Localhost,
    /// Nodes on all networks of this machine. Every machine there can command the robots.
    Subnet,
}

/// Distribution of ROS 2.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Jazzy.
    Jazzy,
    /// Kilted.
    Kilted,
}

/// Topic of a sensor.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ros2Output {
    /// Name of the topic, instead of `/robot/sensor`. Further topics of the sensor are below it.
    pub topic: Option<String>,
    /// Frame of the data, instead of `robot/sensor`.
    pub frame_id: Option<String>,
    /// Type of the messages, such as `sensor_msgs/msg/Image`: only the topic of this type is published. Any sensor has
    /// `std_msgs/msg/String`, all fields as a JSON object.
    pub r#type: Option<String>,
    /// Quality of service; by default that of the type.
    pub qos: Option<Quality>,
    /// Format of compressed images; PNG by default.
    pub compressed: Option<ImageFormat>,
    /// Actuator of the robot whose commands answer the readings: after a reading the simulation waits until a node has sent
    /// a command with the same stamp or a later one. Commands without a stamp answer any reading.
    pub lockstep: Option<String>,
}

/// Topic of an actuator.
#[derive(Reflect, Clone, Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Ros2Input {
    /// Name of the topic, instead of `/robot/actuator`.
    pub topic: Option<String>,
    /// Type of the messages, such as `geometry_msgs/msg/TwistStamped`, instead of the preferred one of the actuator. Any
    /// actuator accepts `std_msgs/msg/String`, a JSON object of its fields.
    pub r#type: Option<String>,
    /// Quality of service; reliable by default.
    pub qos: Option<Quality>,
}

/// Format of compressed images.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// PNG: without losses.
    Png,
    /// JPEG of quality 95, as of ROS's `image_transport`.
    Jpeg,
}

/// Quality of service of a topic.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quality {
    /// Best effort, depth 5: ROS's profile of sensor data.
    SensorData,
    /// Reliable, depth 10.
    Reliable,
    /// Reliable, and the last message is sent to nodes that subscribe later.
    Latched,
}

/// Registers the kind `ros2`.
pub fn plugin(app: &mut App) {
    app.add_middleware::<Ros2>();
}

impl Middleware for Ros2 {
    const KIND: &'static str = "ros2";
    const VIEWS_WORLD: bool = true;
    type Output = Ros2Output;
    type Input = Ros2Input;

    fn check(&self, prospect: &Prospect<'_, Ros2Output, Ros2Input>) -> Vec<Obstacle> {
        let mut obstacles = Vec::new();
        if !cfg!(feature = "dds") {
            let why = "this program was built without ROS 2";
            let help = "build it with `cargo build --release --features ros2`, or use the kind `rosbridge`, which is in \
                        every program";
            obstacles.push(Obstacle::new(Weight::Settings, why).help(help));
        }
        if let Err(why) = self.names() {
            obstacles.push(Obstacle::new(Weight::Settings, why));
        }
        let outputs = prospect.outputs.iter();
        let outputs = outputs.filter_map(|(info, output)| check_output(info, output).err());
        let inputs = prospect.inputs.iter();
        let inputs = inputs.filter_map(|(info, input)| check_input(info, input).err());
        obstacles.extend(
            outputs
                .chain(inputs)
                .map(|why| Obstacle::new(Weight::Settings, why)),
        );
        obstacles
    }

    #[cfg(feature = "dds")]
    fn start(
        &self,
        context: MiddlewareContext<Ros2Output, Ros2Input>,
    ) -> Result<Box<dyn Running>, Failure> {
        node::start(self, context)
    }

    #[cfg(not(feature = "dds"))]
    fn start(
        &self,
        context: MiddlewareContext<Ros2Output, Ros2Input>,
    ) -> Result<Box<dyn Running>, Failure> {
        let name = context.name;
        let why = format!("`{name}`: this program was built without ROS 2");
        Err(Failure::Environment(why))
    }
}

impl Ros2 {
    /// Returns an error if the names in the settings are invalid.
    fn names(&self) -> Result<(), String> {
        topics::check_name("node", &self.node)?;
        let namespace = self.namespace.as_deref().unwrap_or_default();
        match namespace.trim_matches('/') {
            "" => Ok(()),
            name => topics::check_name("namespace", name),
        }
    }
}
