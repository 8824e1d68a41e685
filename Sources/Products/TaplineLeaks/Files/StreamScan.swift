// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Scans the bytes of one file: decompresses them, determines their kind and scans the content.
///
/// **Limits.** It holds a window or a record in memory, and little more for each coding around it.
final class StreamScan {
    /// The next step of the stream, once its kind is known.
    private enum Content {
        case unknown
        case text(TextScan)
        case archive(ArchiveScan)
        case inner(ContentDecoder, StreamScan)
    }

    /// The callbacks of a stream.
    struct Report {
        let hit: (StreamHit, _ codings: [String]) -> Void
        /// Receives the reason why the stream, or a part of it, could not be scanned.
        let unread: (String) -> Void
        /// Receives a stream that contains a database, which must also be scanned through SQLite.
        let database: (StreamScan) -> Void
    }

    private let name: String
    private let codings: [String]
    private let scanner: UnitScanner
    private let report: Report
    private var content = Content.unknown
    private var head: [UInt8] = []
    /// Scans the bytes after the point where decompression failed.
    private var tail: TextScan?
    private var space = [UInt8](repeating: 0, count: 1 << 17)
    /// Whether it was reported as a format that is not supported.
    private var isClosed = false
    /// Whether a part was reported that was not decoded.
    private(set) var hasMetLimit = false
    /// The number of scanned bytes, after decompression.
    private(set) var byteCount = 0
    /// Also receives the decompressed bytes if they are a database.
    var copy: ((Span<UInt8>) -> Void)?
    private static let maxCodings = 4
    /// Whether the stream is the unmodified content of a file.
    var isWholeFile: Bool { codings.isEmpty }

    init(name: String, codings: [String] = [], _ scanner: UnitScanner, _ report: Report) {
        self.name = name
        self.codings = codings
        self.scanner = scanner
        self.report = report
    }

    /// Takes the next bytes.
    func append(_ chunk: Span<UInt8>) {
        guard case .unknown = content else { return pass(chunk) }
        head.append(copying: chunk)
        if head.count >= ContentKind.headBytes { begin() }
    }

    /// Ends the stream.
    func finish() {
        if case .unknown = content { begin() }
        switch content {
        case .unknown: break
        case .text(let text):
            text.finish()
            if text.longLines > 0 {
                report.unread(
                    "\(text.longLines) lines are longer than 64 MiB; encoded data in them was "
                        + "scanned only in parts"
                )
            }
        case .archive(let archive): archive.finish()
        case .inner(let decoder, let inner):
            do {
                try decoder.finish()
            } catch {
                report.unread("\(error.coding.name): \(error.message)")
            }
            inner.finish()
            tail?.finish()
            byteCount += inner.byteCount
        }
        if scanner.takeMetLimit(), !isClosed {
            hasMetLimit = true
            report.unread(UnitScanner.limitReason)
        }
    }

    /// Determines the kind of the stream.
    private func begin() {
        let start = head
        head = []
        switch ContentKind(start.span, name: name) {
        case .compressed(let coding) where codings.count < Self.maxCodings:
            open(coding)
        case .compressed:
            report.unread("it is compressed more than \(Self.maxCodings) times")
            content = .text(text(isBinary: true))
        case .archive:
            content = .archive(
                ArchiveScan(scanner) { [report, codings] in report.hit($0, codings) }
            )
        case .database:
            report.database(self)
            content = .text(text(isBinary: true))
        case .closed(let format):
            report.unread("it is \(format); only its raw bytes were scanned")
            isClosed = true
            content = .text(text(isBinary: true))
        case .binary: content = .text(text(isBinary: true))
        case .text: content = .text(text(isBinary: false))
        }
        pass(start.span)
    }

    private func text(isBinary: Bool) -> TextScan {
        TextScan(isBinary: isBinary, scanner) { [report, codings] in report.hit($0, codings) }
    }

    private func open(_ coding: ContentCoding) {
        var limits = DecodingLimits.files
        // The user chose the outer file, so any ratio is fine; nested data may be hostile.
        if !codings.isEmpty { limits.maxRatio = 1_000 }
        guard let decoder = try? ContentDecoder(coding, limits: limits) else {
            report.unread("out of memory to decompress it")
            content = .text(text(isBinary: true))
            return
        }
        var name = name
        if let dot = name.lastIndex(of: ".") { name = String(name[..<dot]) }
        content = .inner(
            decoder,
            StreamScan(name: name, codings: codings + [coding.name], scanner, report)
        )
    }

    private func pass(_ chunk: Span<UInt8>) {
        switch content {
        case .unknown: break
        case .text(let text):
            byteCount += chunk.count
            copy?(chunk)
            text.append(chunk)
        case .archive(let archive):
            byteCount += chunk.count
            archive.append(chunk)
        case .inner(let decoder, let inner):
            decode(chunk, decoder, inner)
        }
    }

    private func decode(_ chunk: Span<UInt8>, _ decoder: ContentDecoder, _ inner: StreamScan) {
        if let tail { return tail.append(chunk) }
        let first = decoder.inputBytes
        while true {
            let before = decoder.outputBytes
            let rest = chunk.extracting((decoder.inputBytes - first)...)
            let isDone = Self.step(rest, decoder, &space)
            // Bytes that were decoded before an error are scanned as well.
            inner.append(space.span.extracting(0..<decoder.outputBytes - before))
            guard let isDone else { break }
            if isDone { return }
        }
        // The bytes after the error are scanned as well; `finish` reports the error.
        let text = text(isBinary: true)
        text.append(chunk.extracting((decoder.inputBytes - first)...))
        tail = text
    }

    /// Decodes some input; returns whether all of it is consumed, or `nil` after an error.
    private static func step(
        _ bytes: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ space: inout [UInt8]
    ) -> Bool? {
        var output = space.mutableSpan
        return try? decoder.decode(bytes, into: &output).needsInput
    }
}
