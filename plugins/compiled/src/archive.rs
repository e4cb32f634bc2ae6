//! A compiled scene that is mapped into memory.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use memmap2::Mmap;
use morse_geometry::archive::Hull;
use morse_geometry::mesh::Triangles;

use crate::content::{Source, StoredScene};
use crate::record::{Blob, Directory, Mesh, hull};
use crate::{CompiledError, header};

/// Contents of a compiled scene, by name.
pub struct Archive {
    map: Mmap,
    hash: u128,
    /// Offset of the arrays in the file.
    arrays: usize,
    meshes: BTreeMap<String, Mesh>,
    hulls: BTreeMap<(String, u64), [Blob; 2]>,
    files: BTreeMap<String, Blob>,
}

impl Archive {
    /// Maps a file, and checks it completely.
    pub(crate) fn map(path: &Path) -> Result<(Self, StoredScene, Vec<Source>), CompiledError> {
        let file = File::open(path)?;
        if !file.metadata()?.is_file() {
            return Err(CompiledError::Foreign);
        }
        #[expect(unsafe_code, reason = "the only way to share a file between processes")]
        // SAFETY: the mapping is read-only, its bytes are read as bytes only, and the compiler replaces files as a whole, so
        // that the mapped one keeps its content. A user who writes into the file in place may see changed numbers.
        let map = unsafe { Mmap::map(&file)? };
        let (hash, length) = header::check(&map)?;
        let arrays = header::SIZE + length;
        let bytes = map.get(header::SIZE..arrays).unwrap_or_default();
        let directory: Directory = postcard::from_bytes(bytes)
            .map_err(|_error| CompiledError::Damaged("its directory cannot be read"))?;
        let Directory {
            scene,
            sources,
            meshes,
            hulls,
            files,
        } = directory;
        let archive = Self {
            hash,
            arrays,
            meshes: meshes.into_iter().collect(),
            hulls: hulls
                .into_iter()
                .map(|(name, scale, blobs)| ((name, scale), blobs))
                .collect(),
            files: files.into_iter().collect(),
            map,
        };
        archive.check()?;
        Ok((archive, scene, sources))
    }

    /// Checks that all arrays are in the file. Their numbers are checked when they are used.
    fn check(&self) -> Result<(), CompiledError> {
        let arrays = self.arrays();
        let fits = |blob: &Blob| blob.bytes(arrays).is_some();
        let meshes = self.meshes.values().all(|mesh| mesh.fits(arrays));
        let hulls = self.hulls.values().flatten().all(fits);
        let files = self.files.values().all(fits);
        match meshes && hulls && files {
            true => Ok(()),
            false => Err(CompiledError::Damaged("it lacks the content of a file")),
        }
    }

    /// Returns the identifier of the archive, which depends on its content only.
    pub(crate) fn identifier(&self) -> String {
        format!("{:032x}", self.hash)
    }

    fn arrays(&self) -> &[u8] {
        self.map.get(self.arrays..).unwrap_or_default()
    }
}

impl morse_geometry::archive::Archive for Archive {
    fn file(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        let blob = self.files.get(name)?;
        blob.bytes(self.arrays()).map(Cow::Borrowed)
    }

    fn mesh(&self, name: &str) -> Option<Triangles> {
        self.meshes.get(name)?.read(self.arrays())
    }

    fn hull(&self, name: &str, scale: f64) -> Option<Hull> {
        let blobs = self.hulls.get(&(name.to_owned(), scale.to_bits()))?;
        hull(*blobs, self.arrays())
    }
}
