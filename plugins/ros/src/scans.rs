//! Scans: ranges in a plane, single ranges, and points.
use crate::{
    data::Sample,
    messages::{Bytes, LaserScan, PointCloud2, PointField, Range},
    names,
    noise::variances,
};

/// Minimum range that is distinguished from an invalid one, m.
const NEAREST: f64 = 1e-3;
const U16: u8 = 4;
const F32: u8 = 7;

pub(crate) fn laser_scan(sample: &Sample<'_>) -> LaserScan {
    let ranges = sample.numbers("range_list");
    let window = sample.setting("scan_window").unwrap_or_default();
    let step = sample.setting("resolution").unwrap_or_default();
    let range_max = range_max(sample);
    let first = -window / 2.0;
    let last = first + step * ranges.len().saturating_sub(1) as f64;
    let echoes = sample.numbers("remission_list").iter();
    LaserScan {
        header: sample.own_header(),
        angle_min: first as f32,
        angle_max: last as f32,
        angle_increment: step as f32,
        time_increment: 0.0,
        scan_time: (1.0 / sample.info.frequency) as f32,
        range_min: NEAREST as f32,
        range_max: range_max as f32,
        ranges: ranges.iter().map(|range| met(*range, range_max)).collect(),
        intensities: echoes.map(|echo| *echo as f32).collect(),
    }
}

pub(crate) fn range(sample: &Sample<'_>) -> Range {
    let range_max = range_max(sample);
    Range {
        header: sample.own_header(),
        radiation_type: 1,
        field_of_view: sample.setting("scan_window").unwrap_or_default() as f32,
        min_range: NEAREST as f32,
        max_range: range_max as f32,
        range: met(sample.number("range"), range_max),
        variance: variances(sample.info, "range", None)[0] as f32,
    }
}

fn range_max(sample: &Sample<'_>) -> f64 {
    sample.setting("laser_range").unwrap_or(f64::INFINITY)
}

/// Returns a range as in REP 117.
fn met(range: f64, range_max: f64) -> f32 {
    if range >= range_max {
        f32::INFINITY
    } else {
        range as f32
    }
}

/// Returns the points that rays hit, with the index of the layer from the lowest one up, and the time since the stamp.
pub(crate) fn cloud(sample: &Sample<'_>) -> PointCloud2 {
    let points = sample.triples("point_list");
    let layers = sample
        .setting("layers")
        .map_or(points.len(), |layers| layers as usize)
        .max(1);
    let rays = (points.len() / layers).max(1);
    let mut data = Vec::with_capacity(points.len() * 20);
    for (index, point) in points.iter().enumerate() {
        if *point == [0.0; 3] {
            continue;
        }
        // Layers are ordered from top to bottom, single rays above each other from bottom to top.
        let layer = if rays > 1 {
            layers - 1 - (index / rays).min(layers - 1)
        } else {
            index
        };
        point
            .iter()
            .for_each(|number| data.extend((*number as f32).to_le_bytes()));
        data.extend((layer as u16).to_le_bytes());
        data.extend([0; 2]);
        data.extend(0.0_f32.to_le_bytes());
    }
    let fields = [
        ("x", 0, F32),
        ("y", 4, F32),
        ("z", 8, F32),
        ("ring", 12, U16),
        ("time", 16, F32),
    ];
    points_of(sample, names::frame(&sample.info.path), &fields, 20, data)
}

/// Returns the points of the pixels, in the axes of the camera. A pixel without a surface is a point without coordinates, as
/// in ROS, where the reading has zeros.
pub(crate) fn depth_cloud(sample: &Sample<'_>) -> PointCloud2 {
    let mut points = sample
        .samples("points")
        .map_or(Vec::new(), |samples| samples.bytes().to_vec());
    let mut is_dense = true;
    for point in points.as_chunks_mut::<12>().0 {
        if *point == [0; 12] {
            let number = f32::NAN.to_le_bytes();
            point.as_chunks_mut::<4>().0.fill(number);
            is_dense = false;
        }
    }
    let fields = [("x", 0, F32), ("y", 4, F32), ("z", 8, F32)];
    let frame = crate::pictures::frame(&sample.info.path, "");
    PointCloud2 {
        is_dense,
        ..points_of(sample, frame, &fields, 12, points)
    }
}

fn points_of(
    sample: &Sample<'_>,
    frame: String,
    fields: &[(&str, u32, u8)],
    point_step: u32,
    data: Vec<u8>,
) -> PointCloud2 {
    let width = data.len() as u32 / point_step;
    PointCloud2 {
        header: sample.header(frame),
        height: 1,
        width,
        fields: fields
            .iter()
            .map(|(name, offset, datatype)| PointField {
                name: (*name).to_owned(),
                offset: *offset,
                datatype: *datatype,
                count: 1,
            })
            .collect(),
        is_bigendian: false,
        point_step,
        row_step: width * point_step,
        data: Bytes(data),
        is_dense: true,
    }
}
