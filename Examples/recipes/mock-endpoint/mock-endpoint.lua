-- SPDX-License-Identifier: MIT
--
-- Mocks an endpoint that the server does not have yet: GET lists wishes, POST adds one.

local wishes = {}

function request(ex)
  local message = ex.request
  if message.path ~= "/api/wishes" then return end

  if message.method == "GET" then
    return respond { json = json.array(wishes) }
  elseif message.method == "POST" then
    local wish = message:json()
    if type(wish) ~= "table" or not wish.product then
      return respond { status = 422, json = { error = "product is missing" } }
    end
    wish.id = #wishes + 1
    wishes[wish.id] = wish
    return respond { status = 201, headers = { Location = "/api/wishes/" .. wish.id }, json = wish }
  end
  return respond { status = 405, headers = { Allow = "GET, POST" } }
end
