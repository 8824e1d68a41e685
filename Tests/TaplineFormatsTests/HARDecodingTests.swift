// SPDX-License-Identifier: MIT

import TaplineFormats
import TaplineModel
import TaplinePlugin
import Testing

@Suite struct HARDecodingTests {
    func read(_ text: String) throws -> ([Exchange], LossReport) {
        var exchanges: [Exchange] = []
        var reader = RecordingReader(file: "f.har")
        let bytes = Array(text.utf8)
        try reader.read(bytes.span) { exchanges.append(try $0.get()) }
        try reader.finish { exchanges.append(try $0.get()) }
        return (exchanges, reader.losses)
    }

    @Test func chrome() throws {
        let (exchanges, losses) = try read(HARFixtures.chrome)
        #expect(exchanges.count == 4)
        let page = exchanges[0]
        #expect(page.started == Timestamp(rfc3339: "2026-11-20T14:03:00.123Z"))
        #expect(page.request.target == "/a?q=1")
        #expect(page.request.version == "HTTP/2")
        #expect(page.request.fields == ["accept-encoding": "gzip, deflate, br, zstd"])
        #expect(page.request.body.isAbsent)
        #expect(page.connection.server == "[2001:db8::1]:443")
        #expect(page.timing.connect == Microseconds(3000))
        #expect(page.timing.tls == Microseconds(9000))
        #expect(page.timing.total == Microseconds(30_500))
        #expect(page.state == .completed && page.error == nil)
        let response = try #require(page.response)
        #expect(
            response.fields
                == ["content-encoding": "br", "set-cookie": "a=1; Path=/", "set-cookie": "b=2"]
        )
        var content = Body(bytes: Array("héllo".utf8), size: nil, decodedSize: 5)
        content.contentType = "text/html"
        #expect(response.body == content)

        let refused = exchanges[1]
        #expect(refused.response == nil && refused.state == .failed)
        #expect(
            refused.error == ExchangeError(code: "failed", message: "net::ERR_CONNECTION_REFUSED")
        )
        #expect(refused.request.version == "HTTP/3")
        #expect(refused.request.body.bytes == Array("a=1&b=2".utf8))
        #expect(refused.request.contentType == "application/x-www-form-urlencoded")
        #expect(refused.timing.dns == nil && refused.timing.send == Microseconds(0))

        #expect(exchanges[2].state == .cancelled)
        #expect(exchanges[2].error?.code == "aborted")

        #expect(
            exchanges[3].messages == [
                StreamMessage(
                    direction: .up,
                    at: Microseconds(500_000),
                    bytes: Array("hi".utf8),
                    size: 2
                ),
                StreamMessage(
                    direction: .down,
                    at: Microseconds(750_000),
                    type: "binary",
                    bytes: [1, 2],
                    size: 2
                ),
            ]
        )
        #expect(exchanges[3].response?.status == 101)
        #expect(losses.losses.contains { $0.field == "_webSocketMessages.error" && $0.count == 1 })
        #expect(page.har.description.contains(#""timings":{"blocked":2.5,"_blocked_queueing":1.2"#))
        #expect(page.har.description.contains(#""pageref":"page_1""#))
    }

    @Test func firefox() throws {
        let (exchanges, _) = try read(HARFixtures.firefox)
        let image = exchanges[0]
        #expect(image.started == Timestamp(rfc3339: "2026-11-20T14:03:00.123Z"))
        #expect(
            image.response?.body
                == Body(
                    bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A],
                    size: 208,
                    decodedSize: 8
                )
        )
        #expect(image.connection.server == "127.0.0.1:443")
        #expect(
            exchanges[1].response?.body
                == Body(
                    bytes: [],
                    size: 2_000_000,
                    isTruncated: true,
                    decodedSize: 9_000_000,
                    contentType: "text/plain"
                )
        )
    }

    @Test func safari() throws {
        let (exchanges, _) = try read(HARFixtures.safari)
        #expect(exchanges[0].connection.server == "127.0.0.1:8443")
        #expect(exchanges[0].timing.total == Microseconds(55_123))
        #expect(exchanges[0].timing.receive == Microseconds(373))
        #expect(exchanges[0].request.body.isAbsent)
        #expect(exchanges[0].response?.body == Body(bytes: [], size: 0, contentType: "text/css"))
    }

    @Test func insomnia() throws {
        let (exchanges, _) = try read(HARFixtures.insomnia)
        let request = exchanges[0]
        #expect(request.request.target == "/")
        #expect(request.request.body == Body(Array(#"{"a":1}"#.utf8)))
        #expect(request.response == nil && request.state == .failed)
        #expect(request.tags == ["comment": "Add to cart"])
    }

    @Test func mitmproxy() throws {
        let (exchanges, _) = try read(HARFixtures.mitmproxy)
        #expect(exchanges[0].timing.connect == Microseconds(2000))
        #expect(exchanges[0].timing.tls == Microseconds(3000))
        #expect(exchanges[0].response?.status == 302)
        #expect(
            exchanges[0].response?.body
                == Body(
                    bytes: Array("moved".utf8),
                    size: 40,
                    decodedSize: 40,
                    contentType: "text/plain"
                )
        )
        #expect(exchanges[1].response == nil)
        #expect(exchanges[1].error?.message == "connection lost")
        #expect(exchanges[1].timing.connect == nil)
    }

    @Test func codingIsAbsentRegardlessOfTheField() throws {
        for fixture in [
            HARFixtures.chrome, HARFixtures.firefox, HARFixtures.safari, HARFixtures.charles,
        ] {
            for exchange in try read(fixture).0 {
                #expect(exchange.request.body.coding.isEmpty)
                #expect(exchange.response?.body.coding.isEmpty != false)
            }
        }
    }
}
