// SPDX-License-Identifier: MIT

package import TaplineConnections
package import TaplineModel
package import TaplineTLS

/// The settings of a client for sinks.
package struct DeliverySettings: Sendable {
    /// The time limit of a request, from connecting to the end of the response.
    package var timeout = Microseconds(10_000_000)
    /// How long an idle connection is kept.
    package var keepAlive = Microseconds(30_000_000)
    /// How much of a response is kept; the connection of a longer one is closed.
    package var maxResponseBytes = 64 * 1024
    /// How many interim responses are accepted (RFC 9110 §15.2).
    package var maxInterimResponses = 32
    /// The TLS options.
    package var tls = TLSClientOptions()
    /// The proxy that the server is reached through; `nil` if it is reached directly.
    package var parent: ParentProxy?

    /// The defaults.
    package init() {}
}

/// A request that a sink sends.
package struct DeliveryRequest: Sendable {
    package var endpoint: DeliveryEndpoint
    package var method: ByteString
    /// The fields, without those of the connection and of the framing.
    package var fields: FieldSection
    package var body: [UInt8]

    package init(
        to endpoint: DeliveryEndpoint,
        method: ByteString = "POST",
        fields: FieldSection,
        body: [UInt8] = []
    ) {
        self.endpoint = endpoint
        self.method = method
        self.fields = fields
        self.body = body
    }
}

/// The response to a request of a sink.
package struct DeliveryResponse: Sendable {
    package var status: Int
    package var fields: FieldSection
    /// The content, up to the limit.
    package var body: [UInt8]
    /// Whether `body` is the whole content; the status is final in any case.
    package var isComplete: Bool

    package init(
        status: Int,
        fields: FieldSection = FieldSection(),
        body: [UInt8] = [],
        isComplete: Bool = true
    ) {
        self.status = status
        self.fields = fields
        self.body = body
        self.isComplete = isComplete
    }
}

/// The reason that a request got no response.
package struct DeliveryError: Error, Sendable, CustomStringConvertible {
    /// The problem, without parts of the request.
    package let description: String

    package init(_ description: String) { self.description = description }

    /// The client was closed.
    package static let closed = DeliveryError("the client is closed")
    /// The response did not arrive in time.
    package static let timeout = DeliveryError("no response within 'timeout'")
}
