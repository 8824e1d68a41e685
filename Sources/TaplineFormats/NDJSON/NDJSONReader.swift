// SPDX-License-Identifier: MIT

internal import TaplineJSON
public import TaplineModel

/// Reads exchanges from lines of NDJSON, in the record schema v1 (`README.md` beside this).
///
/// **Shape**: one line, one exchange. Keys that the schema does not have are skipped; null stands
/// for a key that is absent. Where a record has no id, the exchange has the nil UUID; without
/// `state` it is completed if there is a response, otherwise failed.
/// **Isolation**: one thread at a time.
public struct NDJSONReader: ~Copyable {
    private var parser: JSONParser
    private let countsUnknown: Bool
    /// Keys that the schema does not have, if they are to be counted.
    public private(set) var losses = LossReport()

    /// Makes a reader.
    /// - Parameters:
    ///   - maxDepth: How deep a record may nest; the schema itself needs 4.
    ///   - countsUnknown: Whether keys that are skipped are counted.
    public init(maxDepth: Int = 128, countsUnknown: Bool = false) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
        self.countsUnknown = countsUnknown
    }

    /// Reads one line.
    /// - Parameter line: The line; white space around the record, a line break too, is skipped.
    /// - Returns: The exchange.
    /// - Throws: `RecordError` with the byte of the line; code `cutOff` when the line ends inside
    ///   the record.
    public mutating func read(_ line: Span<UInt8>) throws(RecordError) -> Exchange {
        var exchange = Exchange(id: ExchangeID(high: 0, low: 0))
        try read(line, into: &exchange)
        return exchange
    }

    /// Reads one line into an exchange of which nothing but a request is known yet.
    ///
    /// In place, since an exchange is large. Where this throws, parts of the line have been read.
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

    /// Gives memory back when it has grown for a line longer than `bytes`.
    /// - Parameter bytes: The length of line to stay ready for.
    public mutating func shrink(toLinesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
