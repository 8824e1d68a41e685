// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// Reads exchanges from lines of NDJSON, in record schema v1 (`README.md` in this module).
///
/// **Shape**: one line becomes one exchange. Keys that are not in the schema are skipped; null is
/// the same as an absent key. If a record has no id, the exchange has the nil UUID; without
/// `state`, it is completed if there is a response, otherwise failed.
/// **Isolation**: one thread at a time.
package struct NDJSONReader: ~Copyable {
    private var parser: JSONParser
    private let countsUnknown: Bool
    /// The keys that are not in the schema, if they are counted.
    package private(set) var losses = LossReport()

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maxDepth: The maximum nesting of a record; the schema itself needs 4.
    ///   - countsUnknown: Whether skipped keys are counted.
    package init(maxDepth: Int = 128, countsUnknown: Bool = false) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
        self.countsUnknown = countsUnknown
    }

    /// Reads one line.
    ///
    /// - Parameter line: The line; white space around the record, including a line break, is
    ///   skipped.
    /// - Returns: The exchange.
    /// - Throws: `RecordError` with the byte in the line; the code is `cutOff` if the line ends
    ///   inside the record.
    package mutating func read(_ line: Span<UInt8>) throws(RecordError) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
        try read(line, into: &exchange)
        return exchange
    }

    /// Reads one line into an exchange that has only a request so far.
    ///
    /// Reads in place, since an exchange is large. If this throws, parts of the line have been
    /// read.
    mutating func read(
        _ line: Span<UInt8>,
        into exchange: inout Exchange
    ) throws(RecordError) {
        try Self.read(line, into: &exchange, &parser, countsUnknown, &losses)
    }

    private static func read(
        _ line: Span<UInt8>,
        into exchange: inout Exchange,
        _ parser: inout JSONParser,
        _ countsUnknown: Bool,
        _ losses: inout LossReport
    ) throws(RecordError) {
        let document: JSONDocument
        do {
            document = try parser.parse(line)
        } catch {
            throw RecordError(error)
        }
        exchange.id = ExchangeID(high: 0, low: 0)
        exchange.request.method = ByteString()
        exchange.request.target = ByteString()
        exchange.request.scheme = ByteString()
        exchange.request.version = ByteString()
        try RecordDecoding.exchange(document.root, &exchange)
        if countsUnknown { RecordKeys.countUnknown(in: document.root, &losses) }
    }

    /// Frees memory if it has grown for a line longer than `bytes`.
    ///
    /// - Parameter bytes: The line length to stay prepared for.
    package mutating func shrink(toLinesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
