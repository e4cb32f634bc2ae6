-- The language server of morse-sim in Neovim.
local M = {}

-- Client of each workspace, by its directory.
local clients = {}

-- Returns true for files that the server understands: scenes, and of RON files simulations and scenarios.
local function is_ours(buffer)
  if vim.bo[buffer].filetype ~= "ron" then
    return true
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buffer, 0, 200, false), "\n")
  text = text:gsub("/%*.-%*/", ""):gsub("//[^\n]*", ""):gsub("#![^\n]*", "")
  local name = text:match("^%s*(%w*)%s*%(") or text:match("^%s*(%w*)%s*$")
  return name == "" or name == "Simulation" or name == "Scenario"
end

-- Returns the directory of the project: that with `.git`, or that of the file.
local function root(buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  local directory = path == "" and vim.fn.getcwd() or vim.fn.fnamemodify(path, ":p:h")
  local found = vim.fn.finddir(".git", directory .. ";")
  return found == "" and directory or vim.fn.fnamemodify(found, ":p:h:h")
end

-- Connects the current buffer to the server, which is started if it does not run yet.
function M.start()
  local buffer = vim.api.nvim_get_current_buf()
  if not is_ours(buffer) then
    return
  end
  local directory = root(buffer)
  local client = clients[directory]
  if not client or vim.lsp.client_is_stopped(client) then
    client = vim.lsp.start_client({
      name = "morse-sim",
      cmd = vim.g.morse_sim_command or { "morse-sim", "lsp" },
      root_dir = directory,
      workspace_folders = { { uri = vim.uri_from_fname(directory), name = directory } },
    })
    clients[directory] = client
  end
  if client then
    vim.lsp.buf_attach_client(buffer, client)
  end
end

-- Highlights and folds the current buffer by the tree-sitter grammar, if its parser is installed; Neovim 0.9 or later.
function M.highlight()
  if vim.treesitter.start and pcall(vim.treesitter.start) then
    vim.wo.foldmethod = "expr"
    vim.wo.foldexpr = "v:lua.vim.treesitter.foldexpr()"
  end
end

return M
