// SPDX-License-Identifier: MIT

import TaplineNet
import Testing

@testable import TaplineReach

@Suite struct DNSFramingTests {
    @Test func messagesAreTheSameHoweverTheyAreSplit() {
        let messages: [[UInt8]] = [[1, 2, 3], [], Array(repeating: 9, count: 300)]
        let stream = messages.flatMap { DNSFraming.framed($0) }
        for size in [1, 2, 3, 7, stream.count] {
            var framing = DNSFraming()
            var found: [[UInt8]] = []
            for start in stride(from: 0, to: stream.count, by: size) {
                let part = Array(stream[start..<min(start + size, stream.count)])
                framing.append(part.span)
                while let message = framing.next() { found.append(message) }
            }
            #expect(found == messages)
        }
    }

    @Test func aMessageThatIsTooLongIsCut() {
        let framed = DNSFraming.framed(Array(repeating: 0, count: 70_000))
        #expect(framed.count == 2 + 65_535)
    }

    @Test func nameServersOfTheFileAreUsed() {
        let text =
            "# comment\nsearch test\nnameserver 192.0.2.1\nnameserver fe80::1%eth0\n"
            + "nameserver\nnameserver 2001:db8::1\noptions ndots:1\nnameserver 192.0.2.2\n"
            + "nameserver 192.0.2.3\n"
        let servers = ResolverList.parse(text).map { "\($0)" }
        #expect(servers == ["192.0.2.1:53", "[2001:db8::1]:53", "192.0.2.2:53"])
    }

    @Test func withoutAFileTheServerOfThisMachineIsUsed() {
        var list = ResolverList(path: "/nonexistent/resolv.conf")
        #expect(list.current(at: 0).map { "\($0)" } == ["127.0.0.1:53"])
    }

    @Test func thePortOfARefusedDatagramIsRead() {
        var header = Array(repeating: UInt8(0), count: 28)
        header[0] = 0x45
        (header[22], header[23]) = (0x01, 0xBB)
        #expect(RefusedDatagrams.headerBytes(header) == 20)
        #expect(RefusedDatagrams.port(header, at: 20) == 443)
        #expect(RefusedDatagrams.port(header, at: 26) == nil)
        #expect(RefusedDatagrams.headerBytes([]) == nil)
        #expect(RefusedDatagrams.headerBytes([0x60]) == nil)
        #expect(RefusedDatagrams.headerBytes([0x41]) == nil)
    }
}
