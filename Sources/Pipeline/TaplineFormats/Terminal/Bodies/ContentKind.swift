// SPDX-License-Identifier: MIT

internal import TaplineModel

/// How the content of a body is shown.
enum ContentKind: Equatable {
    case json
    /// One JSON document per line.
    case jsonLines
    case xml
    case html
    case form
    case multipart
    case graphQL
    /// Server-sent events.
    case events
    case protobuf
    /// Messages of a gRPC call.
    case grpc
    /// Media, archives and serialized values.
    case binary
    /// Anything else: what it looks like.
    case other

    /// The kind that a media type in lower case declares.
    init(_ type: ByteString) {
        let name = type.span
        if type.isJSONMediaType {
            self = .json
        } else if name.isAny(of: Self.lineTypes) {
            self = .jsonLines
        } else if name.equals("text/html") {
            self = .html
        } else if name.isAny(of: ["text/xml", "application/xml"]) || name.hasSuffix("+xml") {
            self = .xml
        } else if name.equals("application/x-www-form-urlencoded") {
            self = .form
        } else if name.starts(with: "multipart/") {
            self = .multipart
        } else if name.equals("application/graphql") {
            self = .graphQL
        } else if name.equals("text/event-stream") {
            self = .events
        } else if GRPCForm(contentType: name) != nil {
            self = .grpc
        } else if Self.isProtobuf(name) {
            self = .protobuf
        } else if Self.isBinary(name) {
            self = .binary
        } else {
            self = .other
        }
    }

    private static let lineTypes = [
        "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonl",
        "application/jsonlines", "application/x-jsonlines", "application/stream+json",
        "application/json-seq",
    ]

    private static func isProtobuf(_ name: Span<UInt8>) -> Bool {
        name.hasSuffix("+protobuf") || name.hasSuffix("+proto")
            || name.isAny(of: [
                "application/protobuf", "application/x-protobuf", "application/proto",
                "application/vnd.google.protobuf",
            ])
    }

    private static func isBinary(_ name: Span<UInt8>) -> Bool {
        for tree in ["image/", "audio/", "video/", "font/"] where name.starts(with: tree) {
            return true
        }
        return name.starts(with: "application/grpc")
            || name.isAny(of: [
                "application/zip", "application/gzip", "application/pdf", "application/wasm",
                "application/cbor",
                "application/msgpack", "application/x-msgpack",
            ])
    }

    /// The kind that content without a known type looks like; `other` for text of another form.
    init(lookingAt bytes: Span<UInt8>) {
        self = .other
        var start = 0
        while start < bytes.count, bytes[start].isBlankOrLineEnd { start += 1 }
        guard start < bytes.count else { return }
        switch bytes[start] {
        case .ascii("{"), .ascii("["):
            self = .json
        case .ascii("<"):
            let head = bytes.extracting(start..<min(bytes.count, start + 64))
            if head.starts(withIgnoringCase: "<!doctype html") || head.isTag("html") {
                self = .html
            } else if head.starts(with: "<?xml") || head.starts(with: "<svg") {
                self = .xml
            }
        case .ascii("-"):
            if MultipartReader(beginningOf: bytes) != nil { self = .multipart }
        default:
            break
        }
    }
}

extension Span where Element == UInt8 {
    fileprivate func isAny(of names: [String]) -> Bool {
        for name in names where equals(name) { return true }
        return false
    }

    fileprivate func hasSuffix(_ text: String) -> Bool {
        let length = text.utf8.count
        return count > length && extracting(count - length..<count).equals(text)
    }

    /// Whether this begins with a start tag.
    fileprivate func isTag(_ name: String) -> Bool {
        guard starts(withIgnoringCase: "<\(name)") else { return false }
        let end = name.utf8.count + 1
        return end == count || self[end] == .ascii(">") || self[end].isBlankOrLineEnd
    }
}

extension UInt8 {
    /// Whether this is white space of JSON, XML and HTML.
    var isBlankOrLineEnd: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
