//! Directory of the program in the user's cache directory.
use std::path::PathBuf;

/// Returns the directory, by the conventions of the XDG specification; `None` without a home directory.
pub(super) fn directory() -> Option<PathBuf> {
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache = cache.filter(|path| path.is_absolute());
    let cache = cache.or_else(|| Some(PathBuf::from(home()?).join(".cache")))?;
    Some(cache.join("morse-sim"))
}
