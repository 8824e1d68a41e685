// SPDX-License-Identifier: MIT

import TaplineHTTP
import TaplineModel
import Testing

/// A message that is refused: the bytes, the error, and the RFC section.
struct Refusal: Sendable, CustomTestStringConvertible {
    let clause: String
    let text: String
    let name: String
    let status: Int

    init(_ clause: String, _ text: String, _ name: String, _ status: Int = 400) {
        self.clause = clause
        self.text = text
        self.name = name
        self.status = status
    }

    var testDescription: String { "\(clause): \(name)" }

    /// Makes an HTTP/1.1 request with these lines in addition to Host.
    static func fields(
        _ clause: String,
        _ lines: String,
        _ name: String,
        _ status: Int = 400
    ) -> Refusal {
        Refusal(clause, "POST / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", name, status)
    }

    /// Makes a request of this line and a Host field.
    static func line(
        _ clause: String,
        _ line: String,
        _ name: String,
        _ status: Int = 400
    ) -> Refusal {
        Refusal(clause, "\(line)\r\nHost: a\r\n\r\n", name, status)
    }
}

/// Tests for messages that are ambiguous or violate the grammar.
@Suite
struct RefusalTests {
    static let requestLines: [Refusal] = [
        .line("9112 §3", "GET  / HTTP/1.1", "malformed_request_line"),
        .line("9112 §3", "GET /  HTTP/1.1", "malformed_version"),
        .line("9112 §3", "GET / HTTP/1.1 ", "malformed_request_line"),
        .line("9112 §3", " GET / HTTP/1.1", "malformed_request_line"),
        .line("9112 §3", "GET\t/ HTTP/1.1", "invalid_method"),
        .line("9112 §3", "GET / x HTTP/1.1", "malformed_version"),
        .line("9112 §3", "GET /", "malformed_request_line"),
        .line("9112 §3", "GET", "invalid_method"),
        .line("9112 §2.2", "\r\n\r\nGET / HTTP/1.1", "malformed_request_line"),
        .line("9112 §2.2", "\nGET / HTTP/1.1", "bare_line_feed"),
        .line("9112 §2.2", "\rGET / HTTP/1.1", "bare_carriage_return"),
        .line("9110 §9.1", "G(T / HTTP/1.1", "invalid_method"),
        .line("9110 §9.1", "G\0T / HTTP/1.1", "invalid_method"),
        .line("9110 §9.1", "GÄT / HTTP/1.1", "invalid_method"),
        .line("9112 §3.2", "GET /a\0b HTTP/1.1", "invalid_target"),
        .line("9112 §3.2", "GET /a\u{7F} HTTP/1.1", "invalid_target"),
        .line("9112 §3.2", "GET /a\tb HTTP/1.1", "invalid_target"),
        .line("9112 §3.2", "GET /a#b HTTP/1.1", "invalid_target"),
        .line("9112 §3.2", "GET a.test HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2", "GET ?x HTTP/1.1", "invalid_target_form"),
        .line("3986 §3.1", "GET 1http://a/ HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.3", "CONNECT a.test HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.3", "CONNECT /x HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.3", "CONNECT http://a:1 HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.3", "CONNECT u@a:1 HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.3", "GET a:443 HTTP/1.1", "invalid_target_form"),
        .line("9112 §3.2.4", "GET * HTTP/1.1", "invalid_target_form"),
        .line("9110 §4.2.4", "GET http://u:p@a/ HTTP/1.1", "invalid_authority"),
        .line("9110 §4.2.4", "GET http://@a/ HTTP/1.1", "invalid_authority"),
        .line("9110 §4.2.1", "GET http:///x HTTP/1.1", "invalid_authority"),
        .line("9110 §4.2.1", "GET http://:80/x HTTP/1.1", "invalid_authority"),
        .line("3986 §3.2.3", "GET http://a:65536/ HTTP/1.1", "invalid_authority"),
        .line("3986 §3.2.2", "GET http://a\\b/ HTTP/1.1", "invalid_authority"),
        .line("9112 §2.3", "GET / http/1.1", "malformed_version"),
        .line("9112 §2.3", "GET / HTTP/1.x", "malformed_version"),
        .line("9112 §2.3", "GET / HTTP/11", "malformed_version"),
        .line("9112 §2.3", "GET / HTTP/1.10", "malformed_request_line"),
        .line("9112 §2.3", "GET / HTTP/01.1", "malformed_version"),
        .line("9110 §15.6.6", "GET / HTTP/2.0", "unsupported_version", 505),
        .line("9110 §15.6.6", "GET / HTTP/1.2", "unsupported_version", 505),
        .line("9110 §15.6.6", "GET / HTTP/0.9", "unsupported_version", 505),
    ]

    static let lineEnds: [Refusal] = [
        Refusal("9112 §2.2", "GET / HTTP/1.1\nHost: a\n\n", "bare_line_feed"),
        Refusal("9112 §2.2", "GET / HTTP/1.1\r\nHost: a\n\r\n", "bare_line_feed"),
        Refusal("9112 §2.2", "GET / HTTP/1.1\r\nHost: a\r\n\n", "bare_line_feed"),
        Refusal("9112 §2.2", "GET / HTTP/1.1\rHost: a\r\n\r\n", "bare_carriage_return"),
        .fields("9112 §2.2", "A: b\rX: c", "bare_carriage_return"),
        .fields("9112 §2.2", "A: b\r\r\n\r\n", "bare_carriage_return"),
        .fields("9112 §2.2", "\rA: b", "bare_carriage_return"),
        Refusal("9112 §2.2", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", "folded_line"),
    ]

    static let fieldLines: [Refusal] = [
        .fields("9112 §5.2", "A: b\r\n c", "folded_line"),
        .fields("9112 §5.2", "A: b\r\n\tc", "folded_line"),
        .fields("9112 §5.2", "A: b\r\n ", "folded_line"),
        .fields("9112 §5.1", "Content-Length : 5", "space_before_colon"),
        .fields("9112 §5.1", "Transfer-Encoding\t: chunked", "space_before_colon"),
        .fields("9112 §5.1", "A b: c", "space_before_colon"),
        .fields("9112 §5.1", "A", "invalid_field_name"),
        .fields("9110 §5.1", ": x", "empty_field_name"),
        .fields("9110 §5.1", "A\0: x", "invalid_field_name"),
        .fields("9110 §5.1", "A\u{B}: x", "invalid_field_name"),
        .fields("9110 §5.1", "Ä: x", "invalid_field_name"),
        .fields("9110 §5.1", "A(): x", "invalid_field_name"),
        .fields("9110 §5.1", "\"A\": x", "invalid_field_name"),
        .fields("9110 §5.5", "A: b\0c", "invalid_field_value"),
        .fields("9110 §5.5", "A: b\u{1}c", "invalid_field_value"),
        .fields("9110 §5.5", "A: b\u{7F}c", "invalid_field_value"),
        .fields("9110 §5.5", "A: long enough for a block \u{B} behind", "invalid_field_value"),
    ]

    static let hosts: [Refusal] = [
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\n\r\n", "missing_host"),
        Refusal("9112 §3.2", "GET http://a/ HTTP/1.1\r\n\r\n", "missing_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost:\r\n\r\n", "invalid_host"),
        .fields("9112 §3.2", "Host: a", "duplicate_host"),
        .fields("9112 §3.2", "host: b", "duplicate_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n", "duplicate_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: a, b\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: a:99999\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: ::1\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n", "invalid_host"),
        Refusal("9112 §3.2", "GET http://a/ HTTP/1.1\r\nHost: b c\r\n\r\n", "invalid_host"),
    ]

    static let framings: [Refusal] = [
        .fields(
            "9112 §6.3, 3",
            "Content-Length: 5\r\nTransfer-Encoding: chunked",
            "length_and_coding"
        ),
        .fields(
            "9112 §6.3, 3",
            "transfer-encoding: chunked\r\ncontent-length: 0",
            "length_and_coding"
        ),
        .fields(
            "9112 §6.3, 5",
            "Content-Length: 5\r\nContent-Length: 6",
            "duplicate_content_length"
        ),
        .fields(
            "9112 §6.3, 5",
            "Content-Length: 5\r\nContent-Length: 5",
            "duplicate_content_length"
        ),
        .fields("9112 §6.3, 5", "Content-Length: 5, 5", "duplicate_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: 5,6", "duplicate_content_length"),
        .fields("9112 §6.3, 5", "Content-Length:", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: +5", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: -5", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: 0x5", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: 5 5", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: 1e3", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: 5.0", "invalid_content_length"),
        .fields("9112 §6.3, 5", "Content-Length: ٥", "invalid_content_length"),
        .fields("9110 §8.6", "Content-Length: 9223372036854775808", "invalid_content_length"),
        .fields("9110 §8.6", "Content-Length: 18446744073709551621", "invalid_content_length"),
        .fields("9112 §6.3, 4", "Transfer-Encoding: chunked, gzip", "coding_not_chunked_last"),
        .fields("9112 §6.3, 4", "Transfer-Encoding: gzip", "coding_not_chunked_last"),
        .fields("9112 §6.3, 4", "Transfer-Encoding: identity", "coding_not_chunked_last"),
        .fields("9112 §6.3, 4", "Transfer-Encoding: xchunked", "coding_not_chunked_last"),
        .fields(
            "9112 §6.3, 4",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity",
            "coding_not_chunked_last"
        ),
        .fields("9112 §6.1", "Transfer-Encoding: chunked, chunked", "chunked_twice"),
        .fields(
            "9112 §6.1",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
            "chunked_twice"
        ),
        .fields("9112 §6.1", "Transfer-Encoding: gzip, chunked", "unsupported_coding", 501),
        .fields("9112 §6.1", "Transfer-Encoding: identity, chunked", "unsupported_coding", 501),
        .fields("9112 §7", "Transfer-Encoding:", "malformed_coding"),
        .fields("9112 §7", "Transfer-Encoding: , chunked", "malformed_coding"),
        .fields("9112 §7", "Transfer-Encoding: chunked,", "coding_not_chunked_last"),
        .fields("9112 §7.1", "Transfer-Encoding: chunked;a=b", "malformed_coding"),
        .fields("9112 §7", "Transfer-Encoding: \"chunked\"", "malformed_coding"),
        Refusal(
            "9112 §6.1",
            "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
            "coding_in_old_version"
        ),
    ]

    static let connects: [Refusal] = [
        Refusal(
            "9110 §9.3.6",
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            "body_of_connect"
        ),
        Refusal(
            "9110 §9.3.6",
            "CONNECT a:1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
            "body_of_connect"
        ),
    ]

    @Test(arguments: connects + requestLines + lineEnds + fieldLines + hosts + framings)
    func requestsAreRefused(_ row: Refusal) throws {
        for cut in Parsing.cuts(row.text.utf8.count) {
            let error = #expect(throws: HTTPError.self) {
                try Parsing.request(row.text, endingAt: cut)
            }
            #expect(error?.name == row.name)
            #expect(error?.status == row.status)
        }
    }

    static let responses: [Refusal] = [
        Refusal("9112 §4", "HTTP/1.1 20\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "HTTP/1.1 2000 OK\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "HTTP/1.1  200 OK\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "HTTP/1.1 099 OK\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "HTTP/1.1 +20 OK\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "HTTP/1.1 200 O\0K\r\n\r\n", "malformed_status_line", 502),
        Refusal("9112 §4", "ICY 200 OK\r\n\r\n", "malformed_version", 502),
        Refusal("9112 §2.2", "\r\nHTTP/1.1 200 OK\r\n\r\n", "malformed_version", 502),
        Refusal("9110 §15.6.6", "HTTP/2.0 200 OK\r\n\r\n", "unsupported_version", 502),
        Refusal("9112 §2.2", "HTTP/1.1 200 OK\n\n", "bare_line_feed", 502),
        Refusal("9112 §2.2", "HTTP/1.1 200 OK\rX\r\n\r\n", "bare_carriage_return", 502),
        Refusal("9112 §5.2", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", "folded_line", 502),
        Refusal("9112 §5.1", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", "space_before_colon", 502),
        Refusal(
            "9112 §6.3, 3",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
            "length_and_coding",
            502
        ),
        Refusal(
            "9112 §6.3, 5",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "duplicate_content_length",
            502
        ),
        Refusal(
            "9112 §6.3, 4",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "coding_not_chunked_last",
            502
        ),
        Refusal(
            "9112 §6.1",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "coding_in_old_version",
            502
        ),
        Refusal(
            "9110 §15.2.2",
            "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
            "unexpected_upgrade",
            502
        ),
    ]

    @Test(arguments: responses)
    func responsesAreRefused(_ row: Refusal) throws {
        for cut in Parsing.cuts(row.text.utf8.count) {
            let error = #expect(throws: HTTPError.self) {
                try Parsing.response(row.text, endingAt: cut)
            }
            #expect(error?.name == row.name)
            #expect(error?.status == row.status)
        }
    }
}
