// SPDX-License-Identifier: MIT

internal import CByteScan
internal import TaplineBytes

/// Recognises texts in JSON whose strings are what they say.
package enum CodedStrings {
    /// Returns whether strings of a text in JSON may be escaped, or be declared as coded.
    ///
    /// The key or value `base64` and the key `coding` declare that. Most texts have neither these nor
    /// escapes, and need not be parsed to know their strings.
    package static func mayOccur(in bytes: Span<UInt8>) -> Bool {
        var position = 0
        while true {
            position = unsafe bytes.search(from: position) {
                unsafe tapline_next_string_mark($0, $1, $2)
            }
            guard position < bytes.count else { return false }
            if bytes[position] == UInt8(ascii: "\\") { return true }
            // A quote and six letters.
            if position >= 6 {
                let word = bytes.extracting(position - 6...position)
                if word.starts(with: "\"base64") || word.starts(with: "\"coding") { return true }
            }
            position += 1
        }
    }
}
