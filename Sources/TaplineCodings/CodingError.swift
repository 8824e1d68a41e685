// SPDX-License-Identifier: MIT

/// Why bytes could not be decoded or encoded.
public struct CodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    public struct Code: Hashable, Sendable {
        let name: String

        /// The input ended before its coding did.
        public static let truncated = Code(name: "truncated")
        /// The input is not what its coding allows.
        public static let corrupt = Code(name: "corrupt")
        /// Other bytes follow after the coded ones.
        public static let trailingBytes = Code(name: "trailingBytes")
        /// The output would outgrow its limit.
        public static let outputLimit = Code(name: "outputLimit")
        /// The output is larger than its input can honestly be.
        public static let ratioLimit = Code(name: "ratioLimit")
        /// The input asks for more memory than allowed.
        public static let windowLimit = Code(name: "windowLimit")
        /// Nobody here knows the coding, or a list has too many of them.
        public static let unsupported = Code(name: "unsupported")
        /// The library had no memory.
        public static let memory = Code(name: "memory")
    }

    /// What kind of failure it is.
    public let code: Code

    /// The coding at fault.
    public let coding: ContentCoding

    /// What is wrong, without any of the bytes.
    public let message: String

    init(_ code: Code, _ coding: ContentCoding, _ message: String) {
        self.code = code
        self.coding = coding
        self.message = message
    }

    /// The message with the coding's name.
    public var description: String {
        "\(coding.name): \(message)"
    }
}

extension CodingError {
    static func truncated(_ coding: ContentCoding) -> CodingError {
        CodingError(.truncated, coding, "data ends too early")
    }

    static func corrupt(_ coding: ContentCoding) -> CodingError {
        CodingError(.corrupt, coding, "data is damaged or of another coding")
    }

    static func trailingBytes(_ coding: ContentCoding) -> CodingError {
        CodingError(.trailingBytes, coding, "other bytes follow after the end of the data")
    }

    static func memory(_ coding: ContentCoding) -> CodingError {
        CodingError(.memory, coding, "out of memory")
    }

    static func unsupported(_ coding: ContentCoding) -> CodingError {
        CodingError(
            .unsupported,
            coding,
            "unknown coding; expected gzip, deflate, br, zstd or identity"
        )
    }
}
