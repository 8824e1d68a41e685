// SPDX-License-Identifier: MIT

import TaplineJSON
import TaplineModel
import TaplineNet
import TaplineOperations
import TaplineProtobuf
import TestSupport
import Testing

@testable import TaplineInspector

/// JSON as a value.
indirect enum JSON: Equatable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    case list([JSON])
    case object([String: JSON])

    struct NotJSON: Error { let bytes: String }

    init(_ bytes: [UInt8]) throws {
        var parser = JSONParser()
        do {
            self = Self.tree(try parser.parse(bytes.span).root)
        } catch {
            throw NotJSON(bytes: String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func tree(_ value: JSONValue) -> JSON {
        switch value.kind {
        case .null: return .null
        case .true: return .bool(true)
        case .false: return .bool(false)
        case .number:
            return .number(
                Double(String(decoding: Array(copying: value.bytes), as: UTF8.self)) ?? 0
            )
        case .string: return .text(value.asString ?? "")
        case .array:
            var list: [JSON] = []
            var elements = value.elements
            while let element = elements.next() { list.append(tree(element)) }
            return .list(list)
        case .object:
            var object: [String: JSON] = [:]
            var members = value.members
            while let member = members.next() {
                object[member.key.asString ?? ""] = tree(member.value)
            }
            return .object(object)
        }
    }

    subscript(name: String) -> JSON {
        if case .object(let object) = self { object[name] ?? .null } else { .null }
    }

    subscript(index: Int) -> JSON {
        if case .list(let list) = self, list.indices.contains(index) { list[index] } else { .null }
    }

    var list: [JSON] { if case .list(let list) = self { list } else { [] } }
    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { Int(number) } else { nil } }
    var isTrue: Bool { self == .bool(true) }
}

/// A response, read from a socket of the system.
struct Answer {
    let status: Int
    let fields: [(name: String, value: String)]
    let body: [UInt8]

    init(_ bytes: [UInt8]) throws {
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        let head = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
        let lines = head.split(separator: "\r\n")
        status = Int(lines.first?.split(separator: " ").dropFirst().first ?? "") ?? 0
        fields = lines.dropFirst().map { line in
            let name = line.prefix { $0 != ":" }
            return (String(name).lowercased(), String(line.dropFirst(name.count + 2)))
        }
        let rest = Array(bytes[end.upperBound...])
        let isChunked = fields.contains { $0.name == "transfer-encoding" }
        body = isChunked ? Self.joined(rest) : rest
    }

    private static func joined(_ bytes: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        var at = 0
        while let end = bytes[at...].firstIndex(of: 0x0D) {
            let size = Int(String(decoding: bytes[at..<end], as: UTF8.self), radix: 16) ?? 0
            if size == 0 { break }
            content += bytes[(end + 2)..<(end + 2 + size)]
            at = end + 4 + size
        }
        return content
    }

    func field(_ name: String) -> String? { fields.first { $0.name == name.lowercased() }?.value }

    var text: String { String(decoding: body, as: UTF8.self) }
    var json: JSON { get throws { try JSON(body) } }
}

/// A browser that is logged in to an inspector.
final class Browser: Sendable {
    let server: InspectorServer
    let port: UInt16
    let cookie: String
    let key: String

    convenience init(
        _ stores: String...,
        control: (any PipelineControl)? = nil,
        ruleFiles: [(id: String, path: String)] = [],
        schema: ProtobufSchema? = nil
    ) throws {
        try self.init(stores, control: control, ruleFiles: ruleFiles, schema: schema)
    }

    init(
        _ stores: [String],
        countsEachCopy: Bool = false,
        control: (any PipelineControl)? = nil,
        actions: (any InspectorActions)? = nil,
        ruleFiles: [(id: String, path: String)] = [],
        schema: ProtobufSchema? = nil
    ) throws {
        server = try InspectorServer(
            stores,
            countsEachCopy: countsEachCopy,
            control: control,
            actions: actions,
            ruleFiles: ruleFiles,
            schema: schema
        )
        port = server.address.port
        let token = server.url.split(separator: "#token=").last ?? ""
        let answer = try Self.send(
            "POST",
            "/api/login",
            ["Content-Type: application/json"],
            body: Array("{\"token\":\"\(token)\"}".utf8),
            port: port
        )
        try #require(answer.status == 200, "\(answer.text)")
        key = try answer.json["key"].text ?? ""
        cookie = String(answer.field("Set-Cookie")?.prefix { $0 != ";" } ?? "")
    }

    deinit { server.stop() }

    /// The lines that show the login.
    var login: [String] { ["Cookie: \(cookie)", "Tapline-Key: \(key)"] }

    /// Sends one request with the given lines, without the cookie.
    static func send(
        _ method: String,
        _ target: String,
        _ lines: [String],
        body: [UInt8] = [],
        port: UInt16
    ) throws -> Answer {
        let client = try SocketClient(port: port)
        var head = ["\(method) \(target) HTTP/1.1"] + lines
        if !lines.contains(where: { $0.hasPrefix("Host:") }) {
            head.append("Host: 127.0.0.1:\(port)")
        }
        if !body.isEmpty { head.append("Content-Length: \(body.count)") }
        head += ["Connection: close", "", ""]
        try client.send(Array(head.joined(separator: "\r\n").utf8) + body)
        return try Answer(try client.receiveAll())
    }

    func get(_ path: String) throws -> Answer {
        try Self.send("GET", "/api/\(path)", login, port: port)
    }

    func post(_ path: String, _ json: String) throws -> Answer {
        let lines = login + ["Content-Type: application/json"]
        return try Self.send("POST", "/api/\(path)", lines, body: Array(json.utf8), port: port)
    }

    /// Asks for rows until the list is complete.
    func rows(_ query: String) throws -> JSON {
        for _ in 0..<100 {
            let answer = try get("rows?\(query)")
            let json = try answer.json
            if json["complete"].isTrue || answer.status != 200 { return json }
        }
        throw NotComplete()
    }

    struct NotComplete: Error {}

    /// Begins to read the events of the server.
    func events() throws -> EventReader { try EventReader(self) }

    /// The last parts of the paths of rows, such as 7 for `/items/7`.
    func items(_ query: String) throws -> [Int] {
        try rows(query)["rows"].list.map { row in
            Int(row["path"].text?.split(separator: "/").last ?? "") ?? -1
        }
    }
}

/// The events that a server sends to a browser.
final class EventReader {
    private let client: SocketClient
    /// What was read since the beginning, or since `forget`.
    private(set) var text = ""

    fileprivate init(_ browser: Browser) throws {
        client = try SocketClient(port: browser.port)
        let lines = [
            "GET /api/events?key=\(browser.key) HTTP/1.1", "Host: 127.0.0.1:\(browser.port)",
            "Cookie: \(browser.cookie)", "", "",
        ]
        try client.send(Array(lines.joined(separator: "\r\n").utf8))
    }

    /// Reads until a text was read; the server ends the connection only in tests that fail.
    func read(until expected: String) throws {
        while !text.contains(expected) {
            let part = try client.receive()
            try #require(!part.isEmpty, "\(text)")
            text += String(decoding: part, as: UTF8.self)
        }
    }

    /// Forgets what was read.
    func forget() { text = "" }
}

extension String {
    /// Percent-encoded, for a query.
    var encoded: String {
        String(decoding: PercentEncoding.encode(utf8.span), as: UTF8.self)
    }
}
