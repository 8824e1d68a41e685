-- SPDX-License-Identifier: MIT
--
-- Sends requests to another host. `config` maps hosts to hosts. Plain HTTP is used for a target that
-- has a port.

local targets

function start(config)
  targets = config
end

function request(ex)
  local message = ex.request
  local target = targets[message.host]
  if not target then return end

  local host, port = target:match("^(.-):(%d+)$")
  if host then
    message.scheme, message.host, message.port = "http", host, tonumber(port)
  else
    message.host, message.port = target, nil
  end
  ex.tags.mapped = target
end
