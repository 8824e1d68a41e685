-- SPDX-License-Identifier: MIT
--
-- Puts the correlation id of an exchange into a tag, so that sinks store it and filters find it.
-- The id is the trace id of W3C Trace Context or a request id.

local function trace_id(headers)
  local value = headers["traceparent"] or ""
  return value:match("^%x%x%-(%x+)%-%x+%-%x%x$")
end

function record(ex)
  local request, response = ex.request, ex.response
  local id = trace_id(request.headers) or request.headers["X-Request-Id"]
  if not id and response then
    id = response.headers["X-Request-Id"] or response.headers["X-Amzn-Trace-Id"]
  end
  ex.tags.correlation = id
end
