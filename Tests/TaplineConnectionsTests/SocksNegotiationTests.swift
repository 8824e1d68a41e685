// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineNet
import Testing

@testable import TaplineConnections

@Suite("SOCKS 5")
struct SocksNegotiationTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: [UInt8]
        let steps: [SocksNegotiation.Step]
        var asksForPassword = false

        var testDescription: String { name }
    }

    private static let request: [UInt8] = [5, 1, 0, 3, 1, 97, 0, 80]
    private static let password: [UInt8] = [1, 2, 109, 101, 2, 105, 116]

    private static let rows = [
        Row(
            name: "a name",
            bytes: [5, 1, 0] + request,
            steps: [.answer([5, 0]), .connect("a:80")]
        ),
        Row(
            name: "an IPv4 address",
            bytes: [5, 2, 9, 0, 5, 1, 0, 1, 127, 0, 0, 1, 1, 2],
            steps: [.answer([5, 0]), .connect("127.0.0.1:258")]
        ),
        Row(
            name: "an IPv6 address",
            bytes: [5, 1, 0, 5, 1, 0, 4] + [UInt8](repeating: 0, count: 15) + [1, 0, 80],
            steps: [.answer([5, 0]), .connect("[::1]:80")]
        ),
        Row(
            name: "the password",
            bytes: [5, 1, 2] + password + request,
            steps: [.answer([5, 2]), .answer([1, 0]), .connect("a:80")],
            asksForPassword: true
        ),
        Row(
            name: "another password",
            bytes: [5, 1, 2, 1, 2, 109, 101, 2, 105, 117],
            steps: [.answer([5, 2]), .refuse([1, 1])],
            asksForPassword: true
        ),
        Row(
            name: "no user and no password",
            bytes: [5, 1, 2, 1, 0, 0],
            steps: [.answer([5, 2]), .refuse([1, 1])],
            asksForPassword: true
        ),
        Row(
            name: "another version of the password negotiation",
            bytes: [5, 1, 2, 2, 0],
            steps: [.answer([5, 2]), .refuse([1, 1])],
            asksForPassword: true
        ),
        Row(
            name: "no acceptable method",
            bytes: [5, 1, 0],
            steps: [.refuse([5, 0xFF])],
            asksForPassword: true
        ),
        Row(name: "no method", bytes: [5, 0], steps: [.refuse([5, 0xFF])]),
        Row(name: "another version", bytes: [4, 1], steps: [.refuse([])]),
        Row(
            name: "another version of the request",
            bytes: [5, 1, 0, 4, 1, 0, 1, 2],
            steps: [.answer([5, 0]), .refuse([])]
        ),
        Row(
            name: "BIND",
            bytes: [5, 1, 0, 5, 2, 0, 3, 1, 97, 0, 80],
            steps: [.answer([5, 0]), .refuse(SocksNegotiation.reply(7))]
        ),
        Row(
            name: "an address of another kind",
            bytes: [5, 1, 0, 5, 1, 0, 9, 1, 2],
            steps: [.answer([5, 0]), .refuse(SocksNegotiation.reply(8))]
        ),
        Row(
            name: "an invalid name",
            bytes: [5, 1, 0, 5, 1, 0, 3, 1, 32, 0, 80],
            steps: [.answer([5, 0]), .refuse(SocksNegotiation.reply(8))]
        ),
    ]

    /// Returns the steps for bytes that arrive in pieces of a size.
    private static func steps(
        _ bytes: [UInt8],
        pieces: Int,
        _ credentials: BasicCredentials?
    ) -> (steps: [SocksNegotiation.Step], counts: (up: Int, down: Int)) {
        var negotiation = SocksNegotiation(credentials)
        var steps: [SocksNegotiation.Step] = []
        var (start, end) = (0, 0)
        while end < bytes.count {
            end = min(end + pieces, bytes.count)
            reading: while start < end {
                let (step, consumed) = negotiation.next(bytes.span.extracting(start..<end))
                start += consumed
                switch step {
                case .incomplete: break reading
                case .answer: steps.append(step)
                case .refuse, .connect:
                    steps.append(step)
                    return (steps, negotiation.byteCounts)
                }
            }
        }
        return (steps, negotiation.byteCounts)
    }

    @Test("takes the same steps for pieces of any size", arguments: rows)
    func steps(row: Row) {
        let credentials =
            row.asksForPassword ? BasicCredentials(user: "me", password: "it") : nil
        for pieces in [1, 2, 3, row.bytes.count] {
            let (steps, _) = Self.steps(row.bytes, pieces: pieces, credentials)
            #expect(steps == row.steps, "in pieces of \(pieces)")
        }
    }

    @Test("waits for more after each incomplete message", arguments: rows.prefix(4))
    func beginnings(row: Row) {
        let credentials =
            row.asksForPassword ? BasicCredentials(user: "me", password: "it") : nil
        for count in row.bytes.indices {
            let (steps, _) = Self.steps(Array(row.bytes[..<count]), pieces: 1, credentials)
            #expect(steps == Array(row.steps.prefix(steps.count)), "\(count) bytes")
            #expect(steps.count < row.steps.count, "\(count) bytes")
        }
    }

    @Test("counts the bytes of both sides")
    func counts() {
        let bytes = [5, 1, 2] + Self.password + Self.request
        let credentials = BasicCredentials(user: "me", password: "it")
        let (_, counts) = Self.steps(bytes, pieces: bytes.count, credentials)
        #expect(counts.up == bytes.count)
        #expect(counts.down == 4)
    }

    @Test(
        "has a code for each failure",
        arguments: [
            ("target_denied", 2), ("unreachable", 3), ("dns", 4), ("connect_timeout", 4),
            ("connect_refused", 5), ("tls_verify", 1),
        ] as [(String, UInt8)]
    )
    func codes(failure: String, code: UInt8) {
        #expect(SocksNegotiation.code(of: failure) == code)
        #expect(SocksNegotiation.reply(code) == [5, code, 0, 1, 0, 0, 0, 0, 0, 0])
    }
}
