// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// A multipart form (RFC 7578) that a file describes by its parts.
struct MultipartForm {
    /// A part of the form.
    struct Part {
        let name: [UInt8]
        var content: [UInt8]
        var type: [UInt8] = []
        var fileName: [UInt8]?
    }

    private var parts: [Part] = []

    var isEmpty: Bool { parts.isEmpty }

    /// Appends a part after all others.
    mutating func append(_ part: Part) { parts.append(part) }

    /// A boundary derived from the parts, since the tools' own are random.
    var boundary: String {
        var hash = SHA256()
        for part in parts {
            hash.update(part.name.span)
            hash.update(part.content.span)
        }
        let digits = String(hash.finish().word0, radix: 16)
        return String(repeating: "-", count: 24) + digits
    }

    /// The parts with a boundary between them (RFC 7578).
    func bytes(_ boundary: String) -> [UInt8] {
        var output: [UInt8] = []
        for part in parts {
            output += "--\(boundary)\r\nContent-Disposition: form-data; name=\"".utf8
            output += Self.escaped(part.name)
            output.append(.ascii("\""))
            if let name = part.fileName {
                output += "; filename=\"".utf8
                output += Self.escaped(name)
                output.append(.ascii("\""))
            }
            if !part.type.isEmpty {
                output += "\r\nContent-Type: ".utf8
                output += part.type.filter { !$0.endsField }
            }
            output += "\r\n\r\n".utf8
            output += part.content
            output += "\r\n".utf8
        }
        output += "--\(boundary)--\r\n".utf8
        return output
    }

    /// A name as browsers and curl 7.81 or later write it.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        for byte in text {
            switch byte {
            case .ascii("\""): output += "%22".utf8
            case 0x0D: output += "%0D".utf8
            case 0x0A: output += "%0A".utf8
            default: output.append(byte)
            }
        }
        return output
    }
}
