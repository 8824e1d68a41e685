// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Names the parts of a JSON object without revealing any of its content.
///
/// Keys that a format defines are written out. Any other key is replaced by its number in its
/// object: `tags[2]`.
struct RecordPath: ~Escapable {
    private let document: JSONDocument
    private let prefix: String

    @_lifetime(copy document)
    init(document: JSONDocument, prefix: String) {
        self.document = document
        self.prefix = prefix
    }

    /// Returns the record's id if it is a UUID; otherwise `nil`.
    static func id(of root: JSONValue) -> String? {
        for name in ["id", "_id"] as [StaticString] {
            guard let value = root.member(name), let text = value.asString,
                let id = ExchangeID(text)
            else { continue }
            return id.description
        }
        return nil
    }

    /// Returns the path of the part at an offset of the text.
    func path(at offset: Int) -> String {
        var target = 0
        for index in 0..<document.count {
            let token = document.value(at: index)
            let start = token.kind == .string ? token.offset - 1 : token.offset
            guard start <= offset else { break }
            target = index
        }
        var path = prefix
        var value = document.root
        while value.index != target {
            guard let next = step(from: value, to: target, &path) else { break }
            value = next
        }
        return path.hasPrefix(".") ? String(path.dropFirst()) : path
    }

    /// Descends one level to the part that contains a token; `nil` if the token is a key.
    @_lifetime(copy value)
    private func step(from value: JSONValue, to target: Int, _ path: inout String) -> JSONValue? {
        var number = 0
        var members = value.members
        while let member = members.next() {
            let end = member.value.index + member.value.tokenCount
            if target < end {
                if let name = Self.known(member.key) {
                    // `text` and `base64` of a body are the body itself.
                    let isBytes = name == "text" || name == "base64"
                    if !isBytes || !(path.hasSuffix(".body") || path.hasSuffix("]")) {
                        path += ".\(name)"
                    }
                } else {
                    path += "[\(number)]"
                }
                if target == member.key.index { path += " (name)" }
                return target == member.key.index ? nil : member.value
            }
            number += 1
        }
        return stepIntoArray(value, target, &path)
    }

    @_lifetime(copy value)
    private func stepIntoArray(
        _ value: JSONValue,
        _ target: Int,
        _ path: inout String
    ) -> JSONValue? {
        var number = 0
        var elements = value.elements
        while let element = elements.next() {
            if target < element.index + element.tokenCount {
                // A header field is a pair of name and value.
                if path.hasSuffix("]"), path.contains("headers[") || path.contains("trailers[") {
                    if number == 0 { path += " (name)" }
                } else {
                    path += "[\(number)]"
                }
                return element
            }
            number += 1
        }
        return nil
    }

    /// Returns a key's name if a format defines it; otherwise `nil`.
    private static func known(_ key: JSONValue) -> String? {
        guard key.bytes.count <= 24, let name = key.asString, names.contains(name) else {
            return nil
        }
        return name
    }

    /// The keys of the record schema, of HAR 1.2 and of Tapline's log.
    private static let names: Set<String> = [
        "v", "id", "source", "state", "started", "timing", "dns_ms", "connect_ms", "tls_ms",
        "send_ms", "wait_ms", "receive_ms", "total_ms", "client", "server", "connection", "reused",
        "tls", "server_tls", "version", "cipher", "sni", "alpn", "handshake", "request", "response",
        "method",
        "url", "target", "headers", "body", "trailers", "status", "reason", "interim", "text",
        "base64", "size", "kept", "truncated", "coding", "decoded_size",
        "content_type", "sha256", "messages",
        "dir", "at_ms", "type", "bytes", "up", "down", "line", "exact", "original", "tags",
        "error", "code", "message", "log", "entries", "creator", "browser", "pages", "pageref",
        "comment", "startedDateTime", "time", "httpVersion", "cookies", "queryString", "postData",
        "params", "mimeType", "fileName", "contentType", "headersSize", "bodySize", "statusText",
        "content", "compression", "encoding", "redirectURL", "cache", "timings", "blocked", "dns",
        "connect", "send", "wait", "receive", "ssl", "serverIPAddress", "name", "value", "path",
        "domain", "expires", "httpOnly", "secure", "title", "_id", "_tags", "_error",
        "_webSocketMessages", "_transferSize", "data", "opcode", "level", "component", "fields",
        "extra", "_initiator", "_resourceType",
    ]
}
