// SPDX-License-Identifier: MIT

internal import TaplineModel

/// What a child writes to standard error, on its way to the log.
///
/// Lines are cut and cleaned, and only a limited number per second is passed on.
package struct ErrorLines {
    private let maxLines: Int
    private var assembler: LineAssembler
    private var second: Int64 = .min
    private var passed = 0
    private var dropped = 0

    /// Creates a filter.
    ///
    /// - Parameters:
    ///   - maxBytes: The longest line; longer ones are left out.
    ///   - maxLines: How many lines are passed on in a second.
    package init(maxBytes: Int, maxLines: Int) {
        assembler = LineAssembler(maxBytes: maxBytes)
        self.maxLines = maxLines
    }

    /// Takes the next bytes; returns the lines for the log.
    package mutating func append(
        _ bytes: Span<UInt8>,
        isEnd: Bool = false,
        now: Int64
    ) -> [String] {
        var texts: [String] = []
        assembler.append(bytes, isEnd: isEnd) { _, line in
            if let line {
                texts.append(Self.text(line))
            } else {
                texts.append("(a line that is too long)")
            }
        }
        var shown: [String] = []
        if now / 1_000_000 != second {
            second = now / 1_000_000
            passed = 0
            if dropped > 0 { shown.append("(\(dropped) more lines)") }
            dropped = 0
        }
        for text in texts {
            if passed < maxLines { shown.append(text) } else { dropped += 1 }
            passed += 1
        }
        return shown
    }

    private static func text(_ line: Span<UInt8>) -> String {
        String(decoding: Array(copying: line), as: UTF8.self).showingControls([:])
    }
}
