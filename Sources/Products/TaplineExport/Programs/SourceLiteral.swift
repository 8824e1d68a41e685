// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Texts and bytes as literals of programming languages.
enum SourceLiteral {
    /// A string of JavaScript, in double quotes.
    ///
    /// It is also safe within a `<script>` element.
    static func javaScript(_ text: String) -> String {
        quoted(text) { scalar in
            switch scalar {
            case "\u{2028}", "\u{2029}", "<": "\\u\(hex(scalar.value, 4))"
            default: scalar.isControl ? "\\u\(hex(scalar.value, 4))" : nil
            }
        }
    }

    /// A string of Swift, in double quotes; no interpolation begins in it.
    static func swift(_ text: String) -> String {
        quoted(text) { $0.isControl ? "\\u{\(String($0.value, radix: 16))}" : nil }
    }

    /// A string of Python, in double quotes.
    static func python(_ text: String) -> String {
        quoted(text) { scalar in
            guard scalar.isControl else { return nil }
            return scalar.value < 0x100
                ? "\\x\(hex(scalar.value, 2))" : "\\u\(hex(scalar.value, 4))"
        }
    }

    /// A bytes literal of Python.
    static func python(bytes: [UInt8]) -> String {
        var output = "b\""
        for byte in bytes {
            switch byte {
            case 0x0A: output += "\\n"
            case 0x0D: output += "\\r"
            case 0x09: output += "\\t"
            case .ascii("\""), .ascii("\\"):
                output += "\\"
                output.unicodeScalars.append(Unicode.Scalar(byte))
            case 0x20...0x7E: output.unicodeScalars.append(Unicode.Scalar(byte))
            default: output += "\\x\(byte.hexDigits)"
            }
        }
        return output + "\""
    }

    private static func quoted(_ text: String, _ escape: (Unicode.Scalar) -> String?) -> String {
        var output = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += "\\\(scalar)"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            default:
                if let escaped = escape(scalar) {
                    output += escaped
                } else {
                    output.unicodeScalars.append(scalar)
                }
            }
        }
        return output + "\""
    }

    private static func hex(_ value: UInt32, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, count - digits.count)) + digits
    }
}

extension Unicode.Scalar {
    /// Whether this cannot be read in source text: controls, marks of direction, and U+FEFF.
    fileprivate var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
