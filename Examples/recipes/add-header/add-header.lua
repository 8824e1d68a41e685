-- SPDX-License-Identifier: MIT
--
-- Adds a header that says which team a request belongs to. The team comes from `config` in
-- pipeline.yaml, so that the script can be used for several teams.

local team

function start(config)
  team = config.team or error("config has no team")
end

function request(ex)
  local headers = ex.request.headers
  headers["X-Team"] = team
  -- Keep the value if the client already sent one.
  headers["X-Client"] = headers["X-Client"] or "unknown"
end
