//! The server's loop: messages of the client, and outcomes of the checks.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use crossbeam_channel::{Receiver, select};
use lsp_server::{Connection, ErrorCode, Message, Notification, ProtocolError, Request, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    DidSaveTextDocument, Notification as _, PublishDiagnostics,
};
use lsp_types::{
    CodeActionProviderCapability, CompletionOptions, FoldingRangeProviderCapability,
    HoverProviderCapability, InitializeParams, OneOf, PublishDiagnosticsParams, RenameOptions,
    SaveOptions, ServerCapabilities, TextDocumentSyncCapability, TextDocumentSyncKind,
    TextDocumentSyncOptions,
};
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};

use crate::checks::{Job, Newest, Outcome};
use crate::documents::Documents;
use crate::program::Program;
use crate::scene::Scenes;
use crate::simulation::Worlds;
use crate::uri;

/// State of the server.
pub(crate) struct Server<'a> {
    connection: &'a Connection,
    pub(crate) program: &'a dyn Program,
    jobs: Newest,
    pub(crate) documents: Documents,
    pub(crate) scenes: Scenes,
    pub(crate) worlds: Worlds,
    /// Directories in which the names of a file may be used by others.
    pub(crate) folders: Vec<PathBuf>,
    /// Files with diagnostics that the client shows.
    published: BTreeSet<PathBuf>,
}

/// Reason why a request is not answered.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

pub(crate) type Answer = Result<Json, Refusal>;

/// Returns the answer to the client's first request: what the server can do.
pub(crate) fn greeting() -> Json {
    let capabilities = ServerCapabilities {
        text_document_sync: Some(TextDocumentSyncCapability::Options(
            TextDocumentSyncOptions {
                open_close: Some(true),
                change: Some(TextDocumentSyncKind::INCREMENTAL),
                save: Some(SaveOptions::default().into()),
                ..TextDocumentSyncOptions::default()
            },
        )),
        hover_provider: Some(HoverProviderCapability::Simple(true)),
        completion_provider: Some(CompletionOptions {
            trigger_characters: Some(vec!["\"".to_owned(), "/".to_owned()]),
            ..CompletionOptions::default()
        }),
        definition_provider: Some(OneOf::Left(true)),
        references_provider: Some(OneOf::Left(true)),
        rename_provider: Some(OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        })),
        document_symbol_provider: Some(OneOf::Left(true)),
        folding_range_provider: Some(FoldingRangeProviderCapability::Simple(true)),
        document_formatting_provider: Some(OneOf::Left(true)),
        code_action_provider: Some(CodeActionProviderCapability::Simple(true)),
        ..ServerCapabilities::default()
    };
    json!({
        "capabilities": capabilities,
        "serverInfo": { "name": "morse-sim", "version": env!("CARGO_PKG_VERSION") },
    })
}

impl<'a> Server<'a> {
    pub(crate) fn new(
        connection: &'a Connection,
        program: &'a dyn Program,
        jobs: Newest,
        params: &Json,
    ) -> Self {
        Self {
            connection,
            program,
            jobs,
            documents: Documents::default(),
            scenes: Scenes::default(),
            worlds: Worlds::default(),
            folders: folders(params),
            published: BTreeSet::new(),
        }
    }

    /// Handles messages until the client ends the connection.
    pub(crate) fn run(mut self, outcomes: Receiver<Outcome>) -> Result<(), ProtocolError> {
        loop {
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(Message::Request(request)) => {
                        if self.connection.handle_shutdown(&request)? {
                            return Ok(());
                        }
                        self.answer(request);
                    }
                    Ok(Message::Notification(notification)) => self.heed(notification),
                    Ok(Message::Response(_)) => {}
                    // The client is gone.
                    Err(_) => return Ok(()),
                },
                recv(outcomes) -> outcome => {
                    if let Ok(outcome) = outcome {
                        self.publish(outcome);
                    }
                }
            }
        }
    }

    /// Answers a request. A panic, which would be a defect of the server, becomes an error.
    fn answer(&mut self, request: Request) {
        let Request { id, method, params } = request;
        let answer = catch_unwind(AssertUnwindSafe(|| self.route(&method, params)));
        let answer = answer.unwrap_or_else(|_| {
            Err(Refusal {
                code: ErrorCode::InternalError,
                message: format!("a defect of the server: `{method}` panicked"),
            })
        });
        let response = match answer {
            // Not `new_ok`, which converts the result once more: an outline has millions of values.
            Ok(result) => Response {
                id,
                result: Some(result),
                error: None,
            },
            Err(refusal) => Response::new_err(id, refusal.code as i32, refusal.message),
        };
        self.send(Message::Response(response));
    }

    /// Sends a message; a client that is gone does not need it.
    fn send(&self, message: Message) {
        self.connection.sender.send(message).ok();
    }

    /// Handles a notification. Malformed ones are ignored, since they have no answer.
    fn heed(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        let heed = AssertUnwindSafe(|| self.follow(&method, params));
        if catch_unwind(heed).unwrap_or(false) {
            self.check();
        }
    }

    /// Applies a notification. Returns true if documents have to be checked.
    fn follow(&mut self, method: &str, params: Json) -> bool {
        match method {
            DidOpenTextDocument::METHOD => {
                parsed(params, |params: lsp_types::DidOpenTextDocumentParams| {
                    let document = params.text_document;
                    self.documents
                        .open(document.uri, document.version, document.text);
                })
            }
            DidChangeTextDocument::METHOD => {
                parsed(params, |params: lsp_types::DidChangeTextDocumentParams| {
                    let document = params.text_document;
                    self.documents
                        .change(&document.uri, document.version, params.content_changes);
                })
            }
            DidCloseTextDocument::METHOD => {
                parsed(params, |params: lsp_types::DidCloseTextDocumentParams| {
                    self.documents.close(&params.text_document.uri);
                })
            }
            DidSaveTextDocument::METHOD | DidChangeWatchedFiles::METHOD => {
                self.documents.touch();
                true
            }
            _ => false,
        }
    }

    /// Requests a check of all open documents.
    fn check(&self) {
        let job = Job {
            revision: self.documents.revision(),
            documents: self.documents.paths().map(ToOwned::to_owned).collect(),
            overlay: self.documents.overlay().clone(),
        };
        self.jobs.put(job);
    }

    /// Shows the diagnostics of a check, unless a document has changed since, and removes those of files without any.
    fn publish(&mut self, outcome: Outcome) {
        if outcome.revision != self.documents.revision() {
            return;
        }
        let shown: BTreeSet<PathBuf> = outcome.files.keys().cloned().collect();
        let gone: Vec<PathBuf> = self.published.difference(&shown).cloned().collect();
        let empty = gone.into_iter().map(|path| (path, Vec::new()));
        for (path, diagnostics) in outcome.files.into_iter().chain(empty) {
            let Some(uri) = self.documents.uri(&path) else {
                continue;
            };
            let version = self.documents.get(&path).map(|document| document.version);
            let params = PublishDiagnosticsParams::new(uri, diagnostics, version);
            self.send(Message::Notification(Notification::new(
                PublishDiagnostics::METHOD.to_owned(),
                params,
            )));
        }
        self.published = shown;
    }
}

/// Passes parameters to a function if they have the right form, and returns true then.
fn parsed<P: DeserializeOwned>(params: Json, use_it: impl FnOnce(P)) -> bool {
    serde_json::from_value(params).map(use_it).is_ok()
}

/// Returns the folders of the client's workspace.
fn folders(params: &Json) -> Vec<PathBuf> {
    let Ok(params) = serde_json::from_value::<InitializeParams>(params.clone()) else {
        return Vec::new();
    };
    let folders = params.workspace_folders.unwrap_or_default();
    #[expect(deprecated, reason = "clients without workspace folders")]
    let root = params.root_uri.filter(|_| folders.is_empty());
    let uris = folders.into_iter().map(|folder| folder.uri).chain(root);
    uris.filter_map(|uri| uri::to_path(&uri)).collect()
}
