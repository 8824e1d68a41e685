// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// State that checks share between the candidates of a text, and reusable buffers.
struct CheckMemory: ~Copyable {
    /// The at sign that was examined last.
    struct LastAtSign {
        var position = -1
        /// The start of the run of adjacent at signs that it belongs to.
        var row = 0
        /// The start of the text before that run that may be a name and a password.
        var start = 0
        /// The first colon in that text.
        var colon: Int?
    }

    var lastAtSign = LastAtSign()
    /// How far connection strings were read, and the keys that were found.
    var connection = ConnectionString.Memory()
    /// A buffer for decoded base64.
    var decoded: [UInt8] = []
    /// The parser for the headers of JSON Web Tokens.
    var parser = JSONParser(maxDepth: 16)

    /// Discards the state of the previous text.
    mutating func reset() {
        lastAtSign = LastAtSign()
        connection = ConnectionString.Memory()
    }
}
