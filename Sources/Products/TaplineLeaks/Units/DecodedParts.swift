// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds encoded parts in bytes, and decodes them.
///
/// **Isolation.** Used by one thread at a time; the closure may call it again with decoded bytes.
final class DecodedParts {
    private let finder = EmbeddedFinder()

    /// Calls a closure with each part: its range, the name of its coding, and its decoded bytes.
    ///
    /// - Parameters:
    ///   - bytes: The bytes to search.
    ///   - limit: Returns how many more bytes may be decoded.
    ///   - body: Receives each part.
    ///   - cutShort: Called if a part decodes to more than the limit, and is therefore not
    ///     complete.
    func forEach(
        in bytes: Span<UInt8>,
        limit: () -> Int,
        _ body: (Range<Int>, String, Span<UInt8>) -> Void,
        cutShort: () -> Void
    ) {
        if let form = finder.wholeForm(of: bytes), form.name == "utf-16" {
            decode(bytes, 0..<bytes.count, form, limit, body, cutShort)
        }
        var runs: [EmbeddedRun] = []
        finder.find(in: bytes, appendingTo: &runs)
        for run in runs {
            decode(bytes, run.range, run.form, limit, body, cutShort)
        }
        forEachStream(in: bytes, limit: limit, body, cutShort: cutShort)
    }

    private func decode(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        _ form: EmbeddedForm,
        _ limit: () -> Int,
        _ body: (Range<Int>, String, Span<UInt8>) -> Void,
        _ cutShort: () -> Void
    ) {
        var decoded: [UInt8] = []
        let run = bytes.extracting(range)
        switch finder.decode(run, from: form, limit: limit(), appendingTo: &decoded) {
        case .decoded: body(range, form.name, decoded.span)
        case .isTooLarge: cutShort()
        case .isNoText: break
        }
    }

    /// Finds compressed streams that begin anywhere in the bytes.
    private func forEachStream(
        in bytes: Span<UInt8>,
        limit: () -> Int,
        _ body: (Range<Int>, String, Span<UInt8>) -> Void,
        cutShort: () -> Void
    ) {
        var position = 0
        while let start = StreamStart.next(in: bytes, from: position) {
            let stream = bytes.extracting(start.position...)
            var decoded: [UInt8] = []
            let outcome = start.decode(stream, limit: limit(), into: &decoded)
            if outcome.metLimit { cutShort() }
            position = start.position + max(outcome.consumed, 1)
            guard !decoded.isEmpty else { continue }
            body(start.position..<position, start.coding.name, decoded.span)
        }
    }
}
