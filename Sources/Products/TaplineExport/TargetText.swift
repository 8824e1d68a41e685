// SPDX-License-Identifier: MIT

internal import TaplineModel

/// A request target in the form that URLs allow (RFC 3986 §3.3, §3.4).
enum TargetText {
    /// The characters of paths and queries; `[` and `]` are used in queries although RFC 3986
    /// reserves them for hosts.
    private static let allowed = Set("-._~!$&'()*+,;=:@/?%[]".utf8)

    /// Percent-encodes what a URL may not contain; existing percent-encoding stays.
    ///
    /// - Parameters:
    ///   - target: The target; any bytes.
    ///   - also: Further characters to encode.
    /// - Returns: ASCII text.
    static func encoded(_ target: [UInt8], also: String = "") -> String {
        var output: [UInt8] = []
        output.reserveCapacity(target.count)
        for (index, byte) in target.enumerated() {
            let isKept = byte.isLetter || byte.isDigit || allowed.contains(byte)
            if isKept, !also.utf8.contains(byte), byte != .ascii("%") || isEncoded(target, index) {
                output.append(byte)
            } else {
                output += PercentEncoding.encode([byte].span)
            }
        }
        return String(decoding: output, as: UTF8.self)
    }

    /// Whether the percent sign at an index begins an encoded byte.
    private static func isEncoded(_ target: [UInt8], _ index: Int) -> Bool {
        index + 2 < target.count && target[index + 1].hexDigit != nil
            && target[index + 2].hexDigit != nil
    }

    /// Whether the path has segments that clients remove (RFC 3986 §5.2.4).
    static func hasDotSegments(_ target: [UInt8]) -> Bool {
        let path = target.prefix { $0 != .ascii("?") }
        return path.split(separator: .ascii("/")).contains { segment in
            let text = String(decoding: segment, as: UTF8.self).lowercased()
                .replacing("%2e", with: ".")
            return text == "." || text == ".."
        }
    }

    /// Whether the target ends with an empty query, which some clients remove.
    static func hasEmptyQuery(_ target: [UInt8]) -> Bool {
        target.firstIndex(of: .ascii("?")) == target.count - 1
    }

    /// Whether a percent-encoded byte has lower-case digits, which some clients change.
    static func hasLowerCaseEncoding(_ target: [UInt8]) -> Bool {
        for index in target.indices where target[index] == .ascii("%") && isEncoded(target, index) {
            if target[index + 1] >= .ascii("a") || target[index + 2] >= .ascii("a") { return true }
        }
        return false
    }
}
