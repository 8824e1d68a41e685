-- SPDX-License-Identifier: MIT
--
-- Signs requests with an HMAC over time, method, target and a digest of the body. Many APIs of
-- payment providers and clouds require a variant of this.

local key, key_id

function start(config)
  key, key_id = config.key, config.key_id
end

function request(ex)
  local message = ex.request
  local moment = time.iso8601()
  local digest = hash.sha256(message.body or "")
  local text = table.concat({ moment, message.method, message.target, digest }, "\n")

  message.headers["X-Time"] = moment
  message.headers["X-Signature"] = key_id .. ":" .. hash.hmac_sha256(key, text)
end
