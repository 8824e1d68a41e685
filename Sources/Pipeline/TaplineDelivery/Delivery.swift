// SPDX-License-Identifier: MIT

internal import TaplineCodings
package import TaplineModel
package import TaplinePlugin

/// The decoded options of a sink that sends records over HTTP.
package struct Delivery: Sendable {
    package let endpoint: DeliveryEndpoint
    /// The fields of each request.
    package var fields = FieldSection()
    /// Whether bodies are compressed.
    package var isCompressed = false
    /// The maximum size of a request in bytes.
    package var maxBytes = 4 << 20
    /// The maximum number of records in a request.
    package var maxRecords = 512
    /// The longest time that a record waits for its batch to fill.
    package var maxDelay = Microseconds(1_000_000)
    /// The longest time that Retry-After may ask for.
    package var maxRetryAfter = Microseconds(60_000_000)
    /// The settings of the client.
    package var settings = DeliverySettings()

    package init(to endpoint: DeliveryEndpoint) { self.endpoint = endpoint }

    /// Makes a request with a body, which is compressed if that is configured.
    ///
    /// **Throws**: an error if memory runs out.
    package func request(
        to endpoint: DeliveryEndpoint,
        method: ByteString = "POST",
        contentType: String,
        _ body: [UInt8]
    ) throws -> DeliveryRequest {
        var fields = fields
        if !fields.contains("Content-Type") {
            fields.append(name: "Content-Type", value: contentType)
        }
        guard isCompressed else {
            return DeliveryRequest(to: endpoint, method: method, fields: fields, body: body)
        }
        fields.append(name: "Content-Encoding", value: "gzip")
        let coded = try ContentCoding.gzip.encode(body.span)
        return DeliveryRequest(to: endpoint, method: method, fields: fields, body: coded)
    }
}

extension DeliveryClient {
    /// Delivers records, which are in the body of a request.
    ///
    /// **Throws**: `SinkError`, as the policy says, or a temporary one without a response.
    /// **Returns**: the response, which reports success.
    package func deliver(
        _ request: DeliveryRequest,
        _ policy: ResponsePolicy,
        now: Timestamp
    ) throws(SinkError) -> DeliveryResponse {
        let response: DeliveryResponse
        do throws(DeliveryError) {
            response = try send(request)
        } catch {
            throw SinkError(.passing, "cannot deliver to \(request.endpoint): \(error)")
        }
        if let error = policy.error(response, from: request.endpoint, now: now) { throw error }
        return response
    }
}
