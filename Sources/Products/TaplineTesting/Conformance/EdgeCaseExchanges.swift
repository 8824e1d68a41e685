// SPDX-License-Identifier: MIT

public import TaplineModel

/// Exchanges that are legal but unusual.
public enum EdgeCaseExchanges {
    /// All of them, with ids that sort after those of `Exchange.examples`, and with the name as the
    /// path unless the path itself is unusual.
    public static let all: [Exchange] = named.enumerated().map { number, odd in
        var exchange = Exchange.example(100_000 + number)
        exchange.request.target = ByteString("/odd/\(odd.name.replacing(" ", with: "-"))")
        odd.change(&exchange)
        return exchange
    }

    /// Returns the name of the exchange at a position in `all`.
    static func name(at position: Int) -> String { named[position].name }

    typealias Change = @Sendable (inout Exchange) -> Void

    private static let bytes = Array(UInt8.min...UInt8.max)

    private static let named: [(name: String, change: Change)] = messages + values + ends

    private static let messages: [(name: String, change: Change)] = [
        (
            "empty bodies",
            {
                $0.request.body = Body([])
                $0.response?.body = Body([])
            }
        ),
        ("no fields", { $0.response?.fields = FieldSection() }),
        (
            "nothing known",
            { $0.request = Request(method: "", target: "", scheme: "", version: "") }
        ),
        (
            "WebSocket messages",
            {
                $0.response?.status = 101
                $0.messages = ["text", "binary", "ping", "close", "event", ""].map { type in
                    StreamMessage(
                        direction: type == "ping" ? .down : .up,
                        at: Microseconds(-5),
                        type: type,
                        bytes: type == "text" ? Array("{\"a\":".utf8) : bytes
                    )
                }
            }
        ),
        (
            "interim responses and trailers",
            {
                $0.response?.interim = [
                    InterimResponse(status: 100), InterimResponse(status: 103, fields: ["A": "b"]),
                ]
                $0.response?.trailers = ["X-Check": "1", "x-check": "2"]
                $0.request.trailers = ["": ""]
            }
        ),
        (
            "body that is not what it says",
            {
                $0.request.body = Body(bytes: bytes, size: nil, coding: "gzip", isTruncated: true)
                $0.response?.body = Body(bytes: bytes, size: 3, coding: "br, zstd, none")
                $0.request.body.contentType = ByteString(bytes)
                $0.response?.body.contentType = "application/json; charset=x-none"
            }
        ),
        (
            "cut body",
            {
                let bytes = Array("{\"a\":\"\u{FC}".utf8.dropLast())
                $0.response?.body = Body(bytes: bytes, size: .max, isTruncated: true)
            }
        ),
        (
            "deeply nested body",
            { $0.response?.body = Body(Array(repeating: UInt8(ascii: "["), count: 20_000)) }
        ),
    ]

    private static let values: [(name: String, change: Change)] = [
        (
            "bytes that are not UTF-8",
            {
                let odd = bytes.filter { $0 != 0x0D && $0 != 0x0A && $0 != 0 }
                $0.request.method = ByteString(odd)
                $0.request.target = ByteString([UInt8(ascii: "/")] + odd)
                $0.request.authority = ByteString(odd)
                $0.request.fields.append(name: odd.span, value: odd.span)
                $0.response?.reason = ByteString(odd)
                $0.response?.fields.append(name: odd.span, value: odd.span)
                $0.response?.body = Body(odd)
            }
        ),
        (
            "huge field",
            {
                let huge = Array(repeating: UInt8(ascii: "x"), count: 200_000)
                $0.request.fields.append(name: "X-Huge".utf8.span, value: huge.span)
                $0.response?.fields.append(name: huge.span, value: "".utf8.span)
            }
        ),
        (
            "many fields",
            { exchange in
                for _ in 0..<3000 { exchange.request.fields.append(name: "A", value: "b") }
            }
        ),
        (
            "huge target",
            { $0.request.target = ByteString("/?" + String(repeating: "a=%&", count: 16_000)) }
        ),
        (
            "thousands of tags",
            { exchange in
                for number in 0..<2000 { exchange.tags["tag \(number)"] = "\u{1B}[31m\(number)" }
            }
        ),
        ("odd targets", { $0.request.target = "http://[::1" }),
        ("target without a path", { $0.request.target = "*" }),
        ("control characters", { $0.request.target = "/\u{0}\r\n\u{1B}]0;x\u{7}" }),
    ]

    private static let ends: [(name: String, change: Change)] = [
        ("status 0", { $0.response?.status = 0 }),
        ("negative status", { $0.response?.status = -1 }),
        ("largest numbers", largest),
        ("no response", { $0.response = nil }),
        (
            "failed without a response",
            {
                $0.response = nil
                $0.state = .failed
                $0.error = ExchangeError(code: "dns", message: "no such host")
            }
        ),
        (
            "failed with a response",
            {
                $0.state = .failed
                $0.error = ExchangeError(code: "", message: "")
            }
        ),
        (
            "cancelled",
            {
                $0.state = .cancelled
                $0.response = nil
            }
        ),
        ("before 1970", { $0.started = Timestamp(microseconds: -1) }),
    ]

    private static let largest: Change = {
        $0.response?.status = .max
        $0.response?.body.size = .max
        $0.response?.body.decodedSize = .max
        $0.request.body.size = .max
        let largest = ByteCounts.Direction(line: .max, headers: .max, body: .max)
        $0.bytes = ByteCounts(up: largest, down: largest, isExact: true)
        $0.timing.total = Microseconds(.max)
        $0.timing.wait = Microseconds(.min)
        $0.started = Timestamp(microseconds: 253_402_300_799_999_999)
    }
}
