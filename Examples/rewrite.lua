-- SPDX-License-Identifier: MIT
--
-- The script of demo.yaml. Each hook is called with one exchange: `request` and `response` change the
-- messages, `record` changes what is stored.

function request(ex)
  local message = ex.request
  if message.path == "/health" then
    return drop("health check")
  end
  message.headers["X-Shop-Client"] = "demo"
  ex.tags.team = message.host == "api.shop.test" and "interface" or "pages"
end

function response(ex)
  local message = ex.response
  if message.status == 503 then
    message.headers["Retry-After"] = "30"
  end
end

function record(ex)
  if ex.state ~= "completed" then
    log("no answer from " .. ex.request.host)
  end
end
