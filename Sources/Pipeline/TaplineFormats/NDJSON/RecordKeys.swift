// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// The keys of record schema v1, for counting those that a reader skips.
enum RecordKeys {
    /// Counts the members of a record that the reader skips.
    static func countUnknown(in record: JSONValue, _ losses: inout LossReport) {
        count(record, "", known, &losses)
        for (part, keys) in parts {
            guard let value = record.member(part) else { continue }
            count(value, "\(part).", keys, &losses)
            if let body = value.member("body") {
                count(body, "\(part).body.", content, &losses)
            }
            guard let interim = value.member("interim") else { continue }
            each(interim, "\(part).interim.", ["status", "reason", "headers"], &losses)
        }
        for (part, keys) in smallParts {
            guard let value = record.member(part) else { continue }
            count(value, "\(part).", keys, &losses)
            for (inner, keys) in innerParts {
                if let value = value.member(inner) {
                    count(value, "\(part).\(inner).", keys, &losses)
                }
            }
        }
        if let messages = record.member("messages") {
            each(messages, "messages.", message, &losses)
        }
        countUnknownExtra(in: record, &losses)
    }

    private static func countUnknownExtra(in record: JSONValue, _ losses: inout LossReport) {
        for (part, keys) in extraLists {
            if let value = record.member(part) { each(value, "\(part).", keys, &losses) }
        }
        if let provenance = record.member("provenance") {
            var steps = provenance.elements
            while let step = steps.next() {
                for (part, keys) in stepLists {
                    guard let value = step.member(part) else { continue }
                    each(value, "provenance.\(part).", keys, &losses)
                }
            }
        }
        guard let stream = record.member("stream") else { return }
        let legs: [(StaticString, String)] = [("client", "client."), ("server", "server.")]
        for (leg, prefix) in legs {
            guard let value = stream.member(leg) else { continue }
            count(value, "stream.\(prefix)", ["id", "version", "fields"], &losses)
            guard let fields = value.member("fields") else { continue }
            count(fields, "stream.\(prefix)fields.", ["up", "down"], &losses)
        }
    }

    private static func each(
        _ list: JSONValue,
        _ prefix: String,
        _ keys: [StaticString],
        _ losses: inout LossReport
    ) {
        var elements = list.elements
        while let element = elements.next() { count(element, prefix, keys, &losses) }
    }

    private static func count(
        _ object: JSONValue,
        _ prefix: String,
        _ keys: [StaticString],
        _ losses: inout LossReport
    ) {
        var members = object.members
        while let member = members.next() {
            if member.value.isNull || keys.contains(where: { member.key.matches($0) }) { continue }
            losses.count(named: prefix + Self.name(member.key))
        }
    }

    /// A key's name, if it looks like one: a report contains no other text of a record.
    private static func name(_ key: JSONValue) -> String {
        let bytes = key.bytes
        guard 1...32 ~= bytes.count else { return "*" }
        for index in bytes.indices {
            switch bytes[index] {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: continue
            default: return "*"
            }
        }
        return key.asString ?? "*"
    }

    private static let known: [StaticString] = [
        "v", "id", "source", "state", "started", "timing", "request", "response", "bytes",
        "messages", "tags", "error", "original", "client", "server", "connection", "tls",
        "server_tls", "har", "provenance", "replay", "notes", "stream", "grpc",
    ]
    private static let parts: [(StaticString, [StaticString])] = [
        ("request", ["method", "url", "target", "version", "headers", "body", "trailers"]),
        (
            "response",
            ["status", "reason", "version", "headers", "body", "trailers", "interim"]
        ),
    ]
    private static let content: [StaticString] = [
        "text", "base64", "size", "kept", "truncated", "coding", "decoded_size", "content_type",
        "sha256",
    ]
    private static let message: [StaticString] = [
        "dir", "at_ms", "type", "event", "id", "code", "text", "base64", "size", "truncated",
    ]
    private static let tls: [StaticString] = ["version", "cipher", "sni", "alpn", "handshake"]
    private static let smallParts: [(StaticString, [StaticString])] = [
        (
            "timing",
            [
                "dns_ms", "connect_ms", "tls_ms", "send_ms", "wait_ms", "first_event_ms",
                "receive_ms", "total_ms",
            ]
        ),
        ("connection", ["reused"]), ("tls", tls), ("server_tls", tls),
        ("bytes", ["up", "down", "exact"]), ("error", ["code", "message"]),
        ("original", ["method", "url", "status"]),
        ("replay", ["of", "due_at", "sent_at", "status"]),
        ("stream", ["client", "server"]), ("grpc", ["service", "method", "status", "message"]),
    ]
    private static let extraLists: [(StaticString, [StaticString])] = [
        (
            "provenance",
            [
                "stage", "hook", "verdict", "decision", "skipped", "failed", "calls", "at_ms",
                "took_ms", "delay_ms", "waited_ms", "changes", "details",
            ]
        ),
        ("notes", ["text", "by", "mark", "at"]),
    ]
    private static let stepLists: [(StaticString, [StaticString])] = [
        ("changes", ["part", "name", "kind", "count", "before", "after"]),
        ("details", ["name", "value"]),
    ]
    private static let innerParts: [(StaticString, [StaticString])] = [
        ("handshake", ["up", "down"]), ("up", ["line", "headers", "body"]),
        ("down", ["line", "headers", "body"]),
    ]
}
