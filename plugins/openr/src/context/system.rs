//! Calls to the robot's system: primitives, servos, values, data files, sync keys.
use super::Context;
use crate::{
    body::{
        image::{ColourRange, SEGMENTS},
        primitives::Kind,
        servo::Gains,
        vectors::Value,
    },
    message::{Message, Payload},
    network::{self, Operation, Protocol},
    platform::Platform,
    power::PowerStatus,
    region::Region,
    status::Status,
    sync::{SyncKey, SyncKeys},
};

impl Context<'_> {
    pub(crate) fn platform<T>(&mut self, mut work: impl FnMut(&mut Platform) -> T) -> Option<T> {
        let mut result = None;
        let call = &mut |platform: &mut Platform| result = Some(work(platform));
        self.scheduler.platform(call);
        result
    }

    fn system<T>(
        &mut self,
        work: impl FnMut(&mut Platform) -> Result<T, Status>,
    ) -> Result<T, Status> {
        self.platform(work).unwrap_or(Err(Status::FAIL))
    }

    /// Returns the design of the robot: `ERS-7` or `ERS-210`.
    pub fn robot_design(&mut self) -> &'static str {
        let design = self.platform(|platform| platform.robot().design);
        design.unwrap_or_default()
    }

    /// Returns the number of the primitive with a locator, for vectors and other calls.
    ///
    /// # Errors
    ///
    /// [`Status::NOT_FOUND`] if the robot has no such primitive.
    pub fn open_primitive(&mut self, locator: &str) -> Result<u32, Status> {
        self.system(|platform| platform.open(locator))
    }

    /// Closes a primitive that has been opened.
    ///
    /// # Errors
    ///
    /// [`Status::INVALID_PRIMITIVE_ID`] if it is not open.
    pub fn close_primitive(&mut self, primitive: u32) -> Result<(), Status> {
        self.system(|platform| platform.close(primitive))
    }

    /// Returns the meaning of the values of a primitive.
    pub fn primitive_kind(&mut self, primitive: u32) -> Option<Kind> {
        let kind = |platform: &mut Platform| Some(platform.robot().primitive(primitive)?.kind);
        self.platform(kind).flatten()
    }

    /// Switches the power of all motors on or off. It is off at the start.
    pub fn set_motor_power(&mut self, is_on: bool) {
        self.platform(|platform| platform.set_motor_power(is_on));
    }

    /// Sets the gains of a joint; `None` for all opened joints. They are zero at the start.
    ///
    /// # Errors
    ///
    /// The primitive is no joint of the robot, or a shift exceeds 16.
    pub fn set_joint_gain(&mut self, joint: Option<u32>, gains: Gains) -> Result<(), Status> {
        self.system(|platform| platform.set_gains(joint, gains))
    }

    /// Returns the gains of a joint.
    ///
    /// # Errors
    ///
    /// The primitive is no joint of the robot, or its servo is disabled.
    pub fn joint_gain(&mut self, joint: u32) -> Result<Gains, Status> {
        self.system(|platform| platform.gains(joint))
    }

    /// Enables the servo of a joint, with the gains that were set; `None` for all opened joints.
    ///
    /// # Errors
    ///
    /// The primitive is no joint of the robot.
    pub fn enable_joint_gain(&mut self, joint: Option<u32>) -> Result<(), Status> {
        self.system(|platform| platform.enable_gains(joint, true))
    }

    /// Disables the servo of a joint: its motor brakes, and does not hold its position. `None` for all opened joints.
    ///
    /// # Errors
    ///
    /// The primitive is no joint of the robot.
    pub fn disable_joint_gain(&mut self, joint: Option<u32>) -> Result<(), Status> {
        self.system(|platform| platform.enable_gains(joint, false))
    }

    /// Returns the latest value of a joint.
    ///
    /// # Errors
    ///
    /// The primitive is no joint of the robot.
    pub fn joint_value(&mut self, joint: u32) -> Result<Value, Status> {
        self.system(|platform| platform.value(joint, true))
    }

    /// Returns the latest value of a sensor.
    ///
    /// # Errors
    ///
    /// The primitive is no sensor of the robot.
    pub fn sensor_value(&mut self, sensor: u32) -> Result<Value, Status> {
        self.system(|platform| platform.value(sensor, false))
    }

    /// Returns the state of the power.
    pub fn power_status(&mut self) -> PowerStatus {
        let status = self.platform(|platform| platform.power.status());
        status.unwrap_or_default()
    }

    /// Calls an extra entry of this object now and whenever a bit of the state of the power changes, with a
    /// [`PowerStatus`] as payload.
    pub fn observe_power_status(&mut self, entry: usize) {
        let id = self.id;
        self.platform(|platform| platform.power.observe(id, entry));
    }

    /// Ends the observation of the power.
    pub fn unobserve_power_status(&mut self) {
        let id = self.id;
        self.platform(|platform| platform.power.ignore(id));
    }

    /// Creates an endpoint of the network. This call is synchronous: it blocks this object for [`network::CREATION`].
    ///
    /// # Errors
    ///
    /// [`Status::NO_MEMORY`] if there are too many endpoints.
    pub fn create_endpoint(&mut self, protocol: Protocol) -> Result<u32, Status> {
        self.block(network::CREATION);
        self.system(|platform| platform.network.create(protocol))
    }

    /// Starts an operation of an endpoint, which takes [`network::CALL`] of the processor. When it is complete, an extra entry
    /// of this object is called with a [`network::Completion`] as payload.
    ///
    /// # Errors
    ///
    /// There is no such endpoint, or the data exceed [`network::MOST_BYTES`].
    pub fn start_operation(
        &mut self,
        endpoint: u32,
        operation: &Operation,
        entry: usize,
    ) -> Result<(), Status> {
        self.spend(network::CALL);
        let (caller, now) = ((self.id, entry), self.now());
        self.system(|platform| {
            let network = &mut platform.network;
            network.add(endpoint, operation.clone(), caller, now)
        })
    }

    /// Closes an endpoint, whose operations are dropped.
    ///
    /// # Errors
    ///
    /// There is no such endpoint.
    pub fn close_endpoint(&mut self, endpoint: u32) -> Result<(), Status> {
        self.spend(network::CALL);
        self.system(|platform| platform.network.close(endpoint))
    }

    /// Returns a setting of the wireless network from `WLANCONF.TXT` or `WLANDFLT.TXT`, such as `ETHER_IP`.
    pub fn network_setting(&mut self, key: &str) -> Option<String> {
        let setting = |platform: &mut Platform| platform.wireless.get(key).cloned();
        self.platform(setting).flatten()
    }

    /// Calls an extra entry of another object on behalf of the system.
    pub(crate) fn call(&mut self, object: usize, entry: usize, payload: Payload) {
        // A full mailbox is counted and logged by the scheduler.
        drop(self.scheduler.send(object, Message::Extra(entry, payload)));
    }

    /// Sets the ranges of a channel of the colour-detection table, for each segment of brightness.
    ///
    /// # Errors
    ///
    /// There is no such channel.
    pub fn set_colour_channel(
        &mut self,
        channel: usize,
        ranges: [ColourRange; SEGMENTS],
    ) -> Result<(), Status> {
        self.system(|platform| {
            let known = platform.colours.0.get_mut(channel);
            *known.ok_or(Status::INVALID_ARG)? = ranges;
            Ok(())
        })
    }

    /// Returns the contents of the data file with a keyword of `DESIGNDB.CFG`.
    ///
    /// # Errors
    ///
    /// [`Status::NOT_FOUND`] if there is no such keyword, [`Status::DESIGNDATA_SIZE_ZERO`] if the file is empty.
    pub fn find_design_data(&mut self, keyword: &str) -> Result<Region, Status> {
        self.system(|platform| platform.design_data(keyword))
    }

    /// Allocates a sync key.
    ///
    /// # Errors
    ///
    /// [`Status::NO_SYNC_KEY`] if all are in use.
    pub fn new_sync_key(&mut self) -> Result<SyncKey, Status> {
        self.keys(SyncKeys::take)
    }

    /// Divides a sync key into a number of divisions, which start together.
    ///
    /// # Errors
    ///
    /// The key is not in use, or the number of divisions is zero or too large.
    pub fn divide_sync_key(&mut self, key: SyncKey, divisions: u32) -> Result<(), Status> {
        self.keys(|keys| keys.divide(key, divisions))
    }

    /// Reports the arrival of one division of a key; true once all have arrived, and the key is free again.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn meet_sync_key(&mut self, key: SyncKey) -> Result<bool, Status> {
        self.keys(|keys| keys.meet(key))
    }

    /// Frees a sync key.
    ///
    /// # Errors
    ///
    /// The key is not in use.
    pub fn cancel_sync_key(&mut self, key: SyncKey) -> Result<(), Status> {
        self.keys(|keys| keys.cancel(key))
    }

    fn keys<T>(
        &mut self,
        mut work: impl FnMut(&mut SyncKeys) -> Result<T, Status>,
    ) -> Result<T, Status> {
        self.system(|platform| work(&mut platform.keys))
    }
}
