// SPDX-License-Identifier: MIT

internal import TaplineCrypto
internal import TaplineModel

/// The credentials for S3; no description shows them.
struct S3Credentials: Sendable, CustomStringConvertible {
    let accessKey: String
    let secretKey: String
    /// The token of temporary credentials.
    let sessionToken: String?

    var description: String { "credentials" }
}

/// Signs requests to S3.
///
/// **Source**: AWS, "Authenticating Requests (AWS Signature Version 4)", with the hash of the
/// payload in a single chunk.
struct S3Signer: Sendable {
    let credentials: S3Credentials
    let region: String

    /// Returns the fields that a request needs beside Host.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - host: The value of the Host field.
    ///   - path: The encoded path.
    ///   - query: The encoded query, sorted by names.
    ///   - payload: The hash of the body.
    ///   - time: The time, which may differ from the server's by at most 15 minutes.
    /// - Returns: The fields.
    func fields(
        method: String,
        host: String,
        path: String,
        query: String,
        payload: Digest,
        at time: Timestamp
    ) -> FieldSection {
        let stamp = Self.stamp(time)
        let day = String(stamp.prefix(8))
        let scope = "\(day)/\(region)/s3/aws4_request"
        var fields = [("x-amz-content-sha256", payload.hex), ("x-amz-date", stamp)]
        if let token = credentials.sessionToken { fields.append(("x-amz-security-token", token)) }
        let all = [("host", host)] + fields
        let names = all.map(\.0).joined(separator: ";")
        let lines = all.map { "\($0.0):\($0.1)\n" }.joined()
        let canonical = "\(method)\n\(path)\n\(query)\n\(lines)\n\(names)\n\(payload.hex)"
        let text = "AWS4-HMAC-SHA256\n\(stamp)\n\(scope)\n\(SHA256.hash(canonical).hex)"
        let signature = key(for: day).authenticate(text).hex
        let value =
            "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope),"
            + "SignedHeaders=\(names),Signature=\(signature)"
        return FieldSection(
            fields.map { (name: $0.0, value: $0.1) } + [(name: "Authorization", value: value)]
        )
    }

    private func key(for day: String) -> HMACSHA256 {
        var key = HMACSHA256(key: "AWS4\(credentials.secretKey)".utf8.span)
        for part in [day, region, "s3", "aws4_request"] {
            let next = key.authenticate(part).bytes
            key = HMACSHA256(key: next.span)
        }
        return key
    }

    /// A time such as `20130524T000000Z`.
    static func stamp(_ time: Timestamp) -> String {
        let text = time.rfc3339.utf8.filter { $0 != .ascii("-") && $0 != .ascii(":") }
        return String(decoding: text.prefix(15), as: UTF8.self) + "Z"
    }

    /// Encodes a name or a value by percent signs, with upper-case digits.
    static func encoded(_ text: String, keepsSlashes: Bool = false) -> String {
        var output: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, .ascii("-"), .ascii("."), .ascii("_"),
                .ascii("~"):
                output.append(byte)
            case .ascii("/") where keepsSlashes: output.append(byte)
            default:
                output.append(.ascii("%"))
                for half in [byte >> 4, byte & 0xF] {
                    output.append(half < 10 ? 0x30 + half : 0x37 + half)
                }
            }
        }
        return String(decoding: output, as: UTF8.self)
    }
}
