//! Numbers of a glTF file: accessors, each checked against the bytes of its buffer.
use ::gltf::json::{
    Index,
    accessor::{Accessor, ComponentType, Type},
    validation::Checked,
};

use super::{
    super::MeshError,
    file::{File, broken},
};

/// Elements of one type, one after the other.
pub(super) struct Numbers<'a> {
    bytes: &'a [u8],
    /// Stride from element to element, bytes.
    stride: usize,
    count: usize,
    kind: ComponentType,
}

impl File<'_> {
    /// Returns the elements of an accessor.
    ///
    /// # Errors
    ///
    /// The accessor has another type, or its buffer is too short.
    pub(super) fn numbers(
        &self,
        accessor: Index<Accessor>,
        expected: Type,
        allowed: &[ComponentType],
    ) -> Result<Numbers<'_>, MeshError> {
        let index = accessor.value();
        let wrong = |what: &str| broken(&format!("accessor {index} {what}"));
        let Some(accessor) = self.root.get(accessor) else {
            return Err(wrong("does not exist"));
        };
        if accessor.sparse.is_some() {
            return Err(MeshError::Unsupported(format!(
                "accessor {index} is sparse, which cannot be read: export it without shape keys and compression"
            )));
        }
        let (Checked::Valid(kind), Checked::Valid(components)) =
            (accessor.component_type, accessor.type_)
        else {
            return Err(wrong("is of an unknown type"));
        };
        let kind = kind.0;
        let is_integer = kind != ComponentType::F32 && expected != Type::Scalar;
        if components != expected
            || !allowed.contains(&kind)
            || (is_integer && !accessor.normalized)
        {
            return Err(wrong("is not of the type that is needed there"));
        }
        let Some(view) = accessor.buffer_view else {
            return Err(wrong("has no buffer view"));
        };
        let (bytes, stride) = self.view(view)?;
        let size = kind.size() * components.multiplicity();
        let stride = stride.unwrap_or(size);
        let offset = accessor.byte_offset.map_or(0, |offset| offset.0);
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let count = usize::try_from(accessor.count.0).unwrap_or(usize::MAX);
        let bytes = bytes.get(offset..).unwrap_or_default();
        let needed = count
            .checked_sub(1)
            .map_or(Some(0), |rest| rest.checked_mul(stride)?.checked_add(size));
        if stride < size || needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(wrong("ends beyond its buffer view"));
        }
        Ok(Numbers {
            bytes,
            stride,
            count,
            kind,
        })
    }
}

impl Numbers<'_> {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// Returns an element of floating-point numbers, or of normalised integers.
    pub(super) fn vector<const N: usize>(&self, index: usize) -> Option<[f32; N]> {
        let mut numbers = [0.0; N];
        for (component_index, number) in numbers.iter_mut().enumerate() {
            *number = match self.kind {
                ComponentType::U8 => {
                    f32::from(u8::from_le_bytes(self.component(index, component_index)?)) / 255.0
                }
                ComponentType::U16 => {
                    f32::from(u16::from_le_bytes(self.component(index, component_index)?)) / 65535.0
                }
                _ => f32::from_le_bytes(self.component(index, component_index)?),
            };
        }
        Some(numbers)
    }

    /// Returns an element of one unsigned integer.
    pub(super) fn integer(&self, index: usize) -> Option<u32> {
        Some(match self.kind {
            ComponentType::U8 => u8::from_le_bytes(self.component(index, 0)?).into(),
            ComponentType::U16 => u16::from_le_bytes(self.component(index, 0)?).into(),
            _ => u32::from_le_bytes(self.component(index, 0)?),
        })
    }

    /// Returns the bytes of a component of an element.
    fn component<const N: usize>(&self, index: usize, component_index: usize) -> Option<[u8; N]> {
        if index >= self.count {
            return None;
        }
        let bytes = self
            .bytes
            .get(index * self.stride + component_index * N..)?;
        bytes.first_chunk().copied()
    }
}
