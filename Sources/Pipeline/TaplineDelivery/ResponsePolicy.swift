// SPDX-License-Identifier: MIT

package import TaplineModel
package import TaplinePlugin

/// What the status of a response means for the records of its request.
package struct ResponsePolicy: Sendable {
    private let isTemporary: @Sendable (Int) -> Bool
    /// The longest time that Retry-After may ask for.
    private let maxRetryAfter: Microseconds

    private init(_ maxRetryAfter: Microseconds, isTemporary: @escaping @Sendable (Int) -> Bool) {
        self.maxRetryAfter = maxRetryAfter
        self.isTemporary = isTemporary
    }

    /// The policy for any HTTP endpoint: 408, 425, 429 and 5xx are temporary.
    package static func http(maxRetryAfter: Microseconds) -> ResponsePolicy {
        ResponsePolicy(maxRetryAfter) { [408, 425, 429].contains($0) || $0 >= 500 }
    }

    /// The policy of OTLP/HTTP: only 429, 502, 503 and 504 are temporary.
    ///
    /// **Source**: OTLP specification 1.9, "OTLP/HTTP Response".
    package static func otlp(maxRetryAfter: Microseconds) -> ResponsePolicy {
        ResponsePolicy(maxRetryAfter) { [429, 502, 503, 504].contains($0) }
    }

    /// Statuses about the URL or the credentials: any record would be refused in the same way.
    ///
    /// The records are kept until the configuration is repaired, instead of being lost one by one.
    private static let aboutEndpoint: Set<Int> = [401, 403, 404, 405, 407]

    /// Maps a response to an error.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - endpoint: Where the request was sent, for the message.
    ///   - now: The time that a date in Retry-After is compared with.
    /// - Returns: The error; `nil` if the records are delivered.
    package func error(
        _ response: DeliveryResponse,
        from endpoint: DeliveryEndpoint,
        now: Timestamp
    ) -> SinkError? {
        let status = response.status
        let text = "\(endpoint) answered with status \(status)"
        switch status {
        case 200..<300: return nil
        case _ where isTemporary(status):
            let delay = RetryAfter.delay(response.fields, now: now, atMost: maxRetryAfter)
            return SinkError(.passing, text, retryAfter: delay)
        case 300..<400: return SinkError(.passing, "\(text); redirects are not followed")
        case 101: return SinkError(.passing, "\(text), which was not asked for")
        case _ where Self.aboutEndpoint.contains(status):
            return SinkError(.passing, "\(text); check the URL and the credentials")
        default: return SinkError(.refused, text)
        }
    }
}
