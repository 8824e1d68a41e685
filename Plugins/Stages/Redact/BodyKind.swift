// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How a body is read for redaction.
enum BodyKind: Equatable {
    /// Not searched by name: images, audio, video, fonts, style sheets.
    case opaque
    /// Cannot be searched for names: archives, PDF, and serialized values without field names or
    /// with length-prefixed ones.
    case binary
    case json
    /// A protobuf message, whose fields have names only in its descriptors.
    case protobuf
    /// Messages of a gRPC call.
    case grpc
    case form
    case multipart
    /// Server-sent events: lines of `data:`.
    case events
    /// JSON if it looks like JSON, otherwise text with names in it.
    case text
    /// JSON if it looks like JSON, otherwise text if it looks like text, otherwise binary data.
    case data
    /// HTML or XML.
    case markup
    /// Values in columns, with the column names in the first line.
    case csv
    /// JavaScript: JSON in a call, or names with quoted values.
    case script
    /// A GraphQL document without its variables.
    case graphQL
    /// No declared type: JSON if it opens an object or an array, otherwise the same as `text`.
    case untyped

    /// Whether names have places of their own in the format.
    var hasStructure: Bool {
        switch self {
        case .json, .form, .multipart, .events, .markup, .csv, .script, .graphQL: true
        case .opaque, .binary, .protobuf, .grpc, .text, .data, .untyped: false
        }
    }

    /// Interprets the value of a Content-Type field, which may be empty.
    init(contentType: Span<UInt8>) {
        let end = contentType.firstIndex(of: .ascii(";")) ?? contentType.count
        let type = contentType.extracting(contentType.trimmed(0..<end))
        if type.isEmpty {
            self = .untyped
        } else if GRPCForm(contentType: type) != nil {
            self = .grpc
        } else if BodyKind.isJSON(type) {
            self = .json
        } else if type.equalsIgnoringCase("application/x-www-form-urlencoded") {
            self = .form
        } else if type.count > 10, type.extracting(0..<10).equalsIgnoringCase("multipart/") {
            self = .multipart
        } else if type.equalsIgnoringCase("text/event-stream") {
            self = .events
        } else if type.equalsIgnoringCase("text/plain")
            || type.equalsIgnoringCase("application/http")
        {
            self = .text
        } else if type.equalsIgnoringCase("application/graphql") {
            self = .graphQL
        } else if BodyKind.isScript(type) {
            self = .script
        } else if BodyKind.isMarkup(type) {
            self = .markup
        } else if type.equalsIgnoringCase("text/csv")
            || type.equalsIgnoringCase("text/tab-separated-values")
        {
            self = .csv
        } else if BodyKind.isText(type) {
            self = .text
        } else {
            self =
                BodyKind.isMedia(type)
                ? .opaque
                : BodyKind.isProtobuf(type)
                    ? .protobuf : BodyKind.isBinary(type) ? .binary : .data
        }
    }

    /// Whether the type is text of any form: YAML, log lines and mail all use `name: value`.
    private static func isText(_ type: Span<UInt8>) -> Bool {
        guard !type.equalsIgnoringCase("text/css") else { return false }
        for tree in ["text/", "message/"] where hasTree(type, tree) { return true }
        for name in ["application/yaml", "application/x-yaml", "application/toml"]
        where type.equalsIgnoringCase(name) {
            return true
        }
        return type.count > 5
            && type.extracting(type.count - 5..<type.count).equalsIgnoringCase("+yaml")
    }

    /// Whether the type neither is text nor contains text in plain form.
    private static func isMedia(_ type: Span<UInt8>) -> Bool {
        for tree in ["image/", "audio/", "video/", "font/"] where hasTree(type, tree) {
            return true
        }
        for name in [
            "text/css", "application/vnd.ms-fontobject", "application/ogg", "application/mp4",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        for font in ["application/font-", "application/x-font-"] where hasTree(type, font) {
            return true
        }
        return false
    }

    /// Whether the type is protobuf, whose bytes may look like text: `application/x-protobuf`,
    /// `application/vnd.google.protobuf`, `application/vnd.example+proto`.
    private static func isProtobuf(_ type: Span<UInt8>) -> Bool {
        type.equalsIgnoringCase("application/proto") || holds("protobuf", type)
            || holds("+proto", type)
    }

    /// Whether the type is binary whatever its bytes look like.
    private static func isBinary(_ type: Span<UInt8>) -> Bool {
        for name in [
            "application/pdf", "application/wasm", "application/zip", "application/avro",
            "avro/binary", "application/x-thrift", "application/x-amf",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        // `application/cbor-seq`, `application/vnd.example+msgpack`.
        for word in [
            "msgpack", "messagepack", "cbor", "bson", "thrift", "flatbuffer",
            "wbxml", "fastinfoset",
        ] where holds(word, type) {
            return true
        }
        return false
    }

    /// Whether `type` contains `word`.
    private static func holds(_ word: String, _ type: Span<UInt8>) -> Bool {
        let count = word.utf8.count
        var start = 0
        while start + count <= type.count {
            if type.extracting(start..<start + count).equalsIgnoringCase(word) { return true }
            start += 1
        }
        return false
    }

    private static func hasTree(_ type: Span<UInt8>, _ tree: String) -> Bool {
        let count = tree.utf8.count
        return type.count > count && type.extracting(0..<count).equalsIgnoringCase(tree)
    }

    /// Whether a media type is JSON, or a sequence of JSON values (RFC 6839 §3.1, RFC 7464).
    ///
    /// The name decides: `application/x-amz-json-1.1` is JSON just like `application/json`.
    private static func isJSON(_ type: Span<UInt8>) -> Bool {
        guard let slash = type.firstIndex(of: .ascii("/")) else { return false }
        if holds("json", type.extracting(slash + 1..<type.count)) { return true }
        return type.equalsIgnoringCase("application/csp-report")
    }

    private static func isScript(_ type: Span<UInt8>) -> Bool {
        for name in [
            "text/javascript", "application/javascript", "application/x-javascript",
            "application/ecmascript",
        ] where type.equalsIgnoringCase(name) {
            return true
        }
        return false
    }

    /// Whether a media type is HTML or XML, including types with the XML suffix (RFC 7303 §8):
    /// `image/svg+xml`.
    private static func isMarkup(_ type: Span<UInt8>) -> Bool {
        for name in ["text/html", "text/xml", "application/xml", "application/xml-dtd"]
        where type.equalsIgnoringCase(name) {
            return true
        }
        return type.count > 4
            && type.extracting(type.count - 4..<type.count).equalsIgnoringCase("+xml")
    }
}
