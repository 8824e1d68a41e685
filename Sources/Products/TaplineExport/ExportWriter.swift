// SPDX-License-Identifier: MIT

package import TaplineFormats
package import TaplinePlugin

/// Writes records in the format of another tool.
///
/// **Shape**: call `start` once, then `write` for any number of records, then `finish`; without
/// `finish` the output may be incomplete. Each call appends to the output, and returns what the
/// format cannot represent.
/// **Isolation**: one thread at a time.
package protocol ExportWriter {
    /// Begins the output.
    ///
    /// - Parameter output: Where to append.
    /// - Returns: What could not be represented.
    mutating func start(to output: inout [UInt8]) -> LossReport

    /// Writes one record.
    ///
    /// - Parameters:
    ///   - record: The record.
    ///   - output: Where to append.
    /// - Returns: What could not be represented.
    mutating func write(_ record: Record, to output: inout [UInt8]) -> LossReport

    /// Ends the output.
    ///
    /// - Parameter output: Where to append.
    /// - Returns: What could not be represented.
    mutating func finish(to output: inout [UInt8]) -> LossReport
}

extension ExportWriter {
    /// Formats without a head.
    package mutating func start(to output: inout [UInt8]) -> LossReport { LossReport() }

    /// Formats without an end.
    package mutating func finish(to output: inout [UInt8]) -> LossReport { LossReport() }
}

extension [UInt8] {
    /// Appends the UTF-8 of a text.
    mutating func put(_ text: String) { append(contentsOf: text.utf8) }

    /// Appends the UTF-8 of a text and a line feed.
    mutating func line(_ text: String) {
        put(text)
        append(0x0A)
    }
}
