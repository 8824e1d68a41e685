// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// What checks keep from one candidate of a text to the next, and room that they use again.
struct CheckMemory: ~Copyable {
    /// The at sign that was looked at last.
    struct LastAtSign {
        var position = -1
        /// Where the at signs begin that stand side by side with it.
        var row = 0
        /// Where what stands before them begins.
        var start = 0
        /// The first colon in that.
        var colon: Int?
    }

    var lastAtSign = LastAtSign()
    /// How far connection strings were read, and what was seen there.
    var connection = ConnectionString.Memory()
    /// Decoded base64.
    var decoded: [UInt8] = []
    /// Reads the headers of JSON Web Tokens.
    var parser = JSONParser(maxDepth: 16)

    /// Forgets what it knows of a text.
    mutating func reset() {
        lastAtSign = LastAtSign()
        connection = ConnectionString.Memory()
    }
}
