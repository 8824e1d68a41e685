// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Compressed data that did not end in the window in which it began, and is decoded with the bytes
/// after the window.
///
/// The decoded bytes are scanned in windows of their own, which overlap. Each kind of hit is
/// reported once for the stream.
///
/// **Limits.** It holds a window and a decoder in memory. If there are too many of them, or the
/// budget of the window in which the stream began is used up, the rest is not scanned, which is
/// noted.
///
/// **Isolation.** Used by one thread at a time.
final class ContinuedStream {
    /// The kind of a hit, and the codings around it.
    private struct Known: Hashable {
        let kind: Int
        let codings: [String]
    }

    private enum Step {
        /// There is more output.
        case more
        /// All input is consumed.
        case needsInput
        case ended
        case metLimit
    }

    private let decoder: ContentDecoder
    private let scanner: UnitScanner
    private let budget: DecodingBudget
    /// Scans the decoded bytes; `nil` once the stream has ended.
    private var inner: TextScan?
    private var space = [UInt8](repeating: 0, count: 1 << 17)

    /// Begins with what is decoded already; `nil` if the stream does not go on, or there are too
    /// many streams.
    ///
    /// - Parameters:
    ///   - stream: The stream.
    ///   - scope: The scope of the window in which it began.
    ///   - scanner: The scanner of the window.
    ///   - report: Receives the hits; their range is meaningless.
    init?(
        _ stream: EmbeddedStream,
        _ scope: UnitScanner.Scope,
        _ scanner: UnitScanner,
        report: @escaping (Hit) -> Void
    ) {
        guard case .open(let decoder) = stream.end else { return nil }
        guard scanner.beginContinuedStream() else {
            scanner.noteLimit()
            return nil
        }
        self.decoder = decoder
        self.scanner = scanner
        budget = scope.budget
        var known: Set<Known> = []
        let inner = TextScan(isBinary: true, scanner, scope: scope.inner()) { hit, _ in
            let codings = [stream.coding.name] + hit.codings
            guard known.insert(Known(kind: hit.kind, codings: codings)).inserted else { return }
            report(Hit(range: 0..<1, kind: hit.kind, codings: codings))
        }
        self.inner = inner
        inner.append(stream.decoded.span)
    }

    deinit {
        if inner != nil { scanner.endContinuedStream() }
    }

    var isOpen: Bool { inner != nil }

    /// Whether the end of the data, or of its first member or frame, was reached.
    var isComplete: Bool { decoder.completeBytes.input > 0 }

    /// Takes the next bytes; those after the end of the stream are ignored.
    func append(_ bytes: Span<UInt8>) {
        guard let inner else { return }
        let first = decoder.inputBytes
        while true {
            let (input, output) = (decoder.inputBytes, decoder.outputBytes)
            let step = decode(bytes.extracting((input - first)...))
            let count = decoder.outputBytes - output
            // Input without output takes time as well.
            budget.take(max(count, decoder.inputBytes - input))
            inner.append(space.span.extracting(0..<count))
            // Further members or frames begin in other windows.
            if decoder.completeBytes.input > 0 { return finish() }
            switch step {
            case .more where budget.isUsedUp, .needsInput where budget.isUsedUp, .metLimit:
                scanner.noteLimit()
                return finish()
            case .ended: return finish()
            case .needsInput: return
            case .more: continue
            }
        }
    }

    /// Ends the stream, and scans what is left of it.
    func finish() {
        guard let inner else { return }
        inner.finish()
        self.inner = nil
        scanner.endContinuedStream()
    }

    private func decode(_ bytes: Span<UInt8>) -> Step {
        do {
            return try Self.needsInput(bytes, decoder, &space) ? .needsInput : .more
        } catch {
            return error.isLimit ? .metLimit : .ended
        }
    }

    /// Decodes some input; returns whether all of it is consumed.
    private static func needsInput(
        _ bytes: Span<UInt8>,
        _ decoder: ContentDecoder,
        _ space: inout [UInt8]
    ) throws(CodingError) -> Bool {
        var output = space.mutableSpan
        return try decoder.decode(bytes, into: &output).needsInput
    }
}

extension [ContinuedStream] {
    /// Feeds bytes to all streams, and removes those that have ended.
    mutating func append(_ bytes: Span<UInt8>) {
        for stream in self { stream.append(bytes) }
        removeAll { !$0.isOpen }
    }
}
