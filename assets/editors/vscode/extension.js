// Starts the language server of morse-sim for scenes and simulation files.
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

async function activate() {
  const [command, ...args] = workspace.getConfiguration("morse-sim").get("command");
  const server = { command, args };
  const options = {
    documentSelector: [
      { scheme: "file", language: "robray" },
      { scheme: "file", language: "ron" },
    ],
    synchronize: { fileEvents: workspace.createFileSystemWatcher("**/*.{robray,ron,urdf,xacro}") },
  };
  client = new LanguageClient("morse-sim", "morse-sim", server, options);
  await client.start();
}

async function deactivate() {
  await client?.stop();
}

module.exports = { activate, deactivate };
