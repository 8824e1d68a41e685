// SPDX-License-Identifier: MIT

internal import TaplineJSON
public import TaplineModel

/// Reads exchanges from the entries of a HAR file (HTTP Archive 1.2).
///
/// **Shape**: one element of `log.entries`, one exchange. Tools differ, so this is lenient: null and
/// -1 stand for "not known", what is missing is not known, keys of tools (`_…`) are skipped where
/// they are not understood. Content is decoded in HAR, whatever Content-Encoding says, so `coding`
/// is always empty. `README.md` beside this lists what is read, and what each tool does.
/// **Isolation**: one thread at a time.
public struct HARReader: ~Copyable {
    private var parser: JSONParser
    /// What had no place in the exchanges read so far.
    public private(set) var losses = LossReport()

    /// Makes a reader.
    /// - Parameter maxDepth: How deep an entry may nest.
    public init(maxDepth: Int = 128) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
    }

    /// Reads one entry.
    /// - Parameter entry: The element of `log.entries`.
    /// - Returns: The exchange, with the nil UUID unless Tapline wrote the file.
    /// - Throws: `RecordError` with the byte of the entry.
    public mutating func read(_ entry: Span<UInt8>) throws(RecordError) -> Exchange {
        let document: JSONDocument
        do {
            document = try parser.parse(entry)
        } catch {
            throw RecordError(error)
        }
        var exchange = HARDecoding.blank
        var lost = LossReport()
        try HARDecoding.entry(document.root, &exchange, &lost)
        losses.add(lost)
        return exchange
    }

    /// Gives memory back when it has grown for an entry larger than `bytes`.
    /// - Parameter bytes: The size of entry to stay ready for.
    public mutating func shrink(toEntriesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
