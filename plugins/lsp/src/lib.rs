//! Language server for scenes (`.robray`) and simulation files (`.ron`), by the Language Server Protocol.
//!
//! [`serve`] answers the requests of an editor until it ends the connection: diagnostics while typing, hover, completion,
//! definitions, references, renaming, outline, folding, formatting, and corrections of diagnostics. The texts of the editor
//! replace those of files on the disk, also where other files include them. The program implements [`Program`].
//!
//! In reading order: `server` (the loop and the requests), `documents` (open texts), `checks` (diagnostics, in a thread of
//! their own), `scene` and `simulation` (queries of the two languages).

mod actions;
mod checks;
mod documents;
mod program;
mod renaming;
mod report;
mod requests;
mod scene;
mod server;
mod simulation;
mod text;
mod uri;

use lsp_server::{Connection, ProtocolError};
use lsp_types::{Documentation, MarkupContent, MarkupKind};

pub use lsp_server;
pub use program::{Checked, Depth, Program, SettingDocs, World};

/// Answers the requests of an editor until it ends the connection.
///
/// # Errors
///
/// Returns violations of the protocol.
pub fn serve(connection: &Connection, program: &dyn Program) -> Result<(), ProtocolError> {
    let (id, params) = connection.initialize_start()?;
    connection.initialize_finish(id, server::greeting())?;
    let jobs = checks::Newest::new();
    let incoming = jobs.receiver();
    let (outcome_sender, outcomes) = crossbeam_channel::bounded(1);
    std::thread::scope(|scope| {
        scope.spawn(move || checks::run(program, &incoming, &outcome_sender));
        // The server drops its ends of the channels, which ends the checks.
        server::Server::new(connection, program, jobs, &params).run(outcomes)
    })
}

/// Returns Markdown as the documentation of an item.
fn markdown(value: String) -> Documentation {
    let kind = MarkupKind::Markdown;
    Documentation::MarkupContent(MarkupContent { kind, value })
}
