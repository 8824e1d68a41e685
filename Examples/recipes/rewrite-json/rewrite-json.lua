-- SPDX-License-Identifier: MIT
--
-- Rewrites JSON on its way to the client: every `price_cents`, at any depth, becomes a `price` with a
-- currency. Responses that are not JSON or have no prices are unchanged.

local currency

function start(config)
  currency = config.currency
end

local function rewrite(value)
  if type(value) ~= "table" then return false end
  local changed = false
  for _, inner in pairs(value) do
    if rewrite(inner) then changed = true end
  end
  if value.price_cents then
    value.price = { amount = value.price_cents / 100, currency = currency }
    value.price_cents = nil
    changed = true
  end
  return changed
end

function response(ex)
  local message = ex.response
  local kind = message.headers["Content-Type"] or ""
  if not kind:find("^application/json") then return end
  local value = message:json()
  if rewrite(value) then message.body = json.encode(value) end
end
