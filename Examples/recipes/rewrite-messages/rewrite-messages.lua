-- SPDX-License-Identifier: MIT
--
-- Changes the messages of the shop's chat in transit: adds the language to each question, and drops
-- typing notices. Messages that are not JSON are unchanged.

local language

function start(config)
  language = config.language
end

function message(ex, message)
  local is_json, value = pcall(message.json, message)
  if not is_json or type(value) ~= "table" then return end
  if value.type == "typing" then return drop("a notice") end
  if value.type == "question" then
    value.language = language
    message.json = value
  end
end
