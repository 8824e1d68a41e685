-- SPDX-License-Identifier: MIT
--
-- Injects faults: some requests are slow, some are refused, some lose their connection. `config` has
-- the probability of each fault, from 0 (never) to 1 (always).

local chance

function start(config)
  chance = config
end

local function happens(fault)
  return math.random() < (chance[fault] or 0)
end

function request(ex)
  if happens("gone") then
    return abort()
  elseif happens("busy") then
    ex.tags.fault = "busy"
    return respond {
      status = 503,
      headers = { ["Retry-After"] = "5" },
      json = { error = "overloaded" },
    }
  elseif happens("slow") then
    ex.tags.fault = "slow"
    return delay(0.5 + 1.5 * math.random())
  end
end
