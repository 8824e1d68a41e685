local count = 0
function start(config) count = 1 end
function request(ex)
  count = count + 1
  if ex.request.method == "POST" then ex.request.headers["x-count"] = tostring(count) end
end
function response(ex)
  if ex.response.status >= 500 then ex.response.status = 503 end
end
function record(ex) ex.tags.seen = "yes" end
function stop() end
