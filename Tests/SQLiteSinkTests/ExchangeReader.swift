// SPDX-License-Identifier: MIT

import TaplineCrypto
import TaplineJSON
import TaplineModel
import TaplineSQL
import TaplineSystem
import Testing

@testable import SQLiteSink

/// Reads exchanges back, to check that rows contain them completely.
struct ExchangeReader {
    let connection: SQLiteConnection
    let path: String
    let inflating: Bool

    init(_ path: String, inflating: Bool = false) throws {
        self.path = path
        self.inflating = inflating
        connection = try SQLiteConnection(path: path, options: SQLiteOptions(mode: .readOnly))
    }

    func all() throws -> [Exchange] {
        let row = try connection.prepare(
            """
            SELECT e.*, h.scheme, h.authority FROM exchanges e JOIN hosts h ON h.id = e.host
              ORDER BY seq
            """
        )
        var result: [Exchange] = []
        while try row.step() {
            var exchange = try exchange(row)
            try readNotes(of: row.integer(0), into: &exchange)
            result.append(exchange)
        }
        return result
    }

    private func readNotes(of number: Int64, into exchange: inout Exchange) throws {
        let row = try connection.prepare(
            "SELECT text, author, mark, at FROM notes WHERE exchange = ?1 ORDER BY id"
        )
        try row.bind(1, integer: number)
        while try row.step() {
            var extra = exchange.extra ?? ExchangeExtra()
            extra.notes.append(
                ExchangeNote(
                    text: row.text(0) ?? "",
                    author: row.text(1) ?? "",
                    mark: row.text(2) ?? "",
                    at: row.isNull(3) ? nil : Timestamp(microseconds: row.integer(3))
                )
            )
            exchange.extra = extra
        }
    }

    private func exchange(_ row: SQLiteStatement) throws -> Exchange {
        let id = try #require(row.withBlob(1) { ExchangeID(bytes: $0) })
        var exchange = Exchange(
            id: id,
            source: row.text(3) ?? "",
            state: try #require(ExchangeState.allCases.first { $0.name == row.text(4) }),
            started: Timestamp(microseconds: row.integer(2))
        )
        exchange.request = Request(
            method: ByteString(row.blob(5)),
            target: ByteString(row.blob(8)),
            scheme: ByteString(row.blob(31)),
            authority: ByteString(row.blob(32)),
            version: ByteString(row.blob(9))
        )
        exchange.request.body = try body(row, 27, size: 19)
        if !row.isNull(10) {
            var response = Response(status: Int(row.integer(10)), reason: ByteString(row.blob(11)))
            response.version = exchange.request.version
            response.body = try body(row, 28, size: 20)
            exchange.response = response
        }
        exchange.timing.dns = microseconds(row, 12)
        exchange.timing.connect = microseconds(row, 13)
        exchange.timing.tls = microseconds(row, 14)
        exchange.timing.send = microseconds(row, 15)
        exchange.timing.wait = microseconds(row, 16)
        exchange.timing.receive = microseconds(row, 17)
        exchange.timing.total = microseconds(row, 18)
        exchange.connection.client = row.text(21) ?? ""
        exchange.connection.server = row.text(22) ?? ""
        if let code = row.text(24) {
            exchange.error = ExchangeError(code: code, message: row.text(25) ?? "")
        }
        if !row.isNull(26) { try JSONTree(row.blob(26)).readTags(into: &exchange) }
        try JSONTree(row.blob(29)).readFields(into: &exchange)
        if !row.isNull(30) { try JSONTree(row.blob(30)).readExtra(into: &exchange) }
        return exchange
    }

    private func microseconds(_ row: SQLiteStatement, _ column: Int32) -> Microseconds? {
        row.isNull(column) ? nil : Microseconds(row.integer(column))
    }

    private func body(_ row: SQLiteStatement, _ column: Int32, size: Int32) throws -> Body {
        let wireSize = row.isNull(size) ? nil : Int(row.integer(size))
        if row.type(column) != .integer { return Body(bytes: row.blob(column), size: wireSize) }
        let query = try connection.prepare("SELECT content, size, hash FROM bodies WHERE id = ?1")
        try query.bind(1, integer: row.integer(column))
        try #require(try query.step())
        var bytes = query.blob(0)
        if inflating, bytes.count < Int(query.integer(1)), !query.isNull(0) {
            let hex = try Shell.query(
                path,
                """
                SELECT hex(sqlar_uncompress(content, size)) FROM bodies
                  WHERE id = \(row.integer(column))
                """
            )
            let digits = Array(hex.utf8)
            bytes = stride(from: 0, to: digits.count - 1, by: 2).map {
                (digits[$0].hexDigit ?? 0) << 4 | (digits[$0 + 1].hexDigit ?? 0)
            }
        }
        if query.isNull(0) {
            let digest = try #require(query.withBlob(2) { Digest($0) })
            let name = digest.hex
            let file = try File("\(path)-bodies/\(name.prefix(2))/\(name)", for: .read)
            while try file.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        }
        #expect(bytes.count == Int(query.integer(1)))
        return Body(bytes: bytes, size: wireSize)
    }
}

/// A JSON document as values.
indirect enum JSONTree {
    case null
    case bool(Bool)
    case number(String)
    case string([UInt8])
    case array([JSONTree])
    case object([(key: String, value: JSONTree)])

    init(_ bytes: [UInt8]) throws {
        var parser = JSONParser()
        self = JSONTree(try parser.parse(bytes.span).root)
    }

    private init(_ value: borrowing JSONValue) {
        switch value.kind {
        case .string: self = .string(Array(copying: value.bytes))
        case .array:
            var list: [JSONTree] = []
            var elements = value.elements
            while let element = elements.next() { list.append(JSONTree(element)) }
            self = .array(list)
        case .object:
            var list: [(String, JSONTree)] = []
            var members = value.members
            while let member = members.next() {
                list.append((member.key.asString ?? "", JSONTree(member.value)))
            }
            self = .object(list)
        case .true, .false: self = .bool(value.kind == .true)
        case .null: self = .null
        default: self = .number(String(decoding: Array(copying: value.bytes), as: UTF8.self))
        }
    }

    var members: [(key: String, value: JSONTree)] {
        if case .object(let members) = self { members } else { [] }
    }

    var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }

    var asBool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// Text, or bytes in base64.
    var string: ByteString {
        if case .string(let bytes) = self { return ByteString(bytes) }
        guard let coded = members.first(where: { $0.key == "base64" })?.value.string else {
            return ByteString()
        }
        return ByteString(JSONTree.decode(coded.span))
    }

    static func decode(_ text: Span<UInt8>) -> [UInt8] {
        var output: [UInt8] = []
        _ = Base64.decode(text, into: &output)
        return output
    }

    var text: String { string.description }

    var integer: Int { if case .number(let text) = self { Int(text) ?? -1 } else { -1 } }

    var double: Double? { if case .number(let text) = self { Double(text) } else { nil } }

    var section: FieldSection {
        var fields = FieldSection()
        for field in elements {
            let parts = field.elements.map(\.string)
            guard parts.count == 2 else { continue }
            let (name, value) = (parts[0], parts[1])
            fields.append(name: name.span, value: value.span)
        }
        return fields
    }

    func readTags(into exchange: inout Exchange) {
        for tag in members { exchange.tags[tag.key] = tag.value.text }
    }

    func readFields(into exchange: inout Exchange) {
        for member in members {
            switch member.key {
            case "request": exchange.request.fields = member.value.section
            case "response": exchange.response?.fields = member.value.section
            case "request_trailers": exchange.request.trailers = member.value.section
            case "response_trailers": exchange.response?.trailers = member.value.section
            default: Issue.record("unknown key")
            }
        }
    }

    func readExtra(into exchange: inout Exchange) {
        for member in members {
            let value = member.value
            switch member.key {
            case "connection":
                for part in value.members { exchange.connection.isReused = part.value.asBool }
            case "tls": exchange.connection.tls = value.tls
            case "server_tls": exchange.connection.serverTLS = value.tls
            case "request":
                for part in value.members { part.value.readNotes(into: &exchange.request.body) }
            case "response": value.readResponse(into: &exchange)
            case "messages":
                for message in value.elements { exchange.messages.append(message.message) }
            case "timing":
                for part in value.members where part.key == "first_event_ms" {
                    exchange.timing.firstEvent = part.value.double.flatMap {
                        Microseconds(milliseconds: $0)
                    }
                }
            case "provenance", "replay", "stream", "grpc":
                value.readRare(member.key, into: &exchange)
            case "bytes": exchange.bytes = value.counts
            case "original":
                for part in value.members {
                    switch part.key {
                    case "method": exchange.original.method = part.value.string
                    case "url": exchange.original.url = part.value.string
                    default: exchange.original.status = part.value.integer
                    }
                }
            default: Issue.record("unknown key")
            }
        }
    }

    private var tls: TLSInfo {
        var parts: [String: String] = [:]
        var handshake: [String: Int] = [:]
        for part in members where part.key != "handshake" { parts[part.key] = part.value.text }
        for part in members where part.key == "handshake" {
            for count in part.value.members { handshake[count.key] = count.value.integer }
        }
        return TLSInfo(
            version: parts["version"] ?? "",
            cipher: parts["cipher"] ?? "",
            sni: parts["sni"] ?? "",
            alpn: parts["alpn"] ?? "",
            handshake: handshake.isEmpty
                ? nil : TLSInfo.Handshake(up: handshake["up"] ?? 0, down: handshake["down"] ?? 0)
        )
    }

    private func readNotes(into body: inout Body) {
        for note in members {
            switch note.key {
            case "truncated": body.isTruncated = note.value.asBool == true
            case "coding": body.coding = note.value.string
            case "decoded_size": body.decodedSize = note.value.integer
            case "content_type": body.contentType = note.value.string
            default: Issue.record("unknown key")
            }
        }
    }

    private func readResponse(into exchange: inout Exchange) {
        for part in members {
            switch part.key {
            case "version": exchange.response?.version = part.value.string
            case "body":
                var body = exchange.response?.body ?? Body()
                part.value.readNotes(into: &body)
                exchange.response?.body = body
            case "interim":
                for element in part.value.elements {
                    var interim = InterimResponse(status: 0)
                    for member in element.members {
                        switch member.key {
                        case "status": interim.status = member.value.integer
                        case "reason": interim.reason = member.value.string
                        default: interim.fields = member.value.section
                        }
                    }
                    exchange.response?.interim.append(interim)
                }
            default: Issue.record("unknown key")
            }
        }
    }

    private var message: StreamMessage {
        var message = StreamMessage(direction: .up, bytes: [])
        for part in members {
            switch part.key {
            case "dir": message.direction = part.value.text == "up" ? .up : .down
            case "at_ms":
                message.at = part.value.double.flatMap { Microseconds(milliseconds: $0) }
            case "type": message.type = part.value.text
            case "event": message.event = part.value.text
            case "id": message.eventID = part.value.text
            case "code": message.code = part.value.integer
            case "text": message.bytes = Array(part.value.text.utf8)
            case "base64": message.bytes = JSONTree.decode(part.value.string.span)
            case "size": message.size = part.value.integer
            default: message.isTruncated = part.value.asBool == true
            }
        }
        return message
    }

    private var counts: ByteCounts {
        var counts = ByteCounts()
        for part in members {
            switch part.key {
            case "up": counts.up = part.value.direction
            case "down": counts.down = part.value.direction
            default: counts.isExact = part.value.asBool == true
            }
        }
        return counts
    }

    private var direction: ByteCounts.Direction {
        var direction = ByteCounts.Direction()
        for part in members {
            switch part.key {
            case "line": direction.line = part.value.integer
            case "headers": direction.headers = part.value.integer
            default: direction.body = part.value.integer
            }
        }
        return direction
    }
}
