// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// Why a recording, or one record of it, cannot be read, and where.
///
/// The message names keys and kinds, never values, since recordings may contain confidential data.
package struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    package struct Code: Equatable, Sendable {
        enum Value {
            case notJSON, wrongShape, cutOff, tooLarge, coding, notRecording
        }

        let value: Value

        /// A record is not JSON.
        package static let notJSON = Code(value: .notJSON)
        /// A record is JSON, but not a valid record of its format.
        package static let wrongShape = Code(value: .wrongShape)
        /// The input ends inside the last record, as after a crash of the writer.
        package static let cutOff = Code(value: .cutOff)
        /// A record is larger than the limit.
        package static let tooLarge = Code(value: .tooLarge)
        /// The compressed data of the file is invalid.
        package static let coding = Code(value: .coding)
        /// The file's format is unknown.
        package static let notRecording = Code(value: .notRecording)
    }

    /// The kind of error.
    package let code: Code
    /// What was found, and what was expected.
    package let message: String
    /// The file's name as given; empty if there is none.
    package var file: String
    /// The line, counted from 1; 0 if unknown.
    package var line: Int
    /// The column in characters, counted from 1; 0 if unknown, as for recordings.
    package var column: Int
    /// The byte, counted from 0: in the decompressed file, or in the record if `line` is 0.
    package var byte: Int

    /// Creates an error at a byte.
    package init(
        code: Code,
        message: String,
        file: String = "",
        line: Int = 0,
        column: Int = 0,
        byte: Int
    ) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.column = column
        self.byte = byte
    }

    /// Creates an error for a text that is not, or not completely, JSON.
    init(_ error: JSONError) {
        self.init(
            code: error.code == .truncated ? .cutOff : .notJSON,
            message: error.message,
            byte: error.offset
        )
    }

    /// The place and the message, in the form `file:line:column: message (byte n)`; what is unknown
    /// is left out.
    package var description: String {
        let lineColumn = column > 0 ? "\(line):\(column)" : "\(line)"
        let place = line > 0 ? "\(file):\(lineColumn): " : file.isEmpty ? "" : "\(file): "
        return "\(place)\(message) (byte \(byte))"
    }
}
