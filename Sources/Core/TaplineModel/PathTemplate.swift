// SPDX-License-Identifier: MIT

/// The common form of a route's paths: `/users/{id}/orders` for `/users/17/orders`.
///
/// A segment becomes `{id}` if it is a number (including dates, versions like `1.2` and ranges), a
/// UUID, a hexadecimal string of at least 8 characters with a digit in it, or longer than 64 bytes.
/// What exceeds the limits on segments and bytes becomes `**`.
package enum PathTemplate {
    static let maxSegments = 24
    static let maxSegmentBytes = 64
    static let maxBytes = 240

    /// Writes the template of a path, replacing the buffer's content.
    ///
    /// - Parameters:
    ///   - path: The path, without query.
    ///   - output: Receives the template.
    package static func make(_ path: Span<UInt8>, into output: inout [UInt8]) {
        output.removeAll(keepingCapacity: true)
        var start = 0
        var segments = 0
        while start <= path.count {
            let end = path.firstIndex(of: .ascii("/"), from: start) ?? path.count
            let segment = path.extracting(start..<end)
            if start > 0 { output.append(.ascii("/")) }
            segments += 1
            if segments > maxSegments || output.count + segment.count > maxBytes {
                output.append(copying: "**".utf8.span)
                return
            }
            if isVariable(segment) {
                output.append(copying: "{id}".utf8.span)
            } else {
                output.append(copying: segment)
            }
            start = end + 1
        }
    }

    /// Whether a segment identifies one of many objects: a number, a UUID, a hash.
    package static func isVariable(_ segment: Span<UInt8>) -> Bool {
        guard !segment.isEmpty else { return false }
        if segment.count > maxSegmentBytes { return true }
        var digits = 0
        var letters = 0
        var marks = 0
        for index in segment.indices {
            switch segment[index] {
            case 0x30...0x39: digits += 1
            case 0x41...0x46, 0x61...0x66: letters += 1
            case .ascii("-"), .ascii("."), .ascii("_"), .ascii(":"), .ascii(","): marks += 1
            default: return false
            }
        }
        if letters == 0 { return digits > 0 }
        if marks == 0 { return digits > 0 && segment.count >= 8 }
        return segment.count == 36 && marks == 4 && isUUID(segment)
    }

    private static func isUUID(_ segment: Span<UInt8>) -> Bool {
        segment[8] == .ascii("-") && segment[13] == .ascii("-") && segment[18] == .ascii("-")
            && segment[23] == .ascii("-")
    }
}
