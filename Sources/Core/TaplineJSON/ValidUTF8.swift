// SPDX-License-Identifier: MIT

internal import CSimdjsonShims

/// Returns whether bytes are valid UTF-8 (RFC 3629); vectorised, with a fast path for ASCII.
///
/// - Parameter bytes: The bytes.
/// - Returns: Whether they are valid; `true` if there are no bytes.
package func isValidUTF8(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { return true }
        return unsafe tapline_json_is_utf8(base, buffer.count)
    }
}
