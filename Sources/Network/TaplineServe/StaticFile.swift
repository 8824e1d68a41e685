// SPDX-License-Identifier: MIT

internal import TaplineCodings
internal import TaplineModel

/// A file that does not change while the program runs, compressed with gzip.
package struct StaticFile: Sendable {
    /// The value of Content-Type.
    package let type: String
    /// The compressed bytes.
    package let compressed: [UInt8]

    /// Creates a file.
    package init(type: String, compressed: [UInt8]) {
        self.type = type
        self.compressed = compressed
    }

    /// Makes the response to a request, in the coding that the client accepts.
    package func response(to request: ServedRequest) -> ServedResponse {
        let accepts = request.request.fields.all("Accept-Encoding").contains { value in
            String(decoding: Array(copying: value.span), as: UTF8.self).split(separator: ",")
                .contains { $0.acceptsGzip }
        }
        var response: ServedResponse
        if accepts {
            response = ServedResponse(200, type: type, compressed)
            response.fields.append(name: "Content-Encoding", value: "gzip")
        } else {
            response = ServedResponse(200, type: type, plain ?? [])
        }
        response.fields.append(name: "Vary", value: "Accept-Encoding")
        return response
    }

    /// The bytes without compression; `nil` if they are not gzip.
    package var plain: [UInt8]? {
        var output: [UInt8] = []
        let decoder = try? ContentDecoder(.gzip)
        return (try? decoder?.decodeWhole(compressed.span, appendingTo: &output)).map { _ in output
        }
    }
}

extension Substring {
    /// Whether an element of Accept-Encoding allows gzip (RFC 9110 §12.5.3).
    fileprivate var acceptsGzip: Bool {
        let parts = split(separator: ";").map { part in
            String(part.filter { $0 != " " && $0 != "\t" }).lowercased()
        }
        guard let name = parts.first, name == "gzip" || name == "x-gzip" else { return false }
        return !parts.dropFirst().contains { $0.hasPrefix("q=0") && Double($0.dropFirst(2)) == 0 }
    }
}
