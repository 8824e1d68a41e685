// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Scans the bytes of one file: undoes compression, tells what is in it, and looks at that.
///
/// **Limits**: memory for a window or a record, for each coding around it little more than its own.
final class StreamScan {
    /// What a stream is passed on to, once it is known what it holds.
    private enum Content {
        case unknown
        case text(TextScan)
        case archive(ArchiveScan)
        case inner(ContentDecoder, StreamScan)
    }

    /// What a stream tells of.
    struct Report {
        let hit: (StreamHit, _ codings: [String]) -> Void
        /// Why it, or a part of it, could not be looked at.
        let unread: (String) -> Void
        /// A database came out of it, which is more than its bytes show.
        let database: (StreamScan) -> Void
    }

    private let name: String
    private let codings: [String]
    private let scanner: UnitScanner
    private let report: Report
    private var content = Content.unknown
    private var head: [UInt8] = []
    /// What stands after the place from which on it cannot be decompressed.
    private var tail: TextScan?
    private var space = [UInt8](repeating: 0, count: 1 << 17)
    /// The bytes that were looked at, after decompression.
    private(set) var byteCount = 0
    /// Gets the decompressed bytes too, where they are a database.
    var copy: ((Span<UInt8>) -> Void)?
    private static let maxCodings = 4
    /// Whether it is the bytes of a file as they lie there.
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

    /// Says that the stream has ended.
    func finish() {
        if case .unknown = content { begin() }
        switch content {
        case .unknown: break
        case .text(let text):
            text.finish()
            if text.longLines > 0 {
                report.unread(
                    "what is encoded in \(text.longLines) lines of more than 64 MiB was seen only "
                        + "in parts"
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
        if scanner.takeMetLimit() {
            report.unread("something in it decodes to more than is looked at")
        }
    }

    /// Tells what the stream holds.
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
            report.unread("it is \(format), which is not looked into")
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
        // Of what the user names, any size is fine; what unfolds within that is somebody else's.
        if !codings.isEmpty { limits.maxRatio = 1_000 }
        guard let decoder = try? ContentDecoder(coding, limits: limits) else {
            report.unread("there is no memory to decompress it")
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
            // What came out before an error is looked at all the same.
            inner.append(space.span.extracting(0..<decoder.outputBytes - before))
            guard let isDone else { break }
            if isDone { return }
        }
        // So is what stands after it; `finish` tells of the error.
        let text = text(isBinary: true)
        text.append(chunk.extracting((decoder.inputBytes - first)...))
        tail = text
    }

    /// Decodes some more; returns whether all of the input is done with, or nothing after an error.
    private static func step(
        _ bytes: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ space: inout [UInt8]
    ) -> Bool? {
        var output = space.mutableSpan
        return try? decoder.decode(bytes, into: &output).needsInput
    }
}
