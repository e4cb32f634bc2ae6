//! Readings that were not delivered.

/// Readings that did not reach an observer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropStatistics {
    /// Replaced by newer ones before the observer took them, at all ports.
    pub dropped: u64,
    /// Nobody was ready for them, at all ports.
    pub unready: u64,
    /// The same for each port, by the sensor's path; a sensor may have several.
    pub ports: Vec<PortDrops>,
}

/// Readings of one sensor that did not reach one of its observers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortDrops {
    /// The sensor's path.
    pub sensor: String,
    /// Replaced by newer ones before the observer took them.
    pub dropped: u64,
    /// The observer was not ready for them.
    pub unready: u64,
}
