-- SPDX-License-Identifier: MIT
--
-- Drops the records of successful health checks. Failed ones are kept.

local paths = { ["/health"] = true, ["/ready"] = true, ["/metrics"] = true }

local function is_probe(message)
  local agent = message.headers["User-Agent"] or ""
  return paths[message.path] or agent:find("^kube%-probe/")
end

function record(ex)
  if is_probe(ex.request) and ex.response and ex.response.status < 400 then
    return drop("health check")
  end
end
