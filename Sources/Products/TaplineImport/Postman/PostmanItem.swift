// SPDX-License-Identifier: MIT

internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel

/// Reads the requests of a collection with their examples.
///
/// **Limits**: examples repeat their request, and requests repeat the authorization around them, so
/// the exchanges of a collection have at most 100,000 and 256 MiB.
struct PostmanItem {
    private static let maxItems = 100_000
    private static let maxBytes = 256 << 20

    private var variables: PostmanVariables
    private let fallbackStart: Timestamp
    /// The size of all exchanges so far.
    private var byteCount = 0

    init(_ variables: PostmanVariables, _ fallbackStart: Timestamp) {
        self.variables = variables
        self.fallbackStart = fallbackStart
    }

    /// Whether the exchanges and errors so far reach a limit.
    func isExhausted(_ items: ImportedItems) -> Bool {
        items.elements.count >= Self.maxItems || byteCount > Self.maxBytes
    }

    /// Adds the exchanges of an item, until they reach a limit.
    mutating func read(
        _ item: JSONValue,
        _ document: JSONDocument,
        _ auth: Int?,
        _ items: inout ImportedItems
    ) throws(RecordError) {
        guard item.kind == .object, let value = item.member("request") else {
            throw .shape("missing key 'request' in an item", at: item.offset)
        }
        variables.resetUnknown()
        defer { if variables.hasUnknown { items.lose("{{ }} (unknown variable)") } }
        let exchange = try exchange(value, document, auth, item.text("name") ?? "", &items)
        var hasExamples = false
        if let list = item.member("response") {
            var elements = list.elements
            while !isExhausted(items), let example = elements.next() {
                guard example.kind == .object else { continue }
                hasExamples = true
                try add(example, to: exchange, document, auth, &items)
            }
        }
        if !hasExamples {
            var alone = exchange
            alone.markWithoutResponse()
            add(alone, &items)
        }
    }

    private mutating func add(_ exchange: Exchange, _ items: inout ImportedItems) {
        let request = exchange.request
        byteCount += 2 * request.target.count + request.authority.count + request.fields.byteCount
        byteCount += request.body.bytes.count + (exchange.response?.body.bytes.count ?? 0)
        byteCount += exchange.tags["name"]?.utf8.count ?? 0
        for note in exchange.extra?.notes ?? [] { byteCount += note.text.utf8.count }
        let url = request.url
        if byteCount <= Self.maxBytes { items.add(exchange, from: url.span) }
    }

    private mutating func exchange(
        _ value: JSONValue,
        _ document: JSONDocument,
        _ auth: Int?,
        _ name: String,
        _ items: inout ImportedItems
    ) throws(RecordError) -> Exchange {
        var reader = PostmanRequest(variables)
        let request = try reader.read(value, document, auth, &items)
        variables = reader.variables
        let (started, notes) = Self.description(value)
        var exchange = Exchange.imported(request, started: started ?? fallbackStart)
        if !name.isEmpty { exchange.tags["name"] = name }
        if !notes.isEmpty {
            var extra = ExchangeExtra()
            extra.notes = [ExchangeNote(text: notes)]
            exchange.extra = extra
        }
        return exchange
    }

    /// The start that Tapline writes into descriptions, and the rest of the description.
    private static func description(_ request: JSONValue) -> (Timestamp?, String) {
        guard request.kind == .object, let value = request.member("description") else {
            return (nil, "")
        }
        let text = value.asString ?? (value.kind == .object ? value.text("content") : nil) ?? ""
        guard text.hasPrefix("started ") else { return (nil, text) }
        let end = text.firstIndex(of: "\n") ?? text.endIndex
        guard let time = Timestamp(rfc3339: String(text[..<end].dropFirst(8))) else {
            return (nil, text)
        }
        return (time, String(text[end...].drop { $0 == "\n" }))
    }

    // MARK: Examples

    private mutating func add(
        _ example: JSONValue,
        to exchange: Exchange,
        _ document: JSONDocument,
        _ auth: Int?,
        _ items: inout ImportedItems
    ) throws(RecordError) {
        var exchange = exchange
        if let original = example.member("originalRequest"), original.kind == .object {
            let name = exchange.tags["name"] ?? ""
            let (started, extra) = (exchange.started, exchange.extra)
            exchange = try self.exchange(original, document, auth, name, &items)
            if exchange.started == fallbackStart { exchange.started = started }
            if exchange.extra == nil { exchange.extra = extra }
        }
        var response = Response(version: "")
        response.status = try Self.status(example)
        response.reason = ByteString(example.text("status") ?? "")
        if let list = example.member("header") {
            response.fields = PostmanRequest.fields(list) { $0 }
        }
        if let body = example.member("body"), body.kind == .string {
            // Examples have decoded text, whatever Content-Encoding states.
            response.body = Body(Array(copying: body.bytes))
        }
        if let time = example.member("responseTime")?.asThousandths, time >= 0 {
            exchange.timing.total = Microseconds(time)
        }
        exchange.response = response
        add(exchange, &items)
    }

    private static func status(_ example: JSONValue) throws(RecordError) -> Int {
        guard let code = example.member("code"), !code.isNull else { return 0 }
        guard let number = code.asInt64, 0...999 ~= number else {
            throw .shape("wrong value of 'code'; expected a status code", at: code.offset)
        }
        return Int(number)
    }
}
