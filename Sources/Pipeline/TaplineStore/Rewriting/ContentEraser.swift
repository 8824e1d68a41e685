// SPDX-License-Identifier: MIT

package import TaplineCodings

/// Removes values from the parts of stored exchanges.
///
/// Its results must contain no value in any form: they are written as they are.
package protocol ContentEraser {
    /// Returns whether several texts, JSON or not, certainly have no values, and no part that is too
    /// large to be searched; each text has a quote after it.
    ///
    /// `false` only makes them be searched one by one.
    func areClean(_ texts: Span<UInt8>) -> Bool

    /// Removes the values from text or bytes; `nil` if there are none.
    func erase(text: Span<UInt8>) -> ErasedContent?

    /// Removes the values from a JSON object, which stays one; `nil` if there are none.
    ///
    /// The result is empty if the object cannot be kept.
    func erase(json: Span<UInt8>) -> ErasedContent?

    /// Removes the values from a body that may have one of several lists of codings, and encodes
    /// it again; `nil` if there are none.
    func erase(body: Span<UInt8>, codings: [[ContentCoding]]) -> ErasedContent?

    /// Whether a part was too large to be searched since the last call.
    func takeMetLimit() -> Bool

    /// How many members of JSON objects have got the name of another member since the last call.
    func takeJoinedNames() -> Int
}

/// Makes erasers of the same values, one for each thread.
package typealias MakeContentEraser = @Sendable () throws -> any ContentEraser

/// Content from which values were removed.
package struct ErasedContent: Sendable {
    /// The new bytes.
    package let bytes: [UInt8]
    /// How many occurrences were removed.
    package let count: Int

    /// Creates content.
    ///
    /// - Parameters:
    ///   - bytes: The new bytes.
    ///   - count: How many occurrences were removed.
    package init(_ bytes: [UInt8], count: Int) {
        self.bytes = bytes
        self.count = count
    }
}
