// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineConnections

@Suite("The first bytes of HTTP/2")
struct HTTP2PrefaceTests {
    private static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

    @Test("are recognised once they are complete, at every length")
    func lengths() {
        let bytes = Array(Self.preface.utf8)
        for count in 0..<bytes.count {
            #expect(HTTP2Preface.begins(bytes.span.extracting(0..<count)) == nil)
        }
        #expect(HTTP2Preface.begins(bytes.span) == true)
        #expect(HTTP2Preface.begins((bytes + [0, 0]).span) == true)
    }

    @Test(
        "are not the first bytes of HTTP/1",
        arguments: ["POST / HTTP/1.1\r\n", "PRI / HTTP/1.1\r\n", "PRI * HTTP/2.1", "GET", "PRX"]
    )
    func others(text: String) { #expect(HTTP2Preface.begins(text.utf8.span) == false) }

    @Test("count as HTTP in a tunnel if HTTP/2 is used")
    func tunnel() {
        guard case .http = TunnelOpening.method(Self.preface.utf8.span, orHTTP2: true) else {
            Issue.record("not read as HTTP")
            return
        }
        guard case .incomplete = TunnelOpening.method("PRI".utf8.span, orHTTP2: true) else {
            Issue.record("not awaited")
            return
        }
        guard case .other = TunnelOpening.method(Self.preface.utf8.span) else {
            Issue.record("read although HTTP/2 is not used")
            return
        }
    }

    @Test("Credit is given back at once, or when the receiver takes more")
    func credit() {
        var credit = HTTP2Credit()
        #expect(credit.received(5, isBlocked: false) == 5)
        #expect(credit.received(3, isBlocked: true) == 0)
        #expect(credit.received(4, isBlocked: true) == 0)
        #expect(credit.take() == 7)
        #expect(credit.take() == 0)
        #expect(credit.received(2, isBlocked: true) == 0)
        #expect(credit.received(1, isBlocked: false) == 3)
    }
}
