// SPDX-License-Identifier: MIT

internal import TaplineJSON

/// Why a recording, or one record of it, cannot be read, and where.
///
/// The message names keys and kinds, never values: recordings hold what must not reach a log.
public struct RecordError: Error, Equatable, Sendable, CustomStringConvertible {
    /// What kind of error it is.
    public struct Code: Equatable, Sendable {
        enum Value {
            case notJSON, wrongShape, cutOff, tooLarge, coding, notRecording
        }

        let value: Value

        /// A record is not JSON.
        public static let notJSON = Code(value: .notJSON)
        /// A record is JSON, but not one of its format.
        public static let wrongShape = Code(value: .wrongShape)
        /// The input ends inside the last record, as after a crash of the writer.
        public static let cutOff = Code(value: .cutOff)
        /// A record is larger than the limit.
        public static let tooLarge = Code(value: .tooLarge)
        /// The compression of the file is broken.
        public static let coding = Code(value: .coding)
        /// The file is in no format that is known.
        public static let notRecording = Code(value: .notRecording)
    }

    /// What kind of error it is.
    public let code: Code
    /// What is wrong; found and expected.
    public let message: String
    /// The file's name as it was given; empty where there is none.
    public var file: String
    /// The line, counted from 1; 0 where it is not known.
    public var line: Int
    /// The byte, counted from 0; in the file after decompression, or in the record when `line` is 0.
    public var byte: Int

    /// An error at a byte.
    public init(code: Code, message: String, file: String = "", line: Int = 0, byte: Int) {
        self.code = code
        self.message = message
        self.file = file
        self.line = line
        self.byte = byte
    }

    /// A text that is not JSON, or not all of it.
    init(_ error: JSONError) {
        self.init(
            code: error.code == .truncated ? .cutOff : .notJSON,
            message: error.message,
            byte: error.offset
        )
    }

    /// Where and what, in the form `file:line: what (byte n)`.
    public var description: String {
        let place = line > 0 ? "\(file):\(line): " : file.isEmpty ? "" : "\(file): "
        return "\(place)\(message) (byte \(byte))"
    }
}
