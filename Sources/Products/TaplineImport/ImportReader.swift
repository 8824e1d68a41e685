// SPDX-License-Identifier: MIT

package import TaplineFormats
internal import TaplineModel

/// Reads one file of another tool: takes chunks of bytes and returns exchanges.
///
/// **Shape**: compressed files are decompressed as by `RecordingDecoder`, and the format is detected
/// by the content. The reader does not access files.
/// **Limits**: memory for one exchange of `maxRecordBytes`; curl commands and Postman collections
/// are kept as a whole, up to that size.
/// **Isolation**: one thread at a time.
package final class ImportReader {
    /// An exchange, or the error in its place.
    package typealias Element = ImportedItems.Element

    private let options: ImportOptions
    private let decoder = RecordingDecoder()
    /// The decoded bytes until the format is known.
    private var head: [UInt8] = []
    /// Whether the rest cannot be read, or there is none.
    private var hasEnded = false
    private var parser: (any ImportParser)?
    private var items: ImportedItems
    /// The format, once known.
    package private(set) var format: ImportFormat?

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - format: The format; `nil` to detect it.
    ///   - options: What applies to the file.
    package init(_ format: ImportFormat? = nil, options: ImportOptions) {
        self.format = format
        self.options = options
        items = ImportedItems(file: options.file)
    }

    /// What could not be read so far, by kind.
    package var unread: LossReport { items.unread }

    /// What was read, but has no place in an exchange, by kind.
    package var losses: LossReport { items.losses }

    /// Reads the next bytes of the file.
    ///
    /// - Parameters:
    ///   - chunk: The bytes; any number.
    ///   - receive: Called with each exchange, or the error in its place, in order.
    /// - Throws: `RecordError` if the rest of the file cannot be read.
    package func read(_ chunk: Span<UInt8>, _ receive: (Element) throws -> Void) throws {
        var damage: RecordError?
        do throws(RecordError) {
            guard !hasEnded else {
                throw .shape("the rest of the file cannot be read", at: decoder.byteCount)
            }
            damage = try decoder.read(chunk) { bytes throws(RecordError) in try parse(bytes) }
        } catch {
            hasEnded = true
            return try deliver(error, receive)
        }
        // What precedes malformed compressed bytes is read to its end.
        if let damage { try end(damage, receive) } else { try deliver(nil, receive) }
    }

    /// Ends the file.
    ///
    /// - Parameter receive: Called with the exchanges that the end completes.
    /// - Throws: `RecordError`; with code `cutOff` if the file ends too early.
    package func finish(_ receive: (Element) throws -> Void) throws {
        if hasEnded { return }
        var failure: RecordError?
        do throws(RecordError) {
            failure = try decoder.finish { bytes throws(RecordError) in try parse(bytes) }
        } catch {
            failure = error
        }
        try end(failure, receive)
    }

    private func deliver(
        _ failure: RecordError?,
        _ receive: (Element) throws -> Void
    ) throws {
        for element in items.elements { try receive(element) }
        items.removeElements()
        guard var failure else { return }
        failure.file = options.file
        throw failure
    }

    // MARK: Steps

    /// Ends the parser, a part at a time.
    ///
    /// - Throws: `failure` at the end, rather than the errors to which it leads.
    private func end(
        _ failure: RecordError?,
        _ receive: (Element) throws -> Void
    ) throws {
        hasEnded = true
        var failure = failure
        var hasMore = false
        do throws(RecordError) {
            if parser == nil, !head.span.isBlankText { try startParser() }
            hasMore = parser != nil
        } catch {
            failure = failure ?? error
        }
        while hasMore {
            try deliver(nil, receive)
            do throws(RecordError) {
                hasMore = try parser?.finish(to: &items) ?? false
            } catch {
                failure = failure ?? error
                hasMore = false
            }
        }
        try deliver(failure, receive)
    }

    private func parse(_ bytes: Span<UInt8>) throws(RecordError) {
        if let parser { return try parser.append(bytes, to: &items) }
        head.append(copying: bytes)
        if format != nil || head.count >= ImportProbe.headBytes { try startParser() }
    }

    private func startParser() throws(RecordError) {
        let start = Array(head.prefix(ImportProbe.headBytes))
        let found: ImportFormat
        if let format { found = format } else { found = try ImportProbe.detect(start.span) }
        format = found
        let parser = found.makeParser(options)
        self.parser = parser
        let first = head
        head = []
        try parser.append(first.span, to: &items)
    }
}

extension Span<UInt8> {
    /// Whether there is only white space.
    var isBlankText: Bool {
        for index in indices where !self[index].isWhiteSpace { return false }
        return true
    }
}

extension UInt8 {
    /// Whether this is a space, a tab or part of a line end.
    var isWhiteSpace: Bool { isBlank || self == 0x0A || self == 0x0D }
}
