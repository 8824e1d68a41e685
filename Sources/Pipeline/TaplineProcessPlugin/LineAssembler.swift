// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Splits what a child writes into lines, for any division into chunks.
///
/// A line that exceeds the limit is dropped as it arrives.
package struct LineAssembler {
    private let maxBytes: Int
    private var part: [UInt8] = []
    private var isDropping = false
    /// The number of the last line, from 1.
    package private(set) var line = 0

    /// Creates an assembler of lines up to a length.
    package init(maxBytes: Int) { self.maxBytes = maxBytes }

    /// Takes the next bytes.
    ///
    /// - Parameters:
    ///   - chunk: The bytes.
    ///   - isEnd: Whether the stream ends after them, so that the rest is a line, too.
    ///   - body: Called with each line that is not blank; with `nil` for one that is too long.
    package mutating func append(
        _ chunk: Span<UInt8>,
        isEnd: Bool = false,
        _ body: (Int, Span<UInt8>?) -> Void
    ) {
        var start = 0
        while let end = chunk.firstIndex(of: 0x0A, inLongTextFrom: start) {
            finish(chunk.extracting(start..<end), body)
            start = end + 1
        }
        let rest = chunk.extracting(start..<chunk.count)
        if !isDropping {
            if part.count + rest.count > maxBytes {
                isDropping = true
                part = []
            } else {
                part.append(copying: rest)
            }
        }
        if isEnd, isDropping || !part.isEmpty { finish(Span(), body) }
    }

    private mutating func finish(_ rest: Span<UInt8>, _ body: (Int, Span<UInt8>?) -> Void) {
        line += 1
        defer {
            isDropping = false
            part.removeAll(keepingCapacity: part.capacity <= 1 << 20)
        }
        if isDropping || part.count + rest.count > maxBytes { return body(line, nil) }
        if part.isEmpty {
            if !rest.isBlank { body(line, rest) }
            return
        }
        part.append(copying: rest)
        if !part.span.isBlank { body(line, part.span) }
    }
}

extension Span<UInt8> {
    fileprivate var isBlank: Bool {
        for index in indices {
            switch self[index] {
            case 0x20, 0x09, 0x0D: continue
            default: return false
            }
        }
        return true
    }
}
