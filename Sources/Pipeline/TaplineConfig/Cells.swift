// SPDX-License-Identifier: MIT

/// Text for a terminal: pieces that each take a number of columns.
struct Cells {
    private var pieces: [(text: String, width: Int)] = []
    /// The total number of columns.
    private(set) var width = 0

    /// Creates an empty text.
    private init() {}

    /// Creates the pieces of a part of a line that begins at a column, which determines the tab
    /// stops.
    ///
    /// Bytes that are not UTF-8 become U+FFFD. A tab becomes spaces up to the next multiple of 4
    /// columns.
    init(_ bytes: ArraySlice<UInt8>, column: Int) {
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            if scalar == "\t" {
                let count = 4 - (column + width) % 4
                append(String(repeating: " ", count: count), count)
            } else if let escaped = ExcerptRenderer.escaped(scalar) {
                append(escaped, escaped.utf8.count)
            } else {
                append(String(scalar), Self.columns(of: scalar))
            }
        }
    }

    /// The text of all pieces.
    var text: String {
        pieces.reduce(into: "") { $0 += $1.text }
    }

    /// Returns the pieces from the front that fit into a number of columns.
    func prefix(width limit: Int) -> Cells {
        var result = Cells()
        for piece in pieces {
            guard result.width + piece.width <= limit else { break }
            result.append(piece.text, piece.width)
        }
        return result
    }

    /// Returns the pieces from the back that fit into a number of columns.
    func suffix(width limit: Int) -> Cells {
        var result = Cells()
        var taken = 0
        for piece in pieces.reversed() {
            guard taken + piece.width <= limit else { break }
            taken += piece.width
            result.pieces.append(piece)
        }
        result.pieces.reverse()
        result.width = taken
        return result
    }

    static func + (left: Cells, right: Cells) -> Cells {
        var result = left
        result.pieces += right.pieces
        result.width += right.width
        return result
    }

    private mutating func append(_ text: String, _ columns: Int) {
        pieces.append((text, columns))
        width += columns
    }

    /// Returns the columns of a scalar on a terminal: 0 for marks, 2 for East Asian wide characters
    /// and emoji (Unicode TR #11; ranges rounded to blocks).
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        guard scalar.value >= 0x300 else { return 1 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        let wide: [ClosedRange<UInt32>] = [
            0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3,
            0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1FAFF, 0x20000...0x3FFFD,
        ]
        return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
}

extension ExcerptRenderer {
    /// Returns `\n`, `\x1B` or `\u{202E}` for a scalar that must not reach a terminal: controls,
    /// line separators, and marks that change the direction of text; `nil` for all others.
    static func escaped(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\n": return "\\n"
        case "\r": return "\\r"
        case "\t": return "\\t"
        default: break
        }
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0:
            let hex = String(scalar.value, radix: 16, uppercase: true)
            return "\\x" + (hex.utf8.count < 2 ? "0" : "") + hex
        case 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF:
            return "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        default:
            return nil
        }
    }
}
