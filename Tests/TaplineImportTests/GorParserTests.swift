// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import Testing

@testable import TaplineImport

@Suite("Files of GoReplay")
struct GorParserTests {
    private static let id = "932079936fa4306fc308d67588178d17d823647c"

    private func message(_ header: String, _ lines: [String], _ body: String = "") -> String {
        "\(header)\n\(lines.joined(separator: "\r\n"))\r\n\r\n\(body)\n🐵🙈🙉\n"
    }

    private func request(_ id: String = GorParserTests.id, _ time: Int = 1_700_000_000) -> String {
        message("1 \(id) \(time)000000000 0", ["GET /a HTTP/1.1", "Host: shop.test"])
    }

    private func response(_ kind: Int, _ id: String = GorParserTests.id, _ body: String) -> String {
        message(
            "\(kind) \(id) 1700000001000000000 25000000",
            ["HTTP/1.1 201 Created", "Content-Length: \(body.utf8.count)"],
            body
        )
    }

    @Test(
        "have a line before each message",
        arguments: [
            ("1 aaaaaaaa 1700000000000000000 0", true), ("3 aaaaaaaa 5 10 x", true),
            ("2 aaaaaaaa 17\r", true), ("4 aaaaaaaa 17 0", false), ("1 aaaaaaaa", false),
            ("1 aaaa 17 0", false), ("1 aa-aaaaa 17 0", false), ("1 aaaaaaaa x 0", false),
            ("1 aaaaaaaa 99999999999999999999 0", false), ("", false), ("11 aaaaaaaa 17 0", false),
        ]
    )
    func headers(line: String, isValid: Bool) {
        #expect((GorHeader(line.utf8.span) != nil) == isValid)
    }

    @Test("connect requests and responses by their ids")
    func pairs() throws {
        let other = "aaaaaaaaaaaa"
        let text =
            request() + request(other, 1_700_000_005) + response(2, other, "b")
            + response(2, Self.id, "a")
        let imported = Imported(text)
        #expect(imported.messages.isEmpty)
        #expect(imported.exchanges.count == 2)
        let first = try #require(imported.exchanges.first)
        #expect(first.request.url == "http://shop.test/a")
        #expect(first.response?.body.bytes == Array("a".utf8))
        #expect(first.response?.status == 201)
        #expect(first.response?.reason == "Created")
        #expect(first.timing.total == Microseconds(25_000))
        #expect(first.started.microseconds == 1_700_000_000_000_000)
        #expect(first.state == .completed)
        #expect(imported.exchanges.last?.response?.body.bytes == Array("b".utf8))
    }

    @Test("have replayed responses as exchanges that refer to the first one")
    func replayed() throws {
        let both = Imported(request() + response(2, Self.id, "a") + response(3, Self.id, "b"))
        try #require(both.exchanges.count == 2)
        #expect(both.exchanges[0].response?.body.bytes == Array("a".utf8))
        #expect(both.exchanges[1].response?.body.bytes == Array("b".utf8))
        #expect(both.exchanges[1].extra?.replay?.original == both.exchanges[0].id)
        #expect(both.exchanges[0].id != both.exchanges[1].id)
        let alone = Imported(request() + response(3, Self.id, "b"))
        #expect(alone.exchanges.map { $0.tags["gor.response"] } == ["replayed"])
        #expect(alone.exchanges.first?.response?.body.bytes == Array("b".utf8))
    }

    @Test("may lack requests and responses")
    func unpaired() {
        let imported = Imported(response(2, "bbbbbbbb", "x") + request())
        #expect(imported.unreadKinds == ["1 responses (without a request)"])
        #expect(imported.exchanges.map(\.state) == [.failed])
        #expect(imported.exchanges.first?.error?.code == "no_response")
    }

    @Test("have content in chunks, coded, and cut off")
    func content() throws {
        let chunked = message(
            "1 aaaaaaaa 1700000000000000000 0",
            ["POST /a HTTP/1.1", "Transfer-Encoding: chunked", "Content-Encoding: gzip"],
            "3\r\nabc\r\n2\r\nde\r\n0\r\nT: 1\r\n\r\n"
        )
        let request = try #require(Imported(chunked).exchanges.first?.request)
        #expect(request.body.bytes == Array("abcde".utf8))
        #expect(request.body.coding == "gzip")
        #expect(request.trailers == ["T": "1"])
        let malformed = Imported(chunked.replacing("3\r\n", with: "z\r\n"))
        #expect(malformed.lossKinds == ["1 bodies (malformed chunks)"])
        #expect(malformed.exchanges.first?.request.body.bytes.first == .ascii("z"))
        let cut = message(
            "1 aaaaaaaa 1700000000000000000 0",
            ["PUT http://b.test/x HTTP/1.1", "Content-Length: 9", "fold: a", "  b", "bad"],
            "abc"
        )
        let short = Imported(cut)
        #expect(short.exchanges.first?.request.url == "http://b.test/x")
        #expect(short.exchanges.first?.request.body.isTruncated == true)
        #expect(short.exchanges.first?.request.body.size == 9)
        #expect(short.exchanges.first?.request.fields.first("fold") == "a b")
        #expect(short.lossKinds == ["1 headers (malformed)"])
    }

    @Test("with malformed messages have errors with their line, and go on")
    func malformed() {
        let text =
            request() + "1 bad\nx\n🐵🙈🙉\n" + "1 cccccccc 17 0\n(x) HTTP\n🐵🙈🙉\n"
            + "2 cccccccc 17 0\nHTTP/1.1 x\n🐵🙈🙉\n" + request("dddddddd")
        let imported = Imported(text, chunk: 3)
        #expect(imported.exchanges.count == 2)
        #expect(imported.unreadKinds == ["3 messages (malformed)"])
        let places = imported.messages.map { $0.prefix { $0 != "(" } }
        #expect(
            places == [
                "f:7:1: malformed line before a message; expected kind, id and time ",
                "f:11:1: malformed message; expected a request line ",
                "f:14:1: malformed message; expected a status line ",
            ]
        )
    }

    @Test("that end inside a message, or have too large ones, are read as far as possible")
    func limits() {
        let cut = Imported(request() + "1 cccccccc 17 0\nGET / HT")
        #expect(cut.errors.map(\.code) == [.cutOff])
        #expect(cut.exchanges.count == 1)
        let unended = Imported(String(request().dropLast()))
        #expect(unended.exchanges.count == 1 && unended.errors.isEmpty)
        let body = String(repeating: "x", count: 999)
        let big = message("1 eeeeeeee 17 0", ["POST / HTTP/1.1"], body)
        let text = Array((request() + big + request("dddddddd")).utf8)
        for chunk in [1, 7, 100, 5000] {
            let imported = Imported(text, chunk: chunk, maxRecordBytes: 200)
            #expect(imported.exchanges.count == 2, "\(chunk)")
            #expect(imported.messages.count == 1)
            #expect(imported.messages.first?.hasPrefix("f:7: the message is too large") == true)
        }
    }

    @Test("wait with a limited amount of memory, also that of responses")
    func memory() throws {
        var items = ImportedItems(file: "f")
        var waiting = GorExchanges()
        for number in 0..<100 {
            let line = "1 aaaaaaa\(number) 1700000000000000000 0"
            let header = GorHeader(line.utf8.span)
            waiting.add(Request(), try #require(header), to: &items)
        }
        #expect(items.elements.isEmpty)
        let response = Response(status: 200, body: Body([UInt8](repeating: 0x61, count: 1 << 20)))
        for number in 0..<100 {
            let line = "2 aaaaaaa\(number) 1700000000000000000 0"
            let header = GorHeader(line.utf8.span)
            let isTaken = waiting.add(response, try #require(header), to: &items)
            #expect(isTaken)
        }
        #expect(items.elements.count > 30)
        #expect(items.elements.allSatisfy { (try? $0.get().response) != nil })
    }

    @Test("wait for the responses of a limited number of requests")
    func window() {
        var items = ImportedItems(file: "f")
        var waiting = GorExchanges()
        for number in 0..<20_000 {
            let line = "1 id\(10_000_000 + number) \(1_700_000_000 + number)000000000 0"
            guard let header = GorHeader(line.utf8.span) else { return }
            waiting.add(Request(), header, to: &items)
        }
        #expect(items.elements.count == 20_000 - 8192)
        waiting.releaseAll(to: &items)
        #expect(items.elements.count == 20_000)
        let times = items.elements.compactMap { try? $0.get().started.microseconds }
        #expect(times == times.sorted() && times.count == 20_000)
    }
}

extension Imported {
    init(_ text: String, chunk: Int) { self.init(Array(text.utf8), chunk: chunk) }
}
