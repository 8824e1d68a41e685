// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineFormats
internal import TaplineJSON
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineProtobuf
internal import TaplineQuery
internal import TaplineServe
internal import TaplineStore

/// The endpoints of one exchange.
enum ExchangeEndpoints {
    /// How many exchanges of a group are shown.
    private static let maxGroup = 200
    /// How long neighbours and groups are searched for.
    private static let patience = DispatchTimeInterval.milliseconds(150)

    /// `GET /api/exchanges/ID`.
    static func show(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let stores = try open.stores()
        let stored = try call.exchange(stores)
        let related = Related(stored, stores, within: patience)
        var json = JSONWriter(capacity: 16 << 10)
        json.object { json in
            json.key("row")
            json.row(stored)
            json.record(of: stored.exchange)
            json.member("messages", stored.exchange.messages.count)
            json.notes(stored.exchange.extra?.notes ?? [])
            if let group = related.group {
                json.key("group")
                json.object { json in
                    json.member("key", group.key)
                    if let count = group.count { json.member("count", count) }
                }
            }
            json.replays(of: stored.exchange, call.context.resends)
            if let route = related.route { json.member("route", route) }
            if let previous = related.previous { json.member("previous", previous.description) }
            if let next = related.next { json.member("next", next.description) }
            json.sizes(of: stored.exchange)
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/exchanges/ID/group`.
    static func group(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let stores = try open.stores()
        let exchange = try call.exchange(stores).exchange
        var json = JSONWriter()
        try json.object { json in
            json.key("rows")
            try json.array { json in
                guard let key = Correlation.find(in: exchange) else { return }
                let text = "correlation == \(FilterLiteral.text(key.description))"
                var query = StoreQuery(
                    try Filter(text, inStore: true),
                    order: .oldestFirst,
                    limit: maxGroup,
                    parts: JSONWriter.rowParts
                )
                query.progress = call.progress
                try stores.forEach(query) { json.row($0) }
            }
        }
        return ServedResponse(json: json)
    }

    /// `GET /api/exchanges/ID/messages`.
    static func messages(_ call: Call, _ open: OpenStores) throws -> ServedResponse {
        let exchange = try call.exchange(try open.stores()).exchange
        let messages = exchange.messages
        let from = min(try call.count("from", default: 0, atMost: .max), messages.count)
        let count = try call.count("count", default: 200, atMost: 1000)
        var view = ProtobufView(call.context.schema)
        var json = JSONWriter()
        json.object { json in
            json.member("total", messages.count)
            json.key("messages")
            json.array { json in
                for message in messages[from..<min(from + count, messages.count)] {
                    json.message(message, of: exchange, &view)
                }
            }
        }
        return ServedResponse(json: json)
    }
}

/// What belongs to an exchange, as far as it is found in time.
private struct Related {
    private(set) var route: String?
    private(set) var group: (key: String, count: Int?)?
    private(set) var previous: ExchangeID?
    private(set) var next: ExchangeID?

    init(_ stored: StoredExchange, _ stores: StoreSet, within time: DispatchTimeInterval) {
        let exchange = stored.exchange
        route = Self.value("route", exchange)
        let progress = QueryProgress()
        let end = DispatchWorkItem { progress.cancel() }
        DispatchQueue.global().asyncAfter(deadline: .now() + time, execute: end)
        defer { end.cancel() }
        if let key = Correlation.find(in: exchange)?.description {
            let filter = try? Filter(
                "correlation == \(FilterLiteral.text(key))",
                inStore: true
            )
            group = (key, filter.flatMap { try? stores.count($0, progress: progress) })
        }
        // Several stores would be read completely.
        guard stores.count == 1, let route, let host = Self.value("host", exchange),
            let filter = try? Filter(
                "host == \(FilterLiteral.text(host)) and route == \(FilterLiteral.text(route))",
                inStore: true
            )
        else { return }
        func neighbour(_ order: StoreOrder) -> ExchangeID? {
            var query = StoreQuery(filter, order: order, after: stored.key, limit: 1, parts: [])
            query.progress = progress
            var found: ExchangeID?
            try? stores.forEach(query) { found = $0.key.id }
            return found
        }
        previous = neighbour(.newestFirst)
        next = neighbour(.oldestFirst)
    }

    private static func value(_ field: String, _ exchange: Exchange) -> String? {
        guard let field = try? FieldReference.list(field).first,
            case .text(let text) = field.value(in: exchange)
        else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}

/// Texts as literals of the filter language, which have the escapes of JSON.
enum FilterLiteral {
    static func text(_ text: String) -> String {
        var json = JSONWriter()
        json.string(text)
        return String(decoding: Array(copying: json.bytes), as: UTF8.self)
    }
}

extension JSONWriter {
    /// Writes an exchange in the record schema, without messages and the bytes of bodies.
    mutating func record(of exchange: Exchange) {
        var exchange = exchange
        exchange.messages = []
        if var extra = exchange.extra {
            // They have a list of their own.
            extra.notes = []
            exchange.extra = extra
        }
        var chain = RecordChain()
        guard case .sealed(let record) = chain.seal(exchange) else { return }
        key("record")
        self.record(record, hasContent: false)
    }

    /// Writes which exchange this one repeats, and which ones repeat it.
    fileprivate mutating func replays(of exchange: Exchange, _ resends: ResentExchanges) {
        if let original = exchange.extra?.replay?.original {
            member("replay_of", original.description)
        }
        let copies = resends.copies(of: exchange.id)
        guard !copies.isEmpty else { return }
        key("replays")
        array { json in
            for copy in copies { json.string(copy.description) }
        }
    }

    /// Writes what people noted.
    mutating func notes(_ notes: [ExchangeNote]) {
        key("notes")
        array { json in
            for (number, note) in notes.enumerated() {
                json.object { json in
                    json.member("id", number)
                    json.member("text", note.text)
                    if !note.author.isEmpty { json.member("author", note.author) }
                    if !note.mark.isEmpty { json.member("mark", note.mark) }
                    if let at = note.at { json.member("at", at.microseconds) }
                }
            }
        }
    }

    /// Writes the sizes of both bodies.
    mutating func sizes(of exchange: Exchange) {
        key("sizes")
        object { json in
            json.sizes("request", exchange.request.body)
            if let response = exchange.response { json.sizes("response", response.body) }
        }
    }

    private mutating func sizes(_ name: StaticString, _ body: Body) {
        key(name)
        object { json in
            if let size = body.size { json.member("wire", size) }
            if let size = body.decodedSize { json.member("decoded", size) }
            json.member("kept", body.bytes.count)
            if body.isTruncated { json.member("truncated", true) }
        }
    }

    /// Writes a message of a stream; a protobuf message also with the names of its type or, if the
    /// schema does not know it, as what it may mean.
    ///
    /// **Limits**: those of the view for the messages of a call, for all messages of an answer.
    mutating func message(
        _ message: StreamMessage,
        of exchange: Exchange,
        _ view: inout ProtobufView
    ) {
        object { json in
            json.key("dir")
            json.string(message.direction == .up ? "up" as StaticString : "down")
            if let at = message.at { json.member("at_us", at.count) }
            json.member("type", message.type)
            if !message.event.isEmpty { json.member("event", message.event) }
            if !message.eventID.isEmpty { json.member("id", message.eventID) }
            if let code = message.code { json.member("code", code) }
            if !json.member("text", ifValid: message.bytes.span) {
                json.key("base64")
                json.base64(message.bytes.span)
            }
            json.member("size", message.size ?? message.bytes.count)
            if message.isTruncated { json.member("truncated", true) }
            let isUp = message.direction == .up
            let sent = isUp ? exchange.request.contentType : exchange.response?.contentType
            let contentType = sent ?? ByteString()
            guard message.type == "grpc", GRPCForm.isProtobuf(contentType: contentType.span)
            else { return }
            let type = view.schema?.messageType(
                contentType: contentType.span,
                target: exchange.request.target.span,
                isRequest: isUp
            )
            json.key("view")
            view.write(message.bytes.span, as: type, to: &json)
        }
    }
}
