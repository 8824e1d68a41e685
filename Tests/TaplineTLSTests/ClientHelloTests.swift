// SPDX-License-Identifier: MIT

import TaplineTLS
import Testing

@Suite("The client's first message")
struct ClientHelloTests {
    /// Returns the first message of a real client, OpenSSL's.
    static func hello(
        _ host: String = "shop.test",
        protocols: [String] = ["h2", "http/1.1"],
        lowest: TLSVersion = .v12
    ) throws -> [UInt8] {
        var options = TLSClientOptions()
        options.verify = false
        options.applicationProtocols = protocols
        options.lowestVersion = lowest
        let client = try TLSSession(
            connecting: TLSContext(client: options),
            to: ServerName(host),
            port: 443
        )
        var output: [UInt8] = []
        var position = 0
        let progress = try client.handshake(Span(), from: &position, replies: &output)
        #expect(progress == .incomplete)
        return output
    }

    private static func peek(
        _ bytes: some Collection<UInt8>,
        maxBytes: Int = 32_768
    ) -> ClientHello.Finding {
        let bytes = Array(bytes)
        return ClientHello.peek(bytes.span, maxBytes: maxBytes)
    }

    @Test("contains host, protocols and versions")
    func parts() throws {
        guard case .hello(let hello) = Self.peek(try Self.hello()) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.serverName == "shop.test")
        #expect(hello.applicationProtocols == ["h2", "http/1.1"])
        #expect(hello.versions == [0x0304, 0x0303])
    }

    @Test("has a fingerprint that is the same for every connection of a program")
    func fingerprint() throws {
        let prints = try [
            Self.hello(), Self.hello("other.test"), Self.hello("127.0.0.1"),
            Self.hello(lowest: .v13),
        ].map { bytes -> [UInt16] in
            guard case .hello(let hello) = Self.peek(bytes) else { return [] }
            return hello.fingerprint
        }
        #expect(prints[0].count > 20)
        #expect(prints[0] == prints[1] && prints[0] == prints[2])
        #expect(prints[0] != prints[3])
    }

    @Test("has the same fingerprint in any order of its extensions, with GREASE or without")
    func shuffled() throws {
        let parts = HelloParts(try Self.hello())
        let expected = Self.fingerprint(parts)
        #expect(expected.count > 20)
        for shift in parts.extensions.indices {
            var shuffled = parts
            shuffled.extensions = Array(parts.extensions[shift...] + parts.extensions[..<shift])
            #expect(Self.fingerprint(shuffled) == expected)
            shuffled.extensions.reverse()
            #expect(Self.fingerprint(shuffled) == expected)
            shuffled.addGREASE(0x0A0A &+ UInt16(shift % 15) &* 0x1010)
            #expect(Self.fingerprint(shuffled) == expected)
        }
    }

    @Test("has another fingerprint if a list differs", arguments: [10, 13])
    func otherLists(kind: Int) throws {
        let parts = HelloParts(try Self.hello())
        var other = parts
        let index = try #require(parts.extensions.firstIndex { $0.kind == kind })
        other.extensions[index].content.removeLast(2)
        other.extensions[index].content[1] -= 2
        #expect(Self.fingerprint(other) != Self.fingerprint(parts))
        other = parts
        other.ciphers.removeLast(2)
        #expect(Self.fingerprint(other) != Self.fingerprint(parts))
    }

    private static func fingerprint(_ parts: HelloParts) -> [UInt16] {
        guard case .hello(let hello) = Self.peek(parts.bytes) else {
            Issue.record("no hello")
            return []
        }
        return hello.fingerprint
    }

    @Test("names no host if its server name is an address")
    func address() throws {
        guard case .hello(let hello) = Self.peek(try Self.hello("127.0.0.1")) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.serverName == nil)
    }

    @Test(
        "shows whether the client accepts HTTP, and which version",
        arguments: [
            ([], true, false), (["http/1.1"], true, false), (["http/1.0"], true, false),
            (["h2", "http/1.1"], true, true), (["h2"], false, true), (["mqtt", "h2"], false, true),
            (["mqtt"], false, false), (["mqtt", "http/1.0"], true, false),
            (["http/0.9"], false, false), (["HTTP/1.1"], false, false), (["h2c"], false, false),
        ]
    )
    func http(protocols: [String], takesHTTP1: Bool, offersHTTP2: Bool) throws {
        guard case .hello(let hello) = Self.peek(try Self.hello(protocols: protocols)) else {
            Issue.record("no hello")
            return
        }
        #expect(hello.applicationProtocols == protocols)
        #expect(hello.takesHTTP1 == takesHTTP1)
        #expect(hello.offersHTTP2 == offersHTTP2)
    }

    @Test("is incomplete at every byte except the last, whatever follows")
    func pieces() throws {
        let bytes = try Self.hello()
        let whole = Self.peek(bytes)
        for count in 0..<bytes.count {
            #expect(Self.peek(bytes[..<count]) == .incomplete)
        }
        #expect(Self.peek(bytes + [1, 2, 3]) == whole)
    }

    @Test("is parsed from any number of records", arguments: [1, 2, 3, 5, 100, 10_000])
    func records(size: Int) throws {
        let bytes = try Self.hello()
        var split: [UInt8] = []
        var rest = bytes.dropFirst(5)
        while !rest.isEmpty {
            let piece = rest.prefix(size)
            split += [22, 3, 1, UInt8(piece.count >> 8), UInt8(piece.count & 0xff)] + piece
            rest = rest.dropFirst(size)
        }
        #expect(Self.peek(split) == Self.peek(bytes))
        #expect(Self.peek(split.dropLast()) == .incomplete)
    }

    @Test("is distinguished from other protocols by its first bytes")
    func others() {
        #expect(Self.peek("GET / HTTP/1.1\r\n".utf8) == .notTLS)
        #expect(Self.peek("PRI * HTTP/2.0\r\n".utf8) == .notTLS)
        #expect(Self.peek("SSH-2.0-x".utf8) == .notTLS)
        #expect(Self.peek([22, 2, 0]) == .notTLS)
        #expect(Self.peek([22]) == .incomplete)
        #expect(Self.peek([22, 3, 1, 0, 0]) == .malformed)
        #expect(Self.peek([22, 3, 1, 0x40, 1]) == .malformed)
        #expect(Self.peek([22, 3, 1, 0, 4, 2, 0, 0, 0]) == .malformed)
    }

    @Test("has a limit")
    func limit() throws {
        let bytes = try Self.hello()
        #expect(Self.peek(bytes, maxBytes: 100) == .malformed)
        #expect(Self.peek(bytes[..<99], maxBytes: 100) == .malformed)
        #expect(Self.peek(bytes[..<8], maxBytes: 100) == .incomplete)
    }

    @Test("never traps, whichever byte of it is changed")
    func mutations() throws {
        let bytes = try Self.hello()
        for index in bytes.indices {
            for value in [0, 1, 0x7f, 0x80, 0xff, bytes[index] ^ 1] as [UInt8] {
                var changed = bytes
                changed[index] = value
                let finding = Self.peek(changed)
                if index == 0, value != 22 { #expect(finding == .notTLS) }
            }
        }
    }
}

/// The parts of a first message, which can be put together in another way.
private struct HelloParts {
    /// Version, random and session.
    private let start: [UInt8]
    var ciphers: [UInt8]
    private let compression: [UInt8]
    var extensions: [(kind: Int, content: [UInt8])] = []

    /// Takes apart a message in one record.
    init(_ hello: [UInt8]) {
        var rest = hello[9...]
        func number(_ count: Int) -> Int {
            defer { rest = rest.dropFirst(count) }
            return rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
        }
        func vector(_ lengthBytes: Int) -> [UInt8] {
            let length = number(lengthBytes)
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }
        let versionAndRandom = Array(rest.prefix(34))
        rest = rest.dropFirst(34)
        let session = vector(1)
        start = versionAndRandom + [UInt8(session.count)] + session
        ciphers = vector(2)
        compression = vector(1)
        _ = number(2)
        while !rest.isEmpty { extensions.append((number(2), vector(2))) }
    }

    /// Adds a value of GREASE wherever a client may (RFC 8701 §3.1), at both ends.
    mutating func addGREASE(_ value: UInt16) {
        let bytes = [UInt8(value >> 8), UInt8(value & 0xff)]
        ciphers = bytes + ciphers
        for index in extensions.indices {
            let content = extensions[index].content
            switch extensions[index].kind {
            case 10: extensions[index].content = Self.vector(bytes + content[2...])
            case 13: extensions[index].content = Self.vector(content[2...] + bytes)
            case 43: extensions[index].content = [content[0] + 2] + bytes + content[1...]
            case 51: extensions[index].content = Self.vector(bytes + [0, 1, 0] + content[2...])
            default: break
            }
        }
        extensions.insert((Int(value), []), at: 0)
        extensions.append((Int(value ^ 0x1010), [0]))
    }

    private static func vector(_ content: [UInt8]) -> [UInt8] {
        [UInt8(content.count >> 8), UInt8(content.count & 0xff)] + content
    }

    /// The message in one record.
    var bytes: [UInt8] {
        var list: [UInt8] = []
        for (kind, content) in extensions {
            list += [UInt8(kind >> 8), UInt8(kind & 0xff)] + Self.vector(content)
        }
        let compression = [UInt8(compression.count)] + compression
        let message = start + Self.vector(ciphers) + compression + Self.vector(list)
        return [22, 3, 1] + Self.vector([1, 0] + Self.vector(message))
    }
}
