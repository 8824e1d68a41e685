// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// What checks keep from one candidate of a text to the next, and room that they use again.
struct CheckMemory: ~Copyable {
    /// The at sign that was looked at last, where what stands before it begins, and the first
    /// colon in that.
    var lastAtSign: (position: Int, start: Int, colon: Int?) = (-1, 0, nil)
    /// How far connection strings were read, and what was seen there.
    var connection = ConnectionString.Memory()
    /// Decoded base64.
    var decoded: [UInt8] = []
    /// Reads the headers of JSON Web Tokens.
    var parser = JSONParser(maxDepth: 16)

    /// Forgets what it knows of a text.
    mutating func reset() {
        lastAtSign = (-1, 0, nil)
        connection = ConnectionString.Memory()
    }
}
