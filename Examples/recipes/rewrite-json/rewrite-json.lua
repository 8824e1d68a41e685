-- SPDX-License-Identifier: MIT
--
-- Rewrites JSON on its way to the client: every `price_cents` becomes a `price` with a currency,
-- however deep it stands. What is not JSON, and what holds no prices, is left as it is.

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
