// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// Whether bytes are valid UTF-8 (RFC 3629), by a vectorised check with a fast way for ASCII.
/// - Parameter bytes: The bytes.
/// - Returns: True when they are; of no bytes too.
public func isValidUTF8(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return true }
        return unsafe tapline_json_is_utf8(base, buffer.count)
    }
}
