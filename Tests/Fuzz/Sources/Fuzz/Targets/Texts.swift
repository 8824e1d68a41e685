// SPDX-License-Identifier: MIT

import LuaStage
import TaplineModel
import TaplinePlugin

/// The Swift functions that scripts use to parse and build texts.
///
/// A script that uses all of them works on any bytes and leaves an exchange that can be read. It
/// may fail only in `pcall`: JSON must be valid, strings for JSON must be UTF-8, and a query with
/// control characters cannot be changed.
func fuzzTexts(_ input: inout FuzzInput) {
    let isWire = input.below(2) == 0
    var exchange = Exchange(id: ExchangeID(high: 1, low: 2))
    exchange.request = Request(
        target: ByteString(input.take(input.below(48))),
        scheme: input.pick(["http", "https", "", "ftp"]),
        authority: ByteString(input.take(input.below(24))),
        fields: ["Host": "shop.test", "Content-Type": input.pick(types)]
    )
    for name in ["Cookie", "Cookie", "ETag"] {
        let value = input.take(input.below(32))
        exchange.request.fields.append(name: name.utf8.span, value: value.span)
    }
    var response = Response(status: input.pick([200, 204, 304, 101, 500]))
    let cookie = input.take(input.below(48))
    response.fields.append(name: "Set-Cookie".utf8.span, value: cookie.span)
    response.body = Body(Array("text".utf8))
    exchange.response = response
    exchange.request.body = Body(input.rest())
    run(&exchange, isWire: isWire)
}

private let types = [
    "multipart/form-data; boundary=b", "multipart/mixed; boundary=\"b c\"; x=\"\\\"\"",
    "application/x-www-form-urlencoded", "application/json", "",
]

private func run(_ exchange: inout Exchange, isWire: Bool) {
    guard let stage = try? StagePlugin.lua.stage("{code: \"\(script)\"}") else {
        fatalError("the script is rejected")
    }
    var context = ExchangeContext()
    context.hasRequestBody = true
    do {
        if isWire {
            _ = try (stage as? any WireStage)?.request(&exchange, &context)
        } else {
            _ = try (stage as? any RecordStage)?.record(&exchange, &context)
        }
    } catch {
        fatalError("\(error)")
    }
    require(exchange.request.fields.byteCount < 1 << 20, "fields out of bounds")
    _ = (exchange.request.url, exchange.request.host, exchange.request.port)
    for tag in exchange.tags { require(!tag.name.isEmpty, "a tag without a name") }
}

/// Reads and writes with each function, and reads what it has written.
private let script = """
    local function all(ex) \
      local r, texts = ex.request, {} \
      local function note(v) texts[#texts + 1] = tostring(v) end \
      note(r.url) note(r.host) note(r.port) note(r.path) note(r.target) note(r.scheme) \
      for n, v in pairs(r.query) do note(n) note(v) note(r.query[n]) note(#r.query:all(n)) end \
      for n, v in pairs(r.cookies) do note(n) note(v) note(r.cookies:get(n)) end \
      if ex.response then for n, c in pairs(ex.response.cookies) do note(n) note(c.value) note(c.max_age) end end \
      local body = r.body \
      local form = r:form() \
      if form then for n, v in pairs(form) do note(n) note(v) end form.a = 'ü&' note(form.a) form:add('b', '=') form.a = nil end \
      local parts = r:multipart() \
      if parts then \
        for _, p in ipairs(parts) do note(p.name) note(p.filename) note(p.content_type) note(p.body) for n, v in pairs(p.headers) do note(n) note(v) end end \
        if parts[1] then parts[1].body = 'x' end \
        parts:add{name = 'n', body = 'y'} \
        assert(#r:multipart() == #parts) \
      end \
      for _, text in ipairs({body, r.target, r.host}) do \
        note(url.encode(text)) assert(url.decode(url.encode(text)) == text) note(url.decode(text)) \
        local made = url.parse(text) if made then note(made.host) note(made.path) end \
        note(url.join('http://a/b/c', text)) for _, p in ipairs(url.parse_query(text)) do note(p[1]) note(p[2]) end \
        assert(base64.decode(base64.encode(text)) == text) assert(base64.decode(base64.encode_url(text)) == text) note(base64.decode(text)) \
        note(time.parse(text)) note(hash.sha256(text)) note(hash.hmac_sha1(text, text)) note(jwt.decode(text)) note(pcall(json.decode, text)) note(pcall(json.encode, text)) \
      end \
      if pcall(function() r.query.added = 'é /?' end) then assert(r.query.added == 'é /?') end \
      r.cookies.added = 'v' assert(r.cookies.added == 'v') \
      ex.tags.texts = table.concat(texts, ' ') \
    end \
    function request(ex) all(ex) ex.request.body = 'new' assert(ex.request.headers['content-length'] == '3') assert(ex.request.headers.etag == nil) end \
    function record(ex) all(ex) end
    """
