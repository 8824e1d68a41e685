// SPDX-License-Identifier: MIT

/// The reason why bytes could not be decoded or encoded.
package struct CodingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure.
    package struct Code: Hashable, Sendable {
        let name: String

        /// The input ended before the end of the coded data.
        package static let truncated = Code(name: "truncated")
        /// The input is not valid in its coding.
        package static let corrupt = Code(name: "corrupt")
        /// Other bytes follow the coded data.
        package static let trailingBytes = Code(name: "trailingBytes")
        /// The output would exceed its limit.
        package static let outputLimit = Code(name: "outputLimit")
        /// The output is implausibly large for its input.
        package static let ratioLimit = Code(name: "ratioLimit")
        /// The input requires more memory than the limit allows.
        package static let windowLimit = Code(name: "windowLimit")
        /// The coding is not supported, or a list has too many codings.
        package static let unsupported = Code(name: "unsupported")
        /// The library could not allocate memory.
        package static let memory = Code(name: "memory")
    }

    /// The kind of failure.
    package let code: Code

    /// The coding that failed.
    package let coding: ContentCoding

    /// The description of the problem, without any of the bytes.
    package let message: String

    init(_ code: Code, _ coding: ContentCoding, _ message: String) {
        self.code = code
        self.coding = coding
        self.message = message
    }

    /// The message, prefixed with the coding's name.
    package var description: String {
        "\(coding.name): \(message)"
    }
}

extension CodingError {
    static func truncated(_ coding: ContentCoding) -> CodingError {
        CodingError(.truncated, coding, "data ends too early")
    }

    static func corrupt(_ coding: ContentCoding) -> CodingError {
        CodingError(.corrupt, coding, "data is damaged or in another coding")
    }

    static func trailingBytes(_ coding: ContentCoding) -> CodingError {
        CodingError(.trailingBytes, coding, "other bytes follow the end of the data")
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
