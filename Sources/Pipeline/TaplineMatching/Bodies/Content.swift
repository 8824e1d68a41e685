// SPDX-License-Identifier: MIT

internal import TaplineModel

extension BodyComparison {
    /// The type of a body, as far as it decides how bodies are compared.
    struct Content {
        /// How a body is compared if it is no JSON.
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
            let media = ["image/", "audio/", "video/", "font/"]
            if media.contains(where: mediaType.hasPrefix) { return true }
            return bytes.contains(0) || String(validating: bytes, as: UTF8.self) == nil
        }

        /// Type and size for people.
        func description(_ bytes: [UInt8]) -> String {
            let name = mediaType.isEmpty ? "a body" : mediaType
            return "\(name), \(bytes.count) \(bytes.count == 1 ? "byte" : "bytes")"
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
