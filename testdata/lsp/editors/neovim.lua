-- What a person does in Neovim, 0.7 or later: types, completes, renames, takes a remedy and
-- formats. What the editor then has is written to the file $OUT.
local out = assert(io.open(os.getenv("OUT"), "w"))
local function say(...) out:write(string.format(...), "\n") out:flush() end
local function settle(what, cond)
  if not vim.wait(20000, cond, 10) then
    say("TIMEOUT: %s", what)
    vim.cmd("cquit")
  end
end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\n") end
local function type_keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "xt", false)
end

vim.cmd("edit " .. os.getenv("SCRIPT"))
vim.bo.filetype = "dtrace"
local id = vim.lsp.start_client({ name = "dscope", cmd = { "dscope", "lsp" } })
vim.lsp.buf_attach_client(0, id)
local client = vim.lsp.get_client_by_id(id)
settle("initialize", function() return client.initialized end)
vim.bo.omnifunc = "v:lua.vim.lsp.omnifunc"

local function complaints(n)
  settle(n .. " complaints", function() return #vim.diagnostic.get(0) == n end)
  for _, d in ipairs(vim.diagnostic.get(0)) do
    say("complaint %d:%d-%d %s: %s", d.lnum + 1, d.col + 1, d.end_col + 1, d.code or d.user_data.lsp.code, (d.message:gsub("\n", " | ")))
  end
end

say("-- as it is opened")
complaints(1)

say("-- typed: an aggregation with a slip")
type_keys("/trace<CR>o@lat[execnam] = quantize(timestamp);<Esc>")
complaints(2)

local function ask(method, more)
  local params = vim.tbl_extend("force", vim.lsp.util.make_position_params(0, client.offset_encoding), more or {})
  local got = vim.lsp.buf_request_sync(0, method, params, 20000)
  return got and got[id] and got[id].result
end

say("-- completion behind args[0]->")
vim.fn.search("args\\[0\\]->", "e") -- on the last letter; what is asked for stands behind it
local params = vim.lsp.util.make_position_params(0, client.offset_encoding)
params.position.character = params.position.character + 1
local got = vim.lsp.buf_request_sync(0, "textDocument/completion", params, 20000)[id].result
for _, item in ipairs(got.items) do
  say("%s: %s", item.label, item.detail)
end
for _, item in ipairs(got.items) do
  if item.label == "pr_lwpid" then
    vim.lsp.util.apply_text_edits({ item.textEdit }, 0, client.offset_encoding)
  end
end
complaints(1)

say("-- the remedy that is offered")
vim.fn.search("execnam")
local range = vim.lsp.util.make_range_params(0, client.offset_encoding)
range.context = { diagnostics = {} }
for _, action in ipairs(vim.lsp.buf_request_sync(0, "textDocument/codeAction", range, 20000)[id].result) do
  say("%s", action.title)
  vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
end
complaints(0)

say("-- hover")
vim.fn.search("quantize")
say("%s", (ask("textDocument/hover").contents.value:gsub("\n", " | ")))

say("-- renamed")
vim.fn.search("@lat")
type_keys("l")
vim.lsp.buf.rename("latency")
settle("the rename", function() return text():find("@latency") ~= nil end)
say("%s", text())

say("-- formatted")
if vim.lsp.buf.format then
  vim.lsp.buf.format({ timeout_ms = 20000 })
else
  vim.lsp.buf.formatting_sync(nil, 20000)
end
say("%s", text())
vim.lsp.stop_client(id)
vim.wait(5000, function() return vim.lsp.get_client_by_id(id) == nil end, 10)
vim.cmd("qall!")
