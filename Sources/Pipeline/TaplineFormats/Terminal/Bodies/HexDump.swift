// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Writes binary content as hexadecimal bytes with offsets, as `hexdump -C` does.
enum HexDump {
    private static let perLine = 16

    /// Writes all bytes.
    static func write(_ bytes: Span<UInt8>, to lines: inout PrettyText) {
        var line: [UInt8] = []
        var start = 0
        while start < bytes.count, !lines.isDone {
            let end = min(start + perLine, bytes.count)
            line.removeAll(keepingCapacity: true)
            fill(&line, bytes.extracting(start..<end), offset: start)
            lines.begin()
            lines.putSafe(line.span)
            lines.end()
            start = end
        }
    }

    /// Fills a line: `00000010  68 69 0a  |hi.|`.
    private static func fill(_ line: inout [UInt8], _ bytes: Span<UInt8>, offset: Int) {
        for shift in stride(from: 28, through: 0, by: -4) {
            line.append(digit(UInt8(truncatingIfNeeded: offset >> shift) & 0xF))
        }
        for index in 0..<perLine {
            line.append(.ascii(" "))
            if index % 8 == 0 { line.append(.ascii(" ")) }
            if index < bytes.count {
                line.append(digit(bytes[index] >> 4))
                line.append(digit(bytes[index] & 0xF))
            } else {
                line.append(.ascii(" "))
                line.append(.ascii(" "))
            }
        }
        line.append(copying: "  |".utf8.span)
        for index in bytes.indices {
            let byte = bytes[index]
            line.append(0x20..<0x7F ~= byte ? byte : .ascii("."))
        }
        line.append(.ascii("|"))
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}
