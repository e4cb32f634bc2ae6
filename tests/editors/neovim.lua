-- A dialogue with the language server in Neovim, as text. Arguments by variables of the environment: MORSE_OUT is the file for
-- the text.
local out = io.open(vim.env.MORSE_OUT, "w")
local wait = 60000

local function say(...)
  out:write(string.format(...), "\n")
end

-- Puts the cursor after a text of the buffer.
local function go(before)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(0, 0, -1, false)) do
    local _, last = line:find(before, 1, true)
    if last then
      vim.api.nvim_win_set_cursor(0, { index, last - 1 })
      return { line = index - 1, character = vim.str_utfindex and select(2, vim.str_utfindex(line, last)) or last }
    end
  end
  error("not found: " .. before)
end

-- Sends a request about the position after a text, and returns the result.
local function ask(method, before, more)
  local params = { textDocument = vim.lsp.util.make_text_document_params(), position = before and go(before) }
  local answers = vim.lsp.buf_request_sync(0, method, vim.tbl_extend("force", params, more or {}), wait)
  local _, answer = next(answers)
  assert(answer and not answer.err, vim.inspect(answers))
  return answer.result
end

-- Waits for the diagnostics of the buffer, and writes them.
local function diagnostics(count)
  local arrived = vim.wait(wait, function() return #vim.diagnostic.get(0) == count end)
  assert(arrived, vim.inspect(vim.diagnostic.get(0)))
  for _, found in ipairs(vim.diagnostic.get(0)) do
    say("%d:%d: %s", found.lnum + 1, found.col + 1, found.message:gsub("\n", " | "))
  end
end

local function name(uri)
  return vim.fn.fnamemodify(vim.uri_to_fname(uri), ":t")
end

local function dialogue()
  say("filetype %s, server %s", vim.bo.filetype, vim.lsp.get_active_clients()[1].name)
  say("\nhalf-typed: `frame lid { parent tabel; mass 2`")
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { "frame lid { parent tabel; mass 2" })
  diagnostics(3)
  say("\ncompleted:")
  vim.api.nvim_buf_set_lines(0, -2, -1, false, { "frame lid { parent table; mass 2; }" })
  diagnostics(0)
  say("\nhover on `table`:\n%s", ask("textDocument/hover", "parent ta").contents.value)
  say("hover on `45*deg`:\n%s", ask("textDocument/hover", "45*d").contents.value)
  local target = ask("textDocument/definition", "isa st")[1]
  say("definition of `steel`: %s:%d", name(target.uri), target.range.start.line + 1)
  local items = ask("textDocument/completion", "type re")
  local labels = vim.tbl_map(function(item) return item.label end, items)
  say("completion after `type`: %s", table.concat(labels, ", "))
  local edit = ask("textDocument/rename", "frame ta", { newName = "desk" })
  local files = vim.tbl_map(name, vim.tbl_keys(edit.changes))
  table.sort(files)
  say("renaming `table` changes %s", table.concat(files, ", "))
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  say("last line: %s", vim.api.nvim_buf_get_lines(0, -2, -1, false)[1])
  local symbols = ask("textDocument/documentSymbol")
  say("outline: %s", table.concat(vim.tbl_map(function(symbol) return symbol.name end, symbols), ", "))
end

local function highlighting()
  vim.cmd("edit " .. vim.env.MORSE_SAMPLE)
  say("\nhighlighting of sample.robray:")
  for _, word in ipairs({ "# High", "include", '"obj', "def", "1.5e", "*pi", "class", "density", "frame", "arm", "revolute", "deg", "bo", "/* e" }) do
    local at = go(word)
    local id = vim.fn.synID(at.line + 1, vim.api.nvim_win_get_cursor(0)[2] + 1, 1)
    say("%-8s %s", word, vim.fn.synIDattr(id, "name"))
  end
  say("\nindentation:")
  vim.cmd("new | set filetype=robray")
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { "frame a {", "mass 1;", "geometry {", "shape sphere;", "}", "}" })
  vim.cmd("normal! gg=G")
  say("%s", table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n"))
end

-- The tree of the grammar, with the names that the queries give to its parts.
local function tree()
  vim.cmd("edit " .. vim.env.MORSE_SAMPLE)
  local root = vim.treesitter.get_parser(0, "robray"):parse()[1]:root()
  say("\ntree of sample.robray, errors: %s", root:has_error())
  local text = vim.treesitter.get_node_text or vim.treesitter.query.get_node_text
  local get = vim.treesitter.query.get or vim.treesitter.query.get_query
  for _, name in ipairs({ "highlights", "folds", "indents" }) do
    local query, found = get("robray", name), {}
    for id, node in query:iter_captures(root, 0, 0, -1) do
      local part = text(node, 0)
      part = type(part) == "table" and part[1] or part:match("[^\n]*")
      table.insert(found, string.format("%s %s", query.captures[id], part))
    end
    say("%s: %d, from %s to %s", name, #found, found[1], found[#found])
  end
end

local fine, problem = xpcall(function()
  vim.wait(wait, function() return #vim.lsp.get_active_clients() > 0 end)
  dialogue()
  highlighting()
  tree()
end, debug.traceback)
if not fine then
  say("error: %s", problem)
end
out:close()
for _, client in ipairs(vim.lsp.get_active_clients()) do
  client.stop()
end
vim.wait(wait, function() return #vim.lsp.get_active_clients() == 0 end)
vim.cmd(fine and "qall!" or "cquit!")
