// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// Finds the parts of some bytes that hold other bytes in a coding, and decodes them.
///
/// **Isolation**: one thread at a time; the closure may come back with what was decoded.
final class DecodedParts {
    private let finder = EmbeddedFinder()

    /// Calls with each part, where it stands, the word for its coding, and what it decodes to.
    ///
    /// - Parameters:
    ///   - bytes: Where to look.
    ///   - limit: How many bytes may be decoded yet.
    ///   - body: Gets each part.
    ///   - cutShort: Called when a part decodes to more than the limit, of which no more is seen.
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

    /// Compressed streams, wherever in the bytes they begin.
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

/// Where a compressed stream may begin, by the bytes that its format begins with.
struct CompressedStart {
    let position: Int
    let coding: ContentCoding

    /// The first at or after a position.
    static func next(in bytes: Span<UInt8>, from start: Int) -> CompressedStart? {
        var position = start
        var checked = start
        while position + 8 <= bytes.count {
            if position >= checked {
                // Of text, most is passed over a block at a time.
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

    /// Whether there is any of the bytes that one of the heads has in its first two.
    private static func mayBegin(in bytes: Span<UInt8>) -> Bool {
        bytes.containsAny(of: 0x8B, 0xB5, 0x9C, 0xDA)
            || bytes.containsAny(of: 0x01, 0x5E, 0x01, 0x5E)
    }

    /// gzip (RFC 1952 §2.3), zstd (RFC 8878 §3.1.1), zlib with its usual window (RFC 1950 §2.2).
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

    /// Decodes as much as there is of the stream, whatever stands after it.
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
            // What chance makes look like a beginning decodes to a few bytes of nonsense.
            if coding == .deflate, output.count < 8 { output = [] }
        }
        return (decoder.inputBytes, false)
    }
}
