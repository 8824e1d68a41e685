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

    /// Makes a reader.
    /// - Parameter maxDepth: How deep a record may nest; the schema itself needs 4.
    public init(maxDepth: Int = 128) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
    }

    /// Reads one line.
    /// - Parameter line: The line; white space around the record, a line break too, is skipped.
    /// - Returns: The exchange.
    /// - Throws: `RecordError` with the byte of the line; code `cutOff` when the line ends inside
    ///   the record.
    public mutating func read(_ line: Span<UInt8>) throws(RecordError) -> Exchange {
        let document: JSONDocument
        do {
            document = try parser.parse(line)
        } catch {
            throw RecordError(error)
        }
        var exchange = Exchange(
            id: ExchangeID(high: 0, low: 0),
            request: Request(
                method: ByteString(),
                target: ByteString(),
                scheme: ByteString(),
                version: ByteString()
            )
        )
        try RecordDecoding.exchange(document.root, &exchange)
        return consume exchange
    }

    /// Gives memory back when it has grown for a line longer than `bytes`.
    /// - Parameter bytes: The length of line to stay ready for.
    public mutating func shrink(toLinesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
