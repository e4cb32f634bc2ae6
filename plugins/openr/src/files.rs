//! Files of a memory stick, in their original formats.
//!
//! - [`problem`]: errors and warnings with their positions;
//! - [`stub`]: services of an object; [`ocf`]: its priority;
//! - [`lists`]: objects, connections and data of a robot;
//! - [`settings`]: wireless network and joints; [`wireless`]: the settings of the network together.
pub mod lists;
pub mod ocf;
pub mod problem;
pub mod settings;
pub mod stub;
pub mod wireless;
