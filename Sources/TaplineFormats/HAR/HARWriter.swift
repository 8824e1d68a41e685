// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
public import TaplinePlugin

/// Writes records as a HAR file (HTTP Archive 1.2), one entry a line.
///
/// **Shape**: `begin`, then any number of records, then `end`; without `end` the file is not valid.
/// The text gathers in a buffer that is used again after `removeAll`. Coded content is decoded, as
/// HAR demands. What HAR has no place for is counted in `losses`; id and tags are kept as `_id` and
/// `_tags`, which HAR leaves to tools and our reader understands. What records have of another HAR
/// file, its pages and comments among it, is written again; the former `creator` becomes `_creator`.
/// **Isolation**: one thread at a time.
public struct HARWriter: ~Copyable {
    private var writer: JSONWriter
    private var encoding = HAREncoding()
    private var parser = JSONParser(maxDepth: 256, surrogates: .replace)
    private var log = HARLogEncoding()

    /// Makes a writer.
    /// - Parameters:
    ///   - capacity: Bytes to make room for at once.
    ///   - maxDecodedBytes: The largest content to decode; larger ones are written as they are.
    public init(capacity: Int = 64 * 1024, maxDecodedBytes: Int = 64 << 20) {
        writer = JSONWriter(capacity: capacity)
        encoding.maxDecodedBytes = max(0, maxDecodedBytes)
    }

    /// What has been written since the last `removeAll`.
    public var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { writer.bytes }
    }

    /// How many bytes that is.
    public var count: Int { writer.count }

    /// What had no place in the entries written so far.
    public var losses: LossReport {
        var losses = encoding.losses
        losses.add(log.losses)
        return losses
    }

    /// Forgets what has been written and keeps the memory; the next record is still one of the file.
    public mutating func removeAll() {
        writer.removeAll()
    }

    /// Begins a file; its head is written with the first record, which may hold the former one.
    /// - Parameter version: The version of the program that writes.
    public mutating func begin(version: String) {
        log = HARLogEncoding(version: version)
        encoding.isFirst = true
    }

    /// Writes one record as an entry.
    /// - Parameter record: The record.
    public mutating func write(_ record: Record) {
        let exchange = record.exchange
        if exchange.har.isEmpty {
            Self.write(exchange, nil, nil, &log, &encoding, &writer)
        } else {
            Self.write(exchange, with: &parser, &log, &encoding, &writer)
        }
    }

    private static func write(
        _ exchange: Exchange,
        with parser: inout JSONParser,
        _ log: inout HARLogEncoding,
        _ encoding: inout HAREncoding,
        _ writer: inout JSONWriter
    ) {
        do {
            let root = try parser.parse(exchange.har.span).root
            var members = root.members
            while let member = members.next() {
                let isKnown = member.key.matches("log") || member.key.matches("entry")
                if !isKnown { encoding.losses.count("har.*") }
            }
            let head = root.object("log")
            if head == nil, root.member("log") != nil { encoding.losses.count("har.log") }
            write(exchange, head, encoding.object("entry", of: root), &log, &encoding, &writer)
        } catch {
            encoding.losses.count("har (malformed)")
            write(exchange, nil, nil, &log, &encoding, &writer)
        }
    }

    private static func write(
        _ exchange: Exchange,
        _ head: JSONValue?,
        _ rest: JSONValue?,
        _ log: inout HARLogEncoding,
        _ encoding: inout HAREncoding,
        _ writer: inout JSONWriter
    ) {
        log.take(head, to: &writer)
        if !encoding.isFirst { writer.separator(0x2C) }
        encoding.isFirst = false
        writer.separator(0x0A)
        encoding.entry(exchange, rest, to: &writer)
    }

    /// Writes what comes after the last entry.
    public mutating func end() {
        log.take(nil, to: &writer)
        writer.separator(0x0A)
        writer.endArray()
        log.finish(&writer)
        writer.endObject()
        writer.endObject()
        writer.separator(0x0A)
    }
}

extension JSONValue {
    /// A member that is an object.
    @_lifetime(copy self)
    fileprivate func object(_ name: StaticString) -> JSONValue? {
        guard let value = member(name), value.kind == .object else { return nil }
        return value
    }
}
