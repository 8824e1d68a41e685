// SPDX-License-Identifier: MIT

import Testing

/// A list of fields that is refused, and the error.
struct RefusedList: Sendable, CustomTestStringConvertible {
    let clause: String
    let fields: [(String, String)]
    let name: String

    /// The name of the error in a session: nghttp2 passes on the values of invalid pseudo-fields up to
    /// NUL, so it is only known which field is wrong.
    var nameInSession: String {
        let isCut = fields.contains { $0.0.hasPrefix(":") && $0.1.contains("\0") }
        return isCut ? "invalid_pseudo_field" : name
    }

    var testDescription: String {
        "\(clause): \(name): \(fields.map { "\($0.0.debugDescription)=\($0.1.debugDescription)" })"
    }

    /// A request with fields in addition to the pseudo-fields.
    static func field(
        _ clause: String,
        _ field: String,
        _ value: String,
        _ name: String
    ) -> RefusedList {
        RefusedList(clause: clause, fields: RawFrames.get + [(field, value)], name: name)
    }

    /// A request with another pseudo-field value; `nil` removes the pseudo-field.
    static func pseudo(
        _ clause: String,
        _ field: String,
        _ value: String?,
        _ name: String
    ) -> RefusedList {
        var fields = RawFrames.get
        if let position = fields.firstIndex(where: { $0.0 == field }) {
            if let value { fields[position].1 = value } else { fields.remove(at: position) }
        } else if let value {
            fields.append((field, value))
        }
        return RefusedList(clause: clause, fields: fields, name: name)
    }

    /// A request of exactly these fields.
    static func list(
        _ clause: String,
        _ fields: [(String, String)],
        _ name: String
    ) -> RefusedList {
        RefusedList(clause: clause, fields: fields, name: name)
    }

    /// A CONNECT request with these fields.
    static func connect(
        _ clause: String,
        _ fields: [(String, String)],
        _ name: String
    ) -> RefusedList {
        RefusedList(clause: clause, fields: [(":method", "CONNECT")] + fields, name: name)
    }
}

extension RefusedList {
    static let values: [RefusedList] = [
        .field("9113 §8.2.1", "x", "a\r\nevil: 1", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "a\r", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "\nb", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "a\nb", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "a\0b", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "\u{1}", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "a\u{7F}", "invalid_field_value"),
        .field("9113 §8.2.1", "x", "a\r\n\r\nGET /evil HTTP/1.1", "invalid_field_value"),
        .field("9113 §8.2.1", "x", " a", "blank_around_value"),
        .field("9113 §8.2.1", "x", "a ", "blank_around_value"),
        .field("9113 §8.2.1", "x", "\ta", "blank_around_value"),
        .field("9113 §8.2.1", "x", "a\t", "blank_around_value"),
        .field("9113 §8.2.1", "x", " ", "blank_around_value"),
    ]

    static let names: [RefusedList] = [
        .field("9113 §8.2.1", "X-Upper", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "x-uppeR", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "Transfer-Encoding", "chunked", "invalid_field_name"),
        .field("9113 §8.2.1", "", "a", "empty_field_name"),
        .field("9113 §8.2.1", "a b", "a", "invalid_field_name"),
        .field("9113 §8.2.1", " a", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a ", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a:", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a:b", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\r\nb", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\n", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\0", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\t", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\u{7F}", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "ä", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a(", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a\"", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a,b", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "a/b", "a", "invalid_field_name"),
        .field("9113 §8.2.1", "transfer-encoding: chunked\r\nx", "a", "invalid_field_name"),
    ]

    static let connection: [RefusedList] = [
        .field("9113 §8.2.2", "connection", "close", "connection_field"),
        .field("9113 §8.2.2", "connection", "upgrade, http2-settings", "connection_field"),
        .field("9113 §8.2.2", "connection", "x-secret", "connection_field"),
        .field("9113 §8.2.2", "keep-alive", "timeout=5", "connection_field"),
        .field("9113 §8.2.2", "proxy-connection", "keep-alive", "connection_field"),
        .field("9113 §8.2.2", "transfer-encoding", "chunked", "connection_field"),
        .field("9113 §8.2.2", "transfer-encoding", "identity", "connection_field"),
        .field("9113 §8.2.2", "transfer-encoding", "", "connection_field"),
        .field("9113 §8.2.2", "upgrade", "websocket", "connection_field"),
        .field("9113 §8.2.2", "upgrade", "h2c", "connection_field"),
        .field("9113 §8.2.2", "te", "chunked", "connection_field"),
        .field("9113 §8.2.2", "te", "trailers, chunked", "connection_field"),
        .field("9113 §8.2.2", "te", "trailers;q=1", "connection_field"),
        .field("9113 §8.2.2", "te", "gzip", "connection_field"),
    ]

    static let lengths: [RefusedList] = [
        .field("9113 §8.1.1", "content-length", "1", "length_mismatch"),
        .field("9110 §8.6", "content-length", "-1", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "+0", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "0x0", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "0 0", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "0,0", "duplicate_content_length"),
        .field("9110 §8.6", "content-length", "0, 0", "duplicate_content_length"),
        .field("9110 §8.6", "content-length", "99999999999999999999", "invalid_content_length"),
        .field("9110 §8.6", "content-length", "zero", "invalid_content_length"),
        .list(
            "9113 §8.1.1",
            RawFrames.get + [("content-length", "0"), ("content-length", "0")],
            "duplicate_content_length"
        ),
        .list(
            "9113 §8.1.1",
            RawFrames.get + [("content-length", "0"), ("content-length", "5")],
            "duplicate_content_length"
        ),
    ]

    static let targets: [RefusedList] = [
        .pseudo("9113 §8.3.1", ":path", "", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", "cart", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", "?x=1", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", "*", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", "http://evil.test/", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", "@evil.test/", "invalid_target_form"),
        .pseudo("9113 §8.3.1", ":path", ":80/", "invalid_target_form"),
        .pseudo("9112 §3.2", ":path", "/ HTTP/1.1\r\nHost: evil", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a b", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/ ", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a\tb", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a\0", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a\r", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a\n", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a#b", "invalid_target"),
        .pseudo("9112 §3.2", ":path", "/a\u{7F}", "invalid_target"),
        .pseudo("9110 §9.1", ":method", "", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "GET ", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "GET /evil HTTP/1.1\r\nx:", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "G ET", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "GET\t", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "GET\n", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "G(T", "invalid_method"),
        .pseudo("9110 §9.1", ":method", "GÄT", "invalid_method"),
        .pseudo("9113 §8.3.1", ":scheme", "", "invalid_pseudo_field"),
        .pseudo("9113 §8.3.1", ":scheme", "http://evil.test/?", "invalid_pseudo_field"),
        .pseudo("9113 §8.3.1", ":scheme", "http ", "invalid_pseudo_field"),
        .pseudo("9113 §8.3.1", ":scheme", "javascript", "invalid_pseudo_field"),
    ]

    static let authorities: [RefusedList] = [
        .pseudo("9113 §8.3.1", ":authority", "", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "user@shop.test", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "user:pw@shop.test", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test/evil", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test?x", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test evil", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test\r\nx: y", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test\t", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test:99999", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test:a", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "shop.test:80:81", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", ":80", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "[::1", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", "[zz]", "invalid_authority"),
        .pseudo("9113 §8.3.1", ":authority", nil, "missing_host"),
        .field("9113 §8.3.1", "host", "evil.test", "conflicting_host"),
        .field("9113 §8.3.1", "host", "shop.test:81", "conflicting_host"),
        .field("9113 §8.3.1", "host", "", "invalid_host"),
        .field("9113 §8.3.1", "host", "shop.test, evil.test", "invalid_host"),
        .field("9113 §8.3.1", "host", "user@shop.test", "invalid_host"),
        .list(
            "9112 §3.2",
            RawFrames.get + [("host", "shop.test"), ("host", "shop.test")],
            "duplicate_host"
        ),
        .list(
            "9112 §3.2",
            RawFrames.get.filter { $0.0 != ":authority" } + [("host", "a"), ("host", "b")],
            "duplicate_host"
        ),
    ]

    static let pseudoFields: [RefusedList] = [
        .pseudo("9113 §8.3.1", ":method", nil, "invalid_pseudo_field"),
        .pseudo("9113 §8.3.1", ":scheme", nil, "invalid_pseudo_field"),
        .pseudo("9113 §8.3.1", ":path", nil, "invalid_pseudo_field"),
        .field("9113 §8.3", ":path", "/other", "invalid_pseudo_field"),
        .field("9113 §8.3", ":method", "GET", "invalid_pseudo_field"),
        .field("9113 §8.3", ":scheme", "http", "invalid_pseudo_field"),
        .field("9113 §8.3", ":authority", "shop.test", "invalid_pseudo_field"),
        .field("9113 §8.3", ":status", "200", "invalid_pseudo_field"),
        .field("9113 §8.3", ":unknown", "x", "invalid_pseudo_field"),
        .field("9113 §8.3", ":", "x", "invalid_pseudo_field"),
        .field("9113 §8.3", ":Path", "/", "invalid_pseudo_field"),
        .field("8441 §4", ":protocol", "websocket", "invalid_pseudo_field"),
        .list("9113 §8.3", [("x", "y")] + RawFrames.get, "invalid_pseudo_field"),
        .list(
            "9113 §8.3",
            RawFrames.get.filter { $0.0 != ":path" } + [("x", "y"), (":path", "/")],
            "invalid_pseudo_field"
        ),
        .list("9113 §8.3", [], "invalid_pseudo_field"),
        .list("9113 §8.3", [("host", "a")], "invalid_pseudo_field"),
    ]

    static let connects: [RefusedList] = [
        .connect("9113 §8.5", [], "missing_host"),
        .connect("9113 §8.5", [("host", "a:1")], "invalid_pseudo_field"),
        .connect("9113 §8.5", [(":authority", "a")], "invalid_target_form"),
        .connect("9113 §8.5", [(":authority", "u@a:1")], "invalid_authority"),
        .connect("9113 §8.5", [(":authority", "a:1"), (":path", "/")], "invalid_pseudo_field"),
        .connect(
            "9113 §8.5",
            [(":authority", "a:1"), (":scheme", "http")],
            "invalid_pseudo_field"
        ),
        .connect(
            "9110 §9.3.6",
            [(":authority", "a:1"), ("content-length", "0")],
            "body_of_connect"
        ),
        .connect(
            "8441 §4",
            [(":authority", "a:1"), (":protocol", "websocket")],
            "invalid_pseudo_field"
        ),
        .connect(
            "8441 §4",
            [(":authority", "a"), (":scheme", "http"), (":path", "/"), (":protocol", "a b")],
            "invalid_pseudo_field"
        ),
    ]

    static let requests =
        values + names + connection + lengths + targets + authorities + pseudoFields + connects
}
