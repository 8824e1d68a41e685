// SPDX-License-Identifier: MIT

internal import TaplineBytes

/// An HTTP content coding, as named in Content-Encoding.
///
/// **Source.** RFC 9110 §8.4.1; `br` RFC 7932, `zstd` RFC 8878 and 9659.
@frozen @usableFromInline
package struct ContentCoding: Hashable, Sendable {
    @usableFromInline let code: UInt8

    @inlinable
    init(code: UInt8) {
        self.code = code
    }

    /// No coding.
    package static let identity = ContentCoding(code: 0)
    /// The gzip file format, also written `x-gzip`.
    package static let gzip = ContentCoding(code: 1)
    /// The zlib format; decoders also accept raw deflate, because some servers send it under this
    /// name.
    package static let deflate = ContentCoding(code: 2)
    /// Brotli, written `br`.
    package static let brotli = ContentCoding(code: 3)
    /// Zstandard.
    package static let zstd = ContentCoding(code: 4)
    /// A coding that is not supported.
    package static let unknown = ContentCoding(code: 255)

    /// The name in Content-Encoding; `unknown` if the coding is not supported.
    package var name: String {
        switch self {
        case .identity: "identity"
        case .gzip: "gzip"
        case .deflate: "deflate"
        case .brotli: "br"
        case .zstd: "zstd"
        default: "unknown"
        }
    }

    /// Whether Tapline can decode this coding.
    package var isKnown: Bool {
        self != .unknown
    }

    /// Reads one name, ignoring case and surrounding white space.
    package init(name: Span<UInt8>) {
        if name.equalsIgnoringCase("gzip") || name.equalsIgnoringCase("x-gzip") {
            self = .gzip
        } else if name.equalsIgnoringCase("br") {
            self = .brotli
        } else if name.equalsIgnoringCase("deflate") {
            self = .deflate
        } else if name.equalsIgnoringCase("zstd") {
            self = .zstd
        } else if name.equalsIgnoringCase("identity") {
            self = .identity
        } else {
            self = .unknown
        }
    }

    /// Reads one name, ignoring case and surrounding white space.
    package init(name: String) {
        self.init(name: name.utf8.span)
    }

    /// Reads the value of a Content-Encoding field.
    ///
    /// **Shape.** The codings are in the order in which they were applied, so the last one is
    /// decoded first. `identity` and empty elements are omitted. At most `limit` elements are read;
    /// a longer list ends with `unknown`.
    ///
    /// - Parameters:
    ///   - value: The field's value.
    ///   - limit: The maximum number of codings in a list.
    /// - Returns: The codings; empty if the value names none.
    @usableFromInline package static func list(
        _ value: Span<UInt8>,
        limit: Int = 8
    ) -> [ContentCoding] {
        var codings: [ContentCoding] = []
        var start = 0
        while start <= value.count {
            var end = start
            while end < value.count, value[end] != UInt8(ascii: ",") {
                end += 1
            }
            let element = value.extracting(value.trimmed(start..<end))
            start = end + 1
            guard !element.isEmpty else {
                continue
            }
            let coding = ContentCoding(name: element)
            guard coding != .identity else {
                continue
            }
            guard codings.count < limit else {
                codings.append(.unknown)
                break
            }
            codings.append(coding)
        }
        return codings
    }

    /// Reads the value of a Content-Encoding field.
    package static func list(_ value: String) -> [ContentCoding] {
        list(value.utf8.span)
    }
}

extension ContentCoding: CustomStringConvertible {
    /// The name in Content-Encoding.
    @usableFromInline package var description: String {
        name
    }
}
