// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineFormats
import TaplineModel
import TaplineSystem

/// Recordings in NDJSON and HAR.
enum Recorded {
    enum Format: CaseIterable {
        case ndjson, har
    }

    /// The bytes of a recording.
    static func bytes(
        _ exchanges: [Exchange],
        _ format: Format = .ndjson,
        _ coding: ContentCoding? = nil
    ) throws -> [UInt8] {
        var bytes: [UInt8]
        switch format {
        case .ndjson:
            var writer = NDJSONWriter()
            for exchange in exchanges { writer.write(try Written.seal(exchange, digests: false)) }
            bytes = Array(copying: writer.bytes)
        case .har:
            var writer = HARWriter()
            writer.begin(version: "1")
            for exchange in exchanges { writer.write(try Written.seal(exchange, digests: false)) }
            writer.end()
            bytes = Array(copying: writer.bytes)
        }
        guard let coding else { return bytes }
        var coded: [UInt8] = []
        try ContentEncoder(coding).encodeWhole(bytes.span, appendingTo: &coded)
        return coded
    }
}
