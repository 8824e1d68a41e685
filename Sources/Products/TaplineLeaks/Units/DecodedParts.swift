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
        while let start = CompressedStart.next(in: bytes, from: position) {
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

/// A position where a compressed stream may begin, according to its magic number.
struct CompressedStart {
    let position: Int
    let coding: ContentCoding

    /// Returns the first one at or after a position.
    static func next(in bytes: Span<UInt8>, from start: Int) -> CompressedStart? {
        var position = start
        var checked = start
        while position + 8 <= bytes.count {
            if position >= checked {
                // Most of a text is skipped a block at a time.
                checked = min(position + block, bytes.count)
                if !mayBegin(in: bytes.extracting(position..<min(checked + 1, bytes.count))) {
                    position = checked
                    continue
                }
            }
            let byte = bytes[position]
            if byte == 0x1F || byte == 0x28 || byte == 0x78,
                let coding = coding(at: position, of: bytes)
            {
                return CompressedStart(position: position, coding: coding)
            }
            position += 1
        }
        return nil
    }

    private static let block = 4096

    /// Returns whether the bytes contain a byte from the first two of a magic number.
    private static func mayBegin(in bytes: Span<UInt8>) -> Bool {
        bytes.containsAny(of: 0x8B, 0xB5, 0x9C, 0xDA)
            || bytes.containsAny(of: 0x01, 0x5E, 0x01, 0x5E)
    }

    /// Recognises gzip (RFC 1952 §2.3), zstd (RFC 8878 §3.1.1) and zlib with its usual window (RFC
    /// 1950 §2.2).
    private static func coding(at position: Int, of bytes: Span<UInt8>) -> ContentCoding? {
        switch bytes[position] {
        case 0x1F:
            bytes[position + 1] == 0x8B && bytes[position + 2] == 8 ? .gzip : nil
        case 0x28:
            bytes[position + 1] == 0xB5 && bytes[position + 2] == 0x2F
                && bytes[position + 3] == 0xFD ? .zstd : nil
        default:
            [0x01, 0x5E, 0x9C, 0xDA].contains(bytes[position + 1])
                && bytes[position + 2] & 7 <= 5 ? .deflate : nil
        }
    }

    /// Decodes as much of the stream as there is, whatever follows it.
    func decode(
        _ stream: Span<UInt8>,
        limit: Int,
        into output: inout [UInt8]
    ) -> (consumed: Int, metLimit: Bool) {
        let limits = DecodingLimits(
            maxOutputBytes: max(limit, 0),
            maxRatio: 0,
            maxZstdWindowLog: 27
        )
        guard let decoder = try? ContentDecoder(coding, limits: limits) else { return (0, true) }
        do {
            try decoder.decode(stream, appendingTo: &output)
        } catch {
            if error.code == .outputLimit { return (decoder.inputBytes, true) }
            // A zlib header that occurs by chance decodes to a few meaningless bytes.
            if coding == .deflate, output.count < 8 { output = [] }
        }
        return (decoder.inputBytes, false)
    }
}
