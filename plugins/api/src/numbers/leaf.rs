//! Numbers that are adjacent in memory, as the leaves of a value.
use std::ops::Range;

use bevy::reflect::{PartialReflect, ReflectMut};

use crate::{
    dynamic::{DynamicValue, TIMESTAMP},
    samples::{Block, Sample, Samples},
};

/// Channels of a pixel: red, green, blue and opacity, which is no measurement.
const CHANNELS: usize = 4;
/// Channels that are measured.
const COLORS: usize = 3;

/// Numbers that are adjacent in memory.
pub(super) enum Leaf<'a> {
    /// Numbers in double precision.
    Wide(&'a mut [f64]),
    /// A number in single precision.
    Narrow(&'a mut f32),
    /// Colours of pixels.
    Colors(&'a mut Samples<u8>),
    /// Depths as integers, of which 0 stands for no measurement.
    Depths(&'a mut Samples<u16>),
    /// Depths, or coordinates of points.
    Reals(&'a mut Samples<f32>),
}

impl Leaf<'_> {
    /// Returns their count.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::Wide(numbers) => numbers.len(),
            Self::Narrow(_) => 1,
            Self::Colors(pixels) => pixels.values().len() / CHANNELS * COLORS,
            Self::Depths(depths) => depths.values().len(),
            Self::Reals(reals) => reals.values().len(),
        }
    }

    /// Changes all of them.
    pub(super) fn change_all(self, visit: &mut dyn FnMut(&mut f64)) {
        let all = 0..self.count();
        self.change(all, visit);
    }

    /// Changes some of them. Results are clamped to the range of their type; a depth out of its range becomes 0.
    pub(super) fn change(self, which: Range<usize>, visit: &mut dyn FnMut(&mut f64)) {
        match self {
            Self::Wide(numbers) => {
                let numbers = numbers.get_mut(which).into_iter().flatten();
                numbers.for_each(visit);
            }
            Self::Narrow(number) => {
                let mut wide = f64::from(*number);
                visit(&mut wide);
                *number = wide as f32;
            }
            Self::Colors(pixels) => edit(pixels, |pixels| {
                for index in which {
                    let index = index / COLORS * CHANNELS + index % COLORS;
                    // The conversion saturates at both ends.
                    change(pixels.get_mut(index), visit, |code| code.round() as u8);
                }
            }),
            Self::Depths(depths) => edit(depths, |depths| {
                for index in which {
                    let depth = depths.get_mut(index).filter(|depth| **depth > 0);
                    change(depth, visit, |depth| {
                        let is_known = (1.0..=f64::from(u16::MAX)).contains(&depth.round());
                        if is_known { depth.round() as u16 } else { 0 }
                    });
                }
            }),
            Self::Reals(reals) => edit(reals, |reals| {
                for index in which {
                    change(reals.get_mut(index), visit, |real| real as f32);
                }
            }),
        }
    }
}

fn edit<T: Sample>(samples: &mut Samples<T>, change: impl FnOnce(&mut [T])) {
    samples.edit(change);
}

fn change<T: Copy + Into<f64>>(
    number: Option<&mut T>,
    visit: &mut dyn FnMut(&mut f64),
    back: impl Fn(f64) -> T,
) {
    if let Some(number) = number {
        let mut wide: f64 = (*number).into();
        visit(&mut wide);
        *number = back(wide);
    }
}

/// Visits the leaves of a value in order.
pub(super) fn leaves(value: &mut dyn PartialReflect, visit: &mut dyn FnMut(Leaf<'_>)) {
    macro_rules! leaf_of {
        ($($type:ty: $value:ident => $leaf:expr),+ $(,)?) => {
            $(if let Some($value) = value.try_downcast_mut::<$type>() {
                return visit($leaf);
            })+
        };
    }
    leaf_of! {
        f64: number => Leaf::Wide(std::slice::from_mut(number)),
        [f64; 3]: vector => Leaf::Wide(vector),
        Vec<f64>: list => Leaf::Wide(list),
        Vec<[f64; 3]>: list => Leaf::Wide(list.as_flattened_mut()),
        f32: number => Leaf::Narrow(number),
        Samples<u8>: pixels => Leaf::Colors(pixels),
        Samples<u16>: depths => Leaf::Depths(depths),
        Samples<f32>: reals => Leaf::Reals(reals),
    }
    if let Some(dynamic) = value.try_downcast_mut::<DynamicValue>() {
        return of_dynamic(dynamic, visit);
    }
    match value.reflect_mut() {
        ReflectMut::Struct(fields) => {
            for index in 0..fields.field_len() {
                if let Some(field) = fields.field_at_mut(index) {
                    leaves(field, visit);
                }
            }
        }
        ReflectMut::Array(elements) => {
            for index in 0..elements.len() {
                if let Some(element) = elements.get_mut(index) {
                    leaves(element, visit);
                }
            }
        }
        ReflectMut::List(elements) => {
            for index in 0..elements.len() {
                if let Some(element) = elements.get_mut(index) {
                    leaves(element, visit);
                }
            }
        }
        ReflectMut::Map(entries) => entries.retain(&mut |_, element| {
            leaves(element, visit);
            true
        }),
        _ => {}
    }
}

/// Excludes integers, times of readings, and images of integers, which may be identifiers.
fn of_dynamic(value: &mut DynamicValue, visit: &mut dyn FnMut(Leaf<'_>)) {
    match value {
        DynamicValue::Number(number) => visit(Leaf::Wide(std::slice::from_mut(number))),
        DynamicValue::Numbers(numbers) => visit(Leaf::Wide(numbers)),
        DynamicValue::Samples(Block::U8(pixels)) => visit(Leaf::Colors(pixels)),
        DynamicValue::Samples(Block::F32(reals)) => visit(Leaf::Reals(reals)),
        DynamicValue::List(items) => items.iter_mut().for_each(|item| of_dynamic(item, visit)),
        DynamicValue::Map(entries) => {
            let measured = entries.iter_mut().filter(|(name, _)| name != TIMESTAMP);
            measured.for_each(|(_, entry)| of_dynamic(entry, visit));
        }
        DynamicValue::Samples(Block::U16(_))
        | DynamicValue::Integer(_)
        | DynamicValue::Flag(_)
        | DynamicValue::Text(_) => {}
    }
}
