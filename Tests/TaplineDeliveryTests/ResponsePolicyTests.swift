// SPDX-License-Identifier: MIT

import TaplineModel
import TaplinePlugin
import Testing

@testable import TaplineDelivery

@Suite("What a response means")
struct ResponsePolicyTests {
    private static let now = Timestamp(microseconds: 784_111_777_000_000)
    private static let limit = Microseconds(60_000_000)

    private static func kind(_ policy: ResponsePolicy, _ status: Int) throws -> SinkError.Kind? {
        let endpoint = try #require(DeliveryEndpoint(url: "http://a.test/secret?token=1"))
        let error = policy.error(DeliveryResponse(status: status), from: endpoint, now: now)
        #expect(error?.message.contains("secret") != true)
        return error?.kind
    }

    @Test("success, temporary and final statuses of any endpoint")
    func http() throws {
        let policy = ResponsePolicy.http(maxRetryAfter: Self.limit)
        for status in [200, 201, 202, 204, 299] { #expect(try Self.kind(policy, status) == nil) }
        for status in [408, 425, 429, 500, 501, 502, 503, 504, 599] {
            #expect(try Self.kind(policy, status) == .passing, "\(status)")
        }
        for status in [400, 406, 410, 411, 413, 415, 422, 451] {
            #expect(try Self.kind(policy, status) == .refused, "\(status)")
        }
        // The endpoint or the credentials are wrong, and not the records.
        for status in [101, 301, 302, 307, 308, 401, 403, 404, 405, 407] {
            #expect(try Self.kind(policy, status) == .passing, "\(status)")
        }
    }

    @Test("the temporary statuses of OTLP")
    func otlp() throws {
        let policy = ResponsePolicy.otlp(maxRetryAfter: Self.limit)
        for status in [429, 502, 503, 504, 401, 404] {
            #expect(try Self.kind(policy, status) == .passing, "\(status)")
        }
        for status in [400, 408, 500, 501] {
            #expect(try Self.kind(policy, status) == .refused, "\(status)")
        }
    }

    @Test(
        "Retry-After is a number or a date, up to the limit",
        arguments: [
            ("3", 3_000_000), ("0", 0), ("61", 60_000_000), ("99999999999999999999", 60_000_000),
            ("9223372036854775807", 60_000_000), ("Sun, 06 Nov 1994 08:49:47 GMT", 10_000_000),
            ("Sun, 06 Nov 1994 08:49:27 GMT", 0), ("Sun, 06 Nov 2094 08:49:27 GMT", 60_000_000),
            ("-1", nil), ("soon", nil), ("", nil), ("1.5", nil),
        ] as [(String, Int64?)]
    )
    func retryAfter(value: String, expected: Int64?) throws {
        let fields: FieldSection = ["Retry-After": value]
        let delay = RetryAfter.delay(fields, now: Self.now, atMost: Self.limit)
        #expect(delay?.count == expected)
        let policy = ResponsePolicy.http(maxRetryAfter: Self.limit)
        let endpoint = try #require(DeliveryEndpoint(url: "http://a.test"))
        let response = DeliveryResponse(status: 503, fields: fields)
        let error = policy.error(response, from: endpoint, now: Self.now)
        #expect(error?.retryAfter?.count == expected)
    }

    @Test(
        "a URL is divided into server and target",
        arguments: [
            ("http://a.test", "a.test:80", "/", "/v1/traces"),
            ("https://a.test:4318/", "a.test:4318", "/", "/v1/traces"),
            ("http://[::1]:1/x/y?k=v", "[::1]:1", "/x/y?k=v", "/x/y/v1/traces?k=v"),
        ]
    )
    func endpoints(url: String, server: String, target: String, appended: String) throws {
        let endpoint = try #require(DeliveryEndpoint(url: url))
        #expect("\(endpoint)" == server && "\(endpoint.target)" == target)
        #expect("\(endpoint.appending("/v1/traces").target)" == appended)
    }

    @Test(
        "other texts are no endpoint",
        arguments: [
            "", "a.test", "/x", "ftp://a.test/", "http://", "http://u:p@a.test/",
            "http://a.test/#x", "http://a.test/#", "http://a.test/a b", "http://a.test/\u{7F}",
            "http://a.test:0/",
            "http://a.test:99999/", "http://a.test/ä",
        ]
    )
    func noEndpoint(url: String) { #expect(DeliveryEndpoint(url: url) == nil) }
}
