// SPDX-License-Identifier: MIT

internal import TaplineCodings
package import TaplineFormats
internal import TaplineModel

/// Reads one file of another tool: takes chunks of bytes and returns exchanges.
///
/// **Shape**: gzip, zlib and zstd are decompressed, and the format is detected by the content. The
/// reader does not access files.
/// **Limits**: memory for one exchange of `maxRecordBytes`; curl commands and Postman collections
/// are kept as a whole, up to that size.
/// **Isolation**: one thread at a time.
package final class ImportReader {
    /// An exchange, or the error in its place.
    package typealias Element = ImportedItems.Element

    private enum State {
        /// There are too few bytes to detect compression.
        case start
        case reading
        /// The rest cannot be read, or there is none.
        case ended
    }

    private let options: ImportOptions
    private var state = State.start
    private var decoder: ContentDecoder?
    /// The bytes until the compression, and then the format, is known.
    private var head: [UInt8] = []
    private var decoded: [UInt8] = []
    private var byteCount = 0
    /// Whether the compressed bytes are malformed; what precedes them is read to its end.
    private var isDamaged = false
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
        let failure = take(chunk)
        if isDamaged { try end(failure, receive) } else { try deliver(failure, receive) }
    }

    /// Ends the file.
    ///
    /// - Parameter receive: Called with the exchanges that the end completes.
    /// - Throws: `RecordError`; with code `cutOff` if the file ends too early.
    package func finish(_ receive: (Element) throws -> Void) throws {
        switch state {
        case .ended: return
        case .start: try end(begin() ?? cutOff, receive)
        case .reading: try end(cutOff, receive)
        }
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

    private func take(_ chunk: Span<UInt8>) -> RecordError? {
        do throws(RecordError) {
            switch state {
            case .ended:
                throw .shape("the rest of the file cannot be read", at: byteCount)
            case .start:
                head.append(copying: chunk)
                if head.count >= 4 { try startDecoding() }
            case .reading:
                try decode(chunk)
            }
            return nil
        } catch {
            state = .ended
            return error
        }
    }

    private func begin() -> RecordError? {
        do throws(RecordError) {
            try startDecoding()
            return nil
        } catch {
            return error
        }
    }

    /// The error of a compressed file that ends too early.
    private var cutOff: RecordError? {
        guard let decoder else { return nil }
        do {
            try decoder.finish()
            return nil
        } catch {
            let message = "the \(decoder.coding.name) file is cut off"
            return RecordError(code: .cutOff, message: message, byte: byteCount)
        }
    }

    /// Ends the parser, a part at a time.
    ///
    /// - Throws: `failure` at the end, rather than the errors to which it leads.
    private func end(
        _ failure: RecordError?,
        _ receive: (Element) throws -> Void
    ) throws {
        state = .ended
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

    private func startDecoding() throws(RecordError) {
        let first = head
        head = []
        state = .reading
        if let coding = RecordingProbe.coding(of: first.span) {
            do {
                decoder = try ContentDecoder(coding, limits: .files)
            } catch {
                throw codingError(error)
            }
        }
        try decode(first.span)
    }

    private func decode(_ chunk: Span<UInt8>) throws(RecordError) {
        guard let decoder else { return try parse(chunk) }
        // zstd may expand four bytes to 128 KiB: the steps are small.
        var position = 0
        while position < chunk.count {
            let step = min(chunk.count - position, 1024)
            decoded.removeAll(keepingCapacity: decoded.capacity <= 1 << 24)
            var failure: CodingError?
            do {
                try decoder.decode(
                    chunk.extracting(position..<position + step),
                    appendingTo: &decoded
                )
            } catch {
                failure = error
            }
            let bytes = decoded
            decoded = []
            try parse(bytes.span)
            decoded = bytes
            if let failure {
                isDamaged = true
                throw codingError(failure)
            }
            position += step
        }
    }

    private func codingError(_ error: CodingError) -> RecordError {
        RecordError(code: .coding, message: error.message, byte: byteCount)
    }

    private func parse(_ bytes: Span<UInt8>) throws(RecordError) {
        byteCount += bytes.count
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
