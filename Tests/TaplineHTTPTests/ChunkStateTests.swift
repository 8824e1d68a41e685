// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// Tests every state of a chunked body with every kind of byte, and with the end of the connection.
@Suite
struct ChunkStateTests {
    /// A state: the bytes that lead to it, and the result of each kind of byte, in the order of
    /// `events`.
    struct Row: Sendable, CustomTestStringConvertible {
        let state: String
        let before: String
        let outcomes: [String]

        init(_ state: String, _ before: String, _ outcomes: String...) {
            self.state = state
            self.before = before
            self.outcomes = outcomes
        }

        var testDescription: String { state }
    }

    /// A hexadecimal digit, the two bytes of a line end, the special bytes of extensions, a space,
    /// another letter, a control character.
    static let events = ["5", "\r", "\n", ";", "\"", "\\", " ", "x", "\0"]

    private static let size = "invalid_chunk_size"
    private static let feed = "bare_line_feed"
    private static let carriage = "bare_carriage_return"
    private static let end = "missing_chunk_end"
    private static let name = "invalid_field_name"
    private static let more = "invalid_chunk_extension"

    static let rows = [
        Row("size", "", "", size, size, size, size, size, size, size, size),
        Row("digits", "1", "", "", feed, "", size, size, "", size, size),
        Row("blank", "1 ", size, size, size, "", size, size, "", size, size),
        Row("extensions", "1;a", "", "", feed, "", "", "", "", "", more),
        Row("quoted", "1;a=\"", "", carriage, feed, "", "", "", "", "", more),
        Row("escaped", "1;a=\"\\", "", carriage, feed, "", "", "", "", "", more),
        Row(
            "line feed of a size",
            "1\r",
            carriage,
            carriage,
            "",
            carriage,
            carriage,
            carriage,
            carriage,
            carriage,
            carriage
        ),
        Row("content", "1\r\n", "", "", "", "", "", "", "", "", ""),
        Row("end of content", "1\r\nx", end, "", end, end, end, end, end, end, end),
        Row("its line feed", "1\r\nx\r", end, end, "", end, end, end, end, end, end),
        Row("trailers", "0\r\n", "", "", feed, name, name, name, "folded_line", "", name),
        Row("ended", "0\r\n\r\n", "", "", "", "", "", "", "", "", ""),
    ]

    @Test(arguments: rows)
    func everyByteInEveryState(_ row: Row) throws {
        #expect(row.outcomes.count == Self.events.count)
        for (event, outcome) in zip(Self.events, row.outcomes) {
            let text = row.before + event
            // In one piece, and with the byte on its own.
            for ends in [[text.utf8.count], [row.before.utf8.count, text.utf8.count]] {
                var name = ""
                do { _ = try ReadBody(text, endingAt: ends) } catch let error as HTTPError {
                    name = error.name
                    #expect(error.offset == row.before.utf8.count)
                }
                #expect(name == outcome, "\(row.state) with \(event.debugDescription)")
            }
        }
    }

    @Test(arguments: rows)
    func theEndOfTheConnectionInEveryState(_ row: Row) throws {
        let bytes = Array(row.before.utf8)
        var decoder = BodyDecoder(.chunked, .response)
        var consumed = 0
        while consumed < bytes.count {
            consumed += try decoder.next(bytes.span.extracting(consumed...)).consumed
        }
        var name = ""
        do { try decoder.connectionEnded() } catch { name = error.name }
        #expect(name == (row.state == "ended" ? "" : "truncated_body"))
    }

    @Test func bytesAfterTheBodyAreNotConsumed() throws {
        let body = try ReadBody("0\r\n\r\n5\r\n")
        #expect(body.ended)
        #expect(body.consumed == 5)
    }
}
