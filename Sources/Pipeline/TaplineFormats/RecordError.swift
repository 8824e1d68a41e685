// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// Why a recording, or one record of it, cannot be read, and where.
///
/// The message names keys and kinds, never values, since recordings may contain confidential data.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of error.
    public struct Code: Equatable, Sendable {
        enum Value {
            case notJSON, wrongShape, cutOff, tooLarge, coding, notRecording
        }

        let value: Value

        /// A record is not JSON.
        public static let notJSON = Code(value: .notJSON)
        /// A record is JSON, but not a valid record of its format.
        public static let wrongShape = Code(value: .wrongShape)
        /// The input ends inside the last record, as after a crash of the writer.
        public static let cutOff = Code(value: .cutOff)
        /// A record is larger than the limit.
        public static let tooLarge = Code(value: .tooLarge)
        /// The compressed data of the file is invalid.
        public static let coding = Code(value: .coding)
        /// The file's format is unknown.
        public static let notRecording = Code(value: .notRecording)
    }

    /// The kind of error.
    public let code: Code
    /// What was found, and what was expected.
    public let message: String
    /// The file's name as given; empty if there is none.
    public var file: String
    /// The line, counted from 1; 0 if unknown.
    public var line: Int
    /// The byte, counted from 0: in the decompressed file, or in the record if `line` is 0.
    public var byte: Int

    /// Creates an error at a byte.
    public init(code: Code, message: String, file: String = "", line: Int = 0, byte: Int) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
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

    /// The place and the message, in the form `file:line: message (byte n)`.
    public var description: String {
        let place = line > 0 ? "\(file):\(line): " : file.isEmpty ? "" : "\(file): "
        return "\(place)\(message) (byte \(byte))"
    }
}
