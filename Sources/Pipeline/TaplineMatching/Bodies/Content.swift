// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

extension BodyComparison {
    /// The type of a body, as far as it decides how bodies are compared.
    struct Content {
        /// How a body is compared if it is not JSON.
        enum Kind {
            case form
            case xml
            case html
            case multipart
            case other
        }

        /// The content type as received.
        let type: ByteString
        private let mediaType: String
        let kind: Kind

        init(_ type: ByteString) {
            self.type = type
            mediaType = type.mediaType.description
            kind =
                switch mediaType {
                case "application/x-www-form-urlencoded": .form
                case "text/html", "application/xhtml+xml": .html
                case "text/xml", "application/xml": .xml
                case let name where name.hasPrefix("multipart/"): .multipart
                case let name where name.hasSuffix("+xml"): .xml
                default: .other
                }
        }

        /// Whether bytes are worth parsing as JSON: servers often declare another type.
        func mayBeJSON(_ bytes: [UInt8]) -> Bool {
            bytes.beginsLikeJSON
                || ByteString(mediaType).isJSONMediaType && bytes.contains { $0 > 0x20 }
        }

        /// Whether a body is no text.
        func isBinary(_ bytes: [UInt8]) -> Bool {
            if mediaType.hasPrefix("text/") { return false }
            return isMedia || bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil
        }

        private var isMedia: Bool {
            ["image/", "audio/", "video/", "font/"].contains(where: mediaType.hasPrefix)
        }

        /// Type and size for people; for media also the first half of the SHA-256 hash, by which two
        /// versions of a file are recognized.
        func description(_ bytes: [UInt8]) -> String {
            let name = mediaType.isEmpty ? "a body" : mediaType
            let size = "\(name), \(bytes.count) \(bytes.count == 1 ? "byte" : "bytes")"
            return isMedia ? "\(size), sha256 \(SHA256.hash(bytes.span).hex.prefix(32))" : size
        }
    }
}

extension [UInt8] {
    /// Whether the bytes begin like a JSON object or array.
    var beginsLikeJSON: Bool {
        let first = first { $0 > 0x20 }
        return first == .ascii("{") || first == .ascii("[")
    }
}
