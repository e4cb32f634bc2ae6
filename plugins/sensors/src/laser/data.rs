//! Data of laser scanners.
use morse_api::{prelude::*, rays::Hit};

/// Measurement of a laser scanner, one entry per ray: from right to left (a growing angle about z, from -`scan_window` / 2
/// on, as in ROS's `LaserScan`), the highest layer first. The rays of a `velodyne` begin with the lowest one.
#[derive(Component, Reflect, Debug, Default, PartialEq, Serialize, Deserialize)]
#[doc(alias("LaserScan", "PointCloud2", "rangefinder"))]
pub struct LaserScannerData {
    /// Point of the first hit of each ray, in the order of `range_list` and the frame of the sensor; (0, 0, 0) without a hit.
    #[reflect(@Unit("m"), @Levels(&["raw", "rssi"]))]
    #[doc(alias("points", "PointCloud2"))]
    pub point_list: Vec<[f64; 3]>,
    /// Distance of the first hit of each ray, from right to left, top layer first (`velodyne`: from the lowest ray to the
    /// highest); `laser_range` without a hit.
    #[reflect(@Unit("m"), @Levels(&["raw", "rssi"]))]
    #[doc(alias("ranges"))]
    pub range_list: Vec<f64>,
    /// Strength of each echo: the mean of the three numbers of `specular` of the hit geometry; 0 without a hit.
    #[reflect(@Unit(""), @Levels(&["rssi"]))]
    #[doc(alias("intensities"))]
    pub remission_list: Vec<f64>,
    /// Distance of the nearest hit of all rays; `laser_range` without a hit.
    #[reflect(@Unit("m"), @Levels(&["range"]))]
    pub range: f64,
}

impl Clone for LaserScannerData {
    fn clone(&self) -> Self {
        Self {
            point_list: self.point_list.clone(),
            range_list: self.range_list.clone(),
            remission_list: self.remission_list.clone(),
            range: self.range,
        }
    }

    // Reuses the existing memory, since data are copied at every measurement.
    fn clone_from(&mut self, source: &Self) {
        self.point_list.clone_from(&source.point_list);
        self.range_list.clone_from(&source.range_list);
        self.remission_list.clone_from(&source.remission_list);
        self.range = source.range;
    }
}

impl LaserScannerData {
    /// Writes the hits of the rays, as far as the level requires them.
    pub(super) fn report(
        &mut self,
        level: &str,
        range_max: f64,
        directions: &[Vector3<f64>],
        hits: &[Option<Hit>],
        echo: impl Fn(&Hit) -> f64,
    ) {
        let range = |hit: &Option<Hit>| hit.map_or(range_max, |hit| hit.distance);
        self.point_list.clear();
        self.range_list.clear();
        self.remission_list.clear();
        if level == "range" {
            self.range = hits.iter().map(range).fold(range_max, f64::min);
            return;
        }
        let point = |(direction, hit): (&Vector3<f64>, &Option<Hit>)| {
            hit.map_or([0.0; 3], |hit| (direction * hit.distance).into())
        };
        self.point_list
            .extend(directions.iter().zip(hits).map(point));
        self.range_list.extend(hits.iter().map(range));
        if level == "rssi" {
            let remission = |hit: &Option<Hit>| hit.as_ref().map_or(0.0, &echo);
            self.remission_list.extend(hits.iter().map(remission));
        }
    }
}
