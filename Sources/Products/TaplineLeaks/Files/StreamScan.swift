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
        case inner(ContentDecoder, StreamScan, CompressedBytes)
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
    /// Decodes the stream as brotli, which has no magic number; its hits count if it is complete.
    private var brotli: ContinuedStream?
    private var brotliHits: [Hit] = []
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
        case .inner(let decoder, let inner, let compressed):
            do {
                try decoder.finish()
            } catch {
                report.unread("\(error.coding.name): \(error.message)")
            }
            inner.finish()
            tail?.finish()
            byteCount += inner.byteCount
            for hit in compressed.finish() { report.hit(hit, codings) }
        }
        finishBrotli()
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
        case .binary:
            content = .text(text(isBinary: true))
            beginBrotli(start.span)
        case .text:
            content = .text(text(isBinary: false))
            beginBrotli(start.span)
        }
        pass(start.span)
    }

    /// Begins to decode the stream as brotli, unless its first bytes are text.
    private func beginBrotli(_ head: Span<UInt8>) {
        guard codings.isEmpty, !RecordScan.guesses(head).isEmpty else { return }
        let scope = scanner.makeScope()
        guard let stream = EmbeddedStream(.brotli, scope.budget) else { return }
        brotli = ContinuedStream(stream, scope, scanner) { [unowned self] in
            brotliHits.append($0)
        }
    }

    private func finishBrotli() {
        guard let brotli else { return }
        brotli.finish()
        // Other bytes may also decode to something at first.
        guard brotli.isComplete else { return }
        var place = LeakPlace()
        place.offset = 0
        for hit in brotliHits { report.hit((hit, place), codings) }
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
        let compressed = CompressedBytes(scanner)
        let inner = Report(
            hit: { [report] found, codings in
                compressed.noteDecoded(found.hit)
                report.hit(found, codings)
            },
            unread: report.unread,
            database: report.database
        )
        content = .inner(
            decoder,
            StreamScan(name: name, codings: codings + [coding.name], scanner, inner),
            compressed
        )
    }

    private func pass(_ chunk: Span<UInt8>) {
        switch content {
        case .unknown: break
        case .text(let text):
            byteCount += chunk.count
            copy?(chunk)
            text.append(chunk)
            brotli?.append(chunk)
        case .archive(let archive):
            byteCount += chunk.count
            archive.append(chunk)
        case .inner(let decoder, let inner, let compressed):
            if let tail { return tail.append(chunk) }
            let count = decode(chunk, decoder, inner)
            compressed.append(chunk.extracting(0..<count))
        }
    }

    /// Decodes bytes; returns how many of them could be decoded.
    private func decode(
        _ chunk: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ inner: StreamScan
    ) -> Int {
        let first = decoder.inputBytes
        while true {
            let before = decoder.outputBytes
            let rest = chunk.extracting((decoder.inputBytes - first)...)
            let isDone = Self.step(rest, decoder, &space)
            // Bytes that were decoded before an error are scanned as well.
            inner.append(space.span.extracting(0..<decoder.outputBytes - before))
            guard let isDone else { break }
            if isDone { return chunk.count }
        }
        // The bytes after the error are scanned as well; `finish` reports the error.
        let text = text(isBinary: true)
        let count = decoder.inputBytes - first
        text.append(chunk.extracting(count...))
        tail = text
        return count
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
