//! A client of the language server, connected in memory.
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    thread::JoinHandle,
    time::Duration,
};

use morse_lsp::lsp_server::{Connection, Message, Notification, Request, RequestId};
use morse_sim::{
    cli::{check::Reading, lsp::Server},
    simulation::no_extensions,
};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Longest wait for an answer, which is an error.
const RECEIVE_TIMEOUT: Duration = Duration::from_secs(60);

/// A client with a directory of its own.
pub(super) struct Client {
    connection: Connection,
    server: Option<JoinHandle<()>>,
    folder: TempDir,
    requests: i32,
    versions: BTreeMap<String, i32>,
    texts: BTreeMap<String, String>,
    /// Newest diagnostics by URI, with the version of the document.
    published: BTreeMap<String, (Option<i64>, Vec<Json>)>,
}

impl Client {
    /// Starts a server, and shakes hands.
    pub(super) fn new() -> Self {
        let (connection, other) = Connection::memory();
        let folder = tempfile::tempdir().expect("a directory");
        let cache = folder.path().join(".cache");
        let server = std::thread::Builder::new()
            .name("server".to_owned())
            .spawn(move || {
                let program = Server::new(Reading::default(), &no_extensions).with_cache(cache);
                morse_lsp::serve(&other, &program).expect("a client that keeps to the protocol");
            })
            .expect("a thread");
        let mut client = Self {
            connection,
            server: Some(server),
            folder,
            requests: 0,
            versions: BTreeMap::new(),
            texts: BTreeMap::new(),
            published: BTreeMap::new(),
        };
        let folders = json!([{ "uri": client.uri("."), "name": "test" }]);
        let params = json!({ "capabilities": {}, "workspaceFolders": folders });
        let greeting = client.request("initialize", params).expect("a greeting");
        assert_eq!(greeting["serverInfo"]["name"], "morse-sim");
        client.notify("initialized", json!({}));
        client
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        let folder = self.folder.path().canonicalize().expect("the directory");
        match name {
            "." => folder,
            name => folder.join(name),
        }
    }

    pub(super) fn uri(&self, name: &str) -> String {
        let path = Path::new(name);
        let path = if path.is_absolute() {
            path.to_owned()
        } else {
            self.path(name)
        };
        format!("file://{}", path.display()).replace(' ', "%20")
    }

    /// Writes a file to the disk.
    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file");
    }

    /// Opens a document, and returns its diagnostics.
    pub(super) fn open(&mut self, name: &str, text: &str) -> Vec<Json> {
        let uri = self.uri(name);
        self.versions.insert(uri.clone(), 1);
        self.texts.insert(name.to_owned(), text.to_owned());
        let document = json!({ "uri": uri, "languageId": "robray", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.diagnostics(name)
    }

    /// Replaces the text of a document, and returns its diagnostics.
    pub(super) fn change(&mut self, name: &str, text: &str) -> Vec<Json> {
        self.texts.insert(name.to_owned(), text.to_owned());
        self.edit(name, json!([{ "text": text }]))
    }

    /// Sends changes of a document, and returns its diagnostics.
    pub(super) fn edit(&mut self, name: &str, changes: Json) -> Vec<Json> {
        let uri = self.uri(name);
        let version = self.versions.get_mut(&uri).expect("an open document");
        *version += 1;
        let document = json!({ "uri": uri, "version": *version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
        self.diagnostics(name)
    }

    pub(super) fn close(&self, name: &str) {
        let document = json!({ "uri": self.uri(name) });
        self.notify("textDocument/didClose", json!({ "textDocument": document }));
    }

    /// Returns the newest diagnostics of a file, whether it is open or not.
    pub(super) fn known(&self, name: &str) -> Vec<Json> {
        let known = self.published.get(&self.uri(name));
        known
            .map(|(_, diagnostics)| diagnostics.clone())
            .unwrap_or_default()
    }

    /// Waits for the diagnostics of the current version of a document.
    pub(super) fn diagnostics(&mut self, name: &str) -> Vec<Json> {
        let uri = self.uri(name);
        let version = i64::from(self.versions[&uri]);
        loop {
            if let Some((Some(published), diagnostics)) = self.published.get(&uri)
                && *published == version
            {
                return diagnostics.clone();
            }
            let message = self.receive();
            assert!(message.is_none(), "no response was requested");
        }
    }

    /// Waits for further diagnostics of a file.
    pub(super) fn wait_for_diagnostics(&mut self, name: &str) {
        let uri = self.uri(name);
        self.published.remove(&uri);
        while !self.published.contains_key(&uri) {
            assert!(self.receive().is_none(), "no response was requested");
        }
    }

    /// Sends a request about the position after `before` in an open document, and returns the answer.
    pub(super) fn ask(&mut self, method: &str, name: &str, before: &str) -> Json {
        let params = self.at(name, before);
        let answer = self.request(method, params);
        answer.unwrap_or_else(|error| panic!("{method} at {before:?}: {error}"))
    }

    /// Returns the parameters of a request about the position after a text.
    pub(super) fn at(&self, name: &str, before: &str) -> Json {
        let text = &self.texts[name];
        let start = text
            .find(before)
            .unwrap_or_else(|| panic!("{before:?} is not in {name}"));
        let position = position(text, start + before.len());
        json!({ "textDocument": { "uri": self.uri(name) }, "position": position })
    }

    /// Sends a request, and returns the result or the error's message.
    pub(super) fn request(&mut self, method: &str, params: Json) -> Result<Json, String> {
        self.requests += 1;
        let id = RequestId::from(self.requests);
        let request = Request {
            id: id.clone(),
            method: method.to_owned(),
            params,
        };
        self.connection
            .sender
            .send(Message::Request(request))
            .expect("a server");
        loop {
            if let Some(response) = self.receive() {
                assert_eq!(response.id, id);
                return match response.error {
                    Some(error) => Err(error.message),
                    None => Ok(response.result.unwrap_or_default()),
                };
            }
        }
    }

    pub(super) fn notify(&self, method: &str, params: Json) {
        let notification = Notification {
            method: method.to_owned(),
            params,
        };
        let message = Message::Notification(notification);
        self.connection.sender.send(message).expect("a server");
    }

    /// Receives a message: returns a response, and keeps diagnostics.
    fn receive(&mut self) -> Option<morse_lsp::lsp_server::Response> {
        match self
            .connection
            .receiver
            .recv_timeout(RECEIVE_TIMEOUT)
            .expect("a message")
        {
            Message::Response(response) => Some(response),
            Message::Notification(notification) => {
                assert_eq!(notification.method, "textDocument/publishDiagnostics");
                let params = notification.params;
                let uri = params["uri"].as_str().expect("a URI").to_owned();
                let diagnostics = params["diagnostics"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                self.published
                    .insert(uri, (params["version"].as_i64(), diagnostics));
                None
            }
            Message::Request(request) => panic!("the server asks: {request:?}"),
        }
    }
}

/// Ends the server, which must be alive.
impl Drop for Client {
    fn drop(&mut self) {
        if std::thread::panicking() {
            return;
        }
        self.request("shutdown", Json::Null)
            .expect("a server that is alive");
        self.notify("exit", Json::Null);
        let server = self.server.take().expect("a server");
        server.join().expect("a server that does not panic");
    }
}

/// Returns the position of an offset, in lines and UTF-16 units.
pub(super) fn position(text: &str, offset: usize) -> Json {
    let before = &text[..offset];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let character = before[start..].encode_utf16().count();
    json!({ "line": line, "character": character })
}

/// Returns the text of a range of a document.
pub(super) fn slice<'t>(text: &'t str, range: &Json) -> &'t str {
    let offset = |position: &Json| {
        let mut lines = text.split_inclusive('\n');
        let line = usize::try_from(position["line"].as_u64().expect("a line")).expect("small");
        let start: usize = lines.by_ref().take(line).map(str::len).sum();
        let units =
            usize::try_from(position["character"].as_u64().expect("a column")).expect("small");
        let rest = &text[start..];
        let mut seen = 0;
        let end = rest.char_indices().find(|(_, letter)| {
            seen += letter.len_utf16();
            seen > units
        });
        start + end.map_or(rest.len(), |(offset, _)| offset)
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}

/// Returns the text of a hover.
pub(super) fn hover_text(answer: &Json) -> &str {
    answer["contents"]["value"].as_str().unwrap_or_default()
}

/// Returns the labels of completion items.
pub(super) fn labels(answer: &Json) -> Vec<&str> {
    let items = answer.as_array().map(Vec::as_slice).unwrap_or_default();
    items
        .iter()
        .filter_map(|item| item["label"].as_str())
        .collect()
}
