//! Files of a memory stick, read as they are.
//!
//! - [`problem`]: what is wrong with a file, and where;
//! - [`stub`]: services of an object; [`ocf`]: its priority;
//! - [`lists`]: objects, connections and data of a robot;
//! - [`settings`]: wireless network and joints.
pub mod lists;
pub mod ocf;
pub mod problem;
pub mod settings;
pub mod stub;
