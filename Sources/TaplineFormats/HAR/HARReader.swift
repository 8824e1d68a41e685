// SPDX-License-Identifier: MIT

internal import TaplineJSON
public import TaplineModel

/// Reads exchanges from the entries of a HAR file (HTTP Archive 1.2).
///
/// **Shape**: one element of `log.entries`, one exchange. Tools differ, so this is lenient: null and
/// -1 stand for "not known", and what is missing is not known. Keys of tools (`_…`), comments and
/// whatever else has no place in an exchange go along as its `har`. Content is decoded in HAR, whatever Content-Encoding says, so `coding`
/// is always empty. `README.md` beside this lists what is read, and what each tool does.
/// **Isolation**: one thread at a time.
public struct HARReader: ~Copyable {
    private var parser: JSONParser
    private var rest: HARRest
    private var notes = HARNotes()

    /// Makes a reader.
    /// - Parameters:
    ///   - maxDepth: How deep an entry may nest.
    ///   - maxExtraBytes: How much is kept, of an entry and of the file, that only HAR has a place
    ///     for.
    public init(
        maxDepth: Int = HARReader.maxDepth,
        maxExtraBytes: Int = HARReader.defaultExtraBytes
    ) {
        parser = JSONParser(maxDepth: maxDepth, surrogates: .replace)
        rest = HARRest(limit: maxExtraBytes)
    }

    /// How deep an entry may nest, unless told otherwise.
    public static let maxDepth = 128

    /// How much is kept of an entry that only HAR has a place for, unless told otherwise.
    public static let defaultExtraBytes = 1 << 20

    /// What had no place in the exchanges read so far.
    public var losses: LossReport { notes.losses }

    /// What HAR 1.2 does not allow and was read all the same, and as what.
    public var findings: LossReport { notes.findings }

    /// Reads one entry.
    /// - Parameter entry: The element of `log.entries`.
    /// - Returns: The exchange, with the nil UUID unless Tapline wrote the file.
    /// - Throws: `RecordError` with the byte of the entry.
    public mutating func read(_ entry: Span<UInt8>) throws(RecordError) -> Exchange {
        try Self.read(entry, &parser, &rest, &notes)
    }

    private static func read(
        _ entry: Span<UInt8>,
        _ parser: inout JSONParser,
        _ rest: inout HARRest,
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

    /// Notes members that a file has beside its entries in one of the exchanges.
    /// - Parameters:
    ///   - members: Members of `log` with commas between them.
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

    /// Gives memory back when it has grown for an entry larger than `bytes`.
    /// - Parameter bytes: The size of entry to stay ready for.
    public mutating func shrink(toEntriesOf bytes: Int) {
        parser.shrink(toDocumentsOf: bytes)
    }
}
