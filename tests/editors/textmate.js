// Prints the scopes of files as VS Code's own tokeniser finds them: each word with its scope. Arguments: the directory of the
// packages, then grammars and files by turns.
"use strict";

const fs = require("fs");
const path = require("path");
const [packages, ...files] = process.argv.slice(2);
const load = (name) => require(path.join(packages, "node_modules", name));
const oniguruma = load("vscode-oniguruma");
const { Registry, parseRawGrammar, INITIAL } = load("vscode-textmate");

async function main() {
  const wasm = fs.readFileSync(path.join(packages, "node_modules/vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer);
  for (let index = 0; index < files.length; index += 2) {
    const [grammarFile, file] = files.slice(index, index + 2);
    const registry = new Registry({
      onigLib: Promise.resolve({
        createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
        createOnigString: (text) => new oniguruma.OnigString(text),
      }),
      loadGrammar: async () => parseRawGrammar(fs.readFileSync(grammarFile, "utf8"), grammarFile),
    });
    const scope = JSON.parse(fs.readFileSync(grammarFile, "utf8")).scopeName;
    const grammar = await registry.loadGrammar(scope);
    let state = INITIAL;
    for (const line of fs.readFileSync(file, "utf8").trimEnd().split("\n")) {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, state);
      state = ruleStack;
      for (const { startIndex, endIndex, scopes } of tokens) {
        const text = line.slice(startIndex, endIndex).trim();
        if (text && scopes.length > 1) {
          console.log(`${text.padEnd(24)} ${scopes[scopes.length - 1]}`);
        }
      }
    }
  }
}

main();
