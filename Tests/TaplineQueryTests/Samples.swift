// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

/// Sample exchanges for filters.
enum Samples {
    /// An exchange with a value for every field.
    static func full() -> Exchange {
        var exchange = Exchange(
            id: ExchangeID(high: 0x0193_0000_0000_7000, low: 0x8000_0000_0000_0001),
            source: "proxy",
            state: .failed,
            started: Timestamp(rfc3339: "2026-11-20T14:03:00.5Z") ?? Timestamp(microseconds: 0),
            request: request(),
            response: response()
        )
        exchange.timing.total = Microseconds(250_000)
        exchange.connection = Connection(client: "127.0.0.1:51234", server: "10.0.0.1:8443")
        exchange.connection.tls = TLSInfo(version: "TLSv1.3")
        exchange.bytes = ByteCounts(
            up: .init(line: 1, headers: 2, body: 3),
            down: .init(line: 10, headers: 20, body: 30)
        )
        exchange.tags = ["team": "checkout"]
        exchange.error = ExchangeError(code: "reset", message: "by peer")
        return exchange
    }

    /// An exchange in which only the id and the method are known.
    static func bare() -> Exchange {
        Exchange(
            id: ExchangeID(high: 1, low: 2),
            request: Request(
                target: "/",
                scheme: ByteString(),
                authority: ByteString(),
                version: ByteString()
            )
        )
    }

    private static func request() -> Request {
        Request(
            method: "POST",
            target: "/cart/items?x=1&x=two%20words&empty=&plus=a+b&%6Eame=v",
            scheme: "HTTPS",
            authority: "user:pw@API.Shop.test:8443",
            version: "HTTP/1.1",
            fields: ["Host": "api.shop.test", "X-Tag": "one", "x-tag": "two", "X-Empty": ""],
            body: Body(Array(#"{"name":"Ünal"}"#.utf8))
        )
    }

    private static func response() -> Response {
        Response(
            status: 503,
            version: "HTTP/2",
            fields: ["Content-Type": "Application/JSON; charset=utf-8", "X-Error": "boom"],
            body: Body(bytes: Array("too busy".utf8), size: 2_097_152, isTruncated: true)
        )
    }
}

/// Returns whether a filter matches; `nil` if it is invalid.
func evaluate(
    _ text: String,
    _ exchange: Exchange = Samples.full(),
    environment: [String: String] = [:]
) -> Bool? {
    (try? Filter(text, environment: environment))?.matches(exchange)
}

/// Returns the error of an invalid filter.
func failure(
    _ text: String,
    environment: [String: String] = [:],
    limits: FilterLimits = FilterLimits()
) -> FilterError? {
    do throws(FilterError) {
        _ = try Filter(text, environment: environment, limits: limits)
        return nil
    } catch {
        return error
    }
}

/// An invalid filter with the expected error.
struct ErrorCase: Sendable, CustomTestStringConvertible {
    let text: String
    /// The part of the text that the error points at.
    let marked: String
    let message: String
    let help: String?

    init(_ text: String, _ marked: String, _ message: String, help: String? = nil) {
        self.text = text
        self.marked = marked
        self.message = message
        self.help = help
    }

    var testDescription: String { text }
}

/// Expects the error of an invalid filter, with its position.
func expectFailure(_ wrong: ErrorCase) {
    let error = failure(wrong.text)
    #expect(error?.message == wrong.message)
    #expect(error?.help == wrong.help)
    guard let error else { return }
    let bytes = Array(wrong.text.utf8)
    #expect(error.offset + error.length <= bytes.count)
    let marked = bytes[error.offset..<error.offset + error.length]
    #expect(String(decoding: marked, as: UTF8.self) == wrong.marked)
    #expect(String(describing: error) == wrong.message)
}
