// SPDX-License-Identifier: MIT

internal import TaplineJSON
package import TaplineModel

/// Reads exchanges from the entries of a HAR file (HTTP Archive 1.2).
///
/// **Shape**: one element of `log.entries` becomes one exchange. Tools differ, so the reader is
/// lenient: null, -1 and missing values are unknown. Tool-specific keys (`_…`), comments and
/// everything else without a place in an exchange are kept in its `har`. HAR contains decoded
/// content, whatever Content-Encoding says, so `coding` is always empty. `README.md` in this module
/// lists what is read, and how tools differ.
/// **Isolation**: one thread at a time.
package struct HARReader: ~Copyable {
    private var parser: JSONParser
    private var rest: HARUnmappedMembers
    private var notes = HARNotes()

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - maxDepth: The maximum nesting of an entry.
    ///   - maxExtraBytes: How much HAR-only data is kept, per entry and per file.
    package init(
        maxDepth: Int = HARReader.maxDepth,
        maxExtraBytes: Int = HARReader.defaultExtraBytes
    ) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
        rest = HARUnmappedMembers(limit: maxExtraBytes)
    }

    /// The default maximum nesting of an entry.
    package static let maxDepth = 128

    /// The default maximum size of HAR-only data kept of an entry.
    package static let defaultExtraBytes = 1 << 20

    /// What the exchanges read so far could not represent.
    package var losses: LossReport { notes.losses }

    /// Deviations from HAR 1.2 that were read anyway, with their interpretation.
    package var findings: LossReport { notes.findings }

    /// Reads one entry.
    ///
    /// - Parameter entry: The element of `log.entries`.
    /// - Returns: The exchange, with the nil UUID unless Tapline wrote the file.
    /// - Throws: `RecordError` with the byte in the entry.
    package mutating func read(_ entry: Span<UInt8>) throws(RecordError) -> Exchange {
        try Self.read(entry, &parser, &rest, &notes)
    }

    private static func read(
        _ entry: Span<UInt8>,
        _ parser: inout JSONParser,
        _ rest: inout HARUnmappedMembers,
        _ notes: inout HARNotes
    ) throws(RecordError) -> Exchange {
        let document: JSONDocument
        do {
            document = try parser.parse(entry)
        } catch {
            throw RecordError(error)
        }
        var exchange = HARDecoding.blank
        var found = HARNotes()
        try HARDecoding.entry(document.root, &exchange, &found)
        exchange.har = rest.collect(document.root, exchange, &found)
        notes.add(found)
        return exchange
    }

    /// Stores members of a file's log, other than the entries, in an exchange.
    ///
    /// - Parameters:
    ///   - members: Members of `log`, separated by commas.
    ///   - exchange: The exchange.
    mutating func add(_ members: Span<UInt8>, to exchange: inout Exchange) {
        Self.add(members, to: &exchange, &parser, limit: rest.limit, &notes)
    }

    private static func add(
        _ members: Span<UInt8>,
        to exchange: inout Exchange,
        _ parser: inout JSONParser,
        limit: Int,
        _ notes: inout HARNotes
    ) {
        var object: [UInt8] = [.ascii("{")]
        object.append(copying: members)
        object.append(.ascii("}"))
        do {
            let root = try parser.parse(object.span).root
            HARLogDecoding.add(root, to: &exchange, limit: limit, &notes)
        } catch {
            notes.losses.count("log (malformed)")
        }
    }

    /// Frees memory if it has grown for an entry larger than `bytes`.
    ///
    /// - Parameter bytes: The entry size to stay prepared for.
    package mutating func shrink(toEntriesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
