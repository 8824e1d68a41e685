// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
package import TaplinePlugin

/// Writes records as a HAR file (HTTP Archive 1.2), one entry per line.
///
/// **Shape**: call `begin`, then `write` for any number of records, then `end`; without `end` the
/// file is not valid. The text is collected in a buffer that is reused after `removeAll`. Coded
/// content is decoded, as HAR requires. Data that HAR cannot represent is counted in `losses`; id
/// and tags are written as `_id` and `_tags`, names that HAR reserves for tools and `HARReader`
/// understands. Data of another HAR file in the records, such as pages and comments, is written
/// again; the original `creator` becomes `_creator`.
/// **Isolation**: one thread at a time.
package struct HARWriter: ~Copyable {
    private var writer: JSONWriter
    private var encoding = HAREncoding()
    private var parser = JSONParser(maxDepth: 256, surrogates: .replace)
    private var log = HARLogEncoding()

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - capacity: The number of bytes to allocate at first.
    ///   - maxDecodedBytes: The largest content to decode; larger content is written unchanged.
    package init(capacity: Int = 64 * 1024, maxDecodedBytes: Int = 64 << 20) {
        writer = JSONWriter(capacity: capacity)
        encoding.maxDecodedBytes = max(0, maxDecodedBytes)
    }

    /// The text written since the last `removeAll`.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        get { writer.bytes }
    }

    /// The number of bytes in `bytes`.
    package var count: Int { writer.count }

    /// What the entries written so far could not represent.
    package var losses: LossReport {
        var losses = encoding.losses
        losses.add(log.losses)
        return losses
    }

    /// Removes all text but keeps the memory; the next record still belongs to the same file.
    package mutating func removeAll() {
        writer.removeAll()
    }

    /// Begins a file.
    ///
    /// Its head is written with the first record, which may have the original head.
    ///
    /// - Parameter version: The version of the writing program.
    package mutating func begin(version: String) {
        log = HARLogEncoding(version: version)
        encoding.isFirst = true
    }

    /// Writes one record as an entry.
    /// - Parameter record: The record.
    package mutating func write(_ record: Record) {
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

    /// Writes the end of the file after the last entry.
    package mutating func end() {
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
