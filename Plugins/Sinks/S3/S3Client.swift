// SPDX-License-Identifier: MIT

internal import TaplineConnections
internal import TaplineCrypto
internal import TaplineDelivery
internal import TaplineModel
internal import TaplinePlugin

/// A response without a success status.
struct S3Error: Error, CustomStringConvertible {
    let status: Int
    let description: String
}

/// The calls of S3 that storing files needs.
///
/// Each throws `S3Error` for a response without success, and `DeliveryError` without a response.
final class S3Client: Sendable {
    private let client: DeliveryClient
    private let endpoint: DeliveryEndpoint
    private let bucket: String
    private let signer: S3Signer
    private let now: @Sendable () -> Timestamp

    init(_ settings: S3Settings, now: @escaping @Sendable () -> Timestamp) throws {
        client = try DeliveryClient(settings.connection)
        endpoint = settings.endpoint
        bucket = settings.bucket
        signer = S3Signer(credentials: settings.credentials, region: settings.region)
        self.now = now
    }

    func close() { client.close() }

    /// Stores an object in one request.
    func put(_ key: String, _ body: [UInt8]) throws { _ = try call("PUT", key, body: body) }

    /// Begins an upload in parts; returns its id.
    func begin(_ key: String) throws -> String {
        let answer = try call("POST", key, [("uploads", "")])
        guard let id = S3Answer.text("UploadId", in: answer.text), !id.isEmpty else {
            throw S3Error(status: answer.status, description: "\(endpoint) named no upload")
        }
        return id
    }

    /// Stores a part; returns its tag.
    func part(_ key: String, _ upload: String, _ number: Int, _ body: [UInt8]) throws -> String {
        let query = [("partNumber", "\(number)"), ("uploadId", upload)]
        let answer = try call("PUT", key, query, body: body)
        guard let tag = answer.tag else {
            throw S3Error(status: answer.status, description: "\(endpoint) named no part")
        }
        return tag
    }

    /// Returns the parts of an upload; `nil` if it does not exist any more.
    func parts(_ key: String, _ upload: String) throws -> [S3Answer.Part]? {
        do {
            let answer = try call("GET", key, [("max-parts", "1000"), ("uploadId", upload)])
            return S3Answer.parts(in: answer.text)
        } catch let error as S3Error where error.status == 404 {
            return nil
        }
    }

    /// Makes an object of the parts.
    func complete(_ key: String, _ upload: String, _ tags: [String]) throws {
        let parts = tags.enumerated().map { number, tag in
            let text = tag.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(text)</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let answer = try call("POST", key, [("uploadId", upload)], body: Array(body.utf8))
        // The status is sent before the object is made.
        guard S3Answer.text("ETag", in: answer.text) != nil else {
            let code = S3Answer.code(in: answer.text).map { " (\($0))" } ?? ""
            throw S3Error(status: 500, description: "\(endpoint) did not join the parts\(code)")
        }
    }

    /// Removes the parts of an upload that is given up.
    func abort(_ key: String, _ upload: String) throws {
        do {
            _ = try call("DELETE", key, [("uploadId", upload)])
        } catch let error as S3Error where error.status == 404 {
            // It is gone already.
        }
    }

    /// What is used of a response.
    private struct Answer {
        let status: Int
        let text: String
        let tag: String?
    }

    private func call(
        _ method: String,
        _ key: String,
        _ query: [(name: String, value: String)] = [],
        body: [UInt8] = []
    ) throws -> Answer {
        let path = S3Signer.encoded("/\(bucket)/\(key)", keepsSlashes: true)
        let text = query.map { "\(S3Signer.encoded($0.name))=\(S3Signer.encoded($0.value))" }
            .joined(separator: "&")
        var fields = signer.fields(
            method: method,
            host: "\(endpoint.origin.authority)",
            path: path,
            query: text,
            payload: SHA256.hash(body.span),
            at: now()
        )
        fields.append(name: "User-Agent", value: "tapline")
        let target = text.isEmpty ? path : "\(path)?\(text)"
        let request = DeliveryRequest(
            to: endpoint.replacing(target: ByteString(target)),
            method: ByteString(method),
            fields: fields,
            body: body
        )
        let response = try client.send(request)
        let content = String(decoding: response.body, as: UTF8.self)
        guard 200..<300 ~= response.status else {
            let code = S3Answer.code(in: content).map { " (\($0))" } ?? ""
            throw S3Error(
                status: response.status,
                description: "\(endpoint) answered with status \(response.status)\(code)"
            )
        }
        let tag = response.fields.first("ETag").map { "\($0)" }
        return Answer(status: response.status, text: content, tag: tag)
    }
}
