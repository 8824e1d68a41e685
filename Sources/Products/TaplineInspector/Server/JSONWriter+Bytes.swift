// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel
internal import TaplineServe

/// Strings of bytes.
extension JSONWriter {
    /// Writes bytes as a string; what is not UTF-8 becomes U+FFFD.
    mutating func text(_ bytes: Span<UInt8>) {
        if string(ifValid: bytes) { return }
        string(String(decoding: Array(copying: bytes), as: UTF8.self))
    }

    mutating func member(_ name: StaticString, _ bytes: Span<UInt8>) {
        key(name)
        text(bytes)
    }
}

extension ServedResponse {
    /// Makes an answer from JSON.
    init(json: borrowing JSONWriter, status: Int = 200) {
        self.init(status, type: "application/json", Array(copying: json.bytes))
    }

    /// Makes an answer without content.
    static var noContent: ServedResponse { ServedResponse(204) }
}
