// SPDX-License-Identifier: MIT

internal import RedactStage
internal import TaplineDetectors
internal import TaplineModel
internal import TaplinePlugin

/// The stage `redact` with detectors, and with decoding of everything embedded in bodies.
extension Parts {
    func runDetection(_ row: (PartResult?) -> Void) {
        let both = Self.stage("detectors: standard")
        let bare = exchanges.map { exchange in
            var exchange = exchange
            exchange.request.body = Body()
            exchange.response?.body = Body()
            return exchange
        }
        row(measure("redact, detectors, no body") { Self.run(both, bare[$0]) })
        let found = bare.map { exchange in
            var exchange = exchange
            exchange.request.fields.append(name: "X-Customer", value: "jane@shop.test")
            return exchange
        }
        row(measure("redact, detectors, no body, an e-mail address") { Self.run(both, found[$0]) })
        let named = Self.stage("{}")
        let formed = Self.stage("{ preset: none, detectors: standard }")
        let neither = Self.stage("preset: none")
        for (name, bytes) in EncodedBodies.all {
            let isJSON = name.hasPrefix("JSON")
            let exchange = Self.exchange(bytes, isJSON ? "application/json" : "text/plain")
            let size = "\(bytes.count >> 10) KiB of \(name)"
            for (options, stage) in [
                ("decoding alone", neither), ("detectors alone", formed), ("standard", named),
                ("standard and detectors", both),
            ] {
                row(
                    measure("redact, \(options), \(size)", every: bytes.count >> 9) { _ in
                        Self.run(stage, exchange)
                    }
                )
            }
        }
    }

    private static func stage(_ options: String) -> any RecordStage {
        let library = PluginRegistry.detectors.detectors
        guard
            let made = try? StagePlugin.redact.stage(options, detectors: library),
            let stage = made as? any RecordStage
        else { fail("redact cannot be created") }
        return stage
    }

    private static func run(_ stage: any RecordStage, _ exchange: Exchange) {
        var exchange = exchange
        var context = ExchangeContext()
        guard (try? stage.record(&exchange, &context)) != nil else { fail("threw") }
    }

    private static func exchange(_ body: [UInt8], _ type: String) -> Exchange {
        Exchange(
            id: ExchangeID(high: 1, low: 2),
            request: Request(
                method: "POST",
                target: "/orders",
                authority: "api.shop.test",
                fields: ["Content-Type": type],
                body: Body(body)
            )
        )
    }
}

/// Bodies, most of them slightly larger than 8 KiB.
private enum EncodedBodies {
    static let all = [
        ("JSON", list(8 << 10) { plain($0) }),
        ("JSON", list(256 << 10) { plain($0) }),
        ("JSON, escapes in each text", list(8 << 10) { escaped($0) }),
        ("JSON, base64 in each text", list(8 << 10) { encoded($0) }),
        ("at signs", [UInt8](repeating: UInt8(ascii: "@"), count: 8 << 10)),
    ]

    private static func plain(_ number: Int) -> String {
        "{\"id\":\(number),\"name\":\"Customer \(number)\",\"city\":\"Springfield\","
            + "\"active\":\(number % 2 == 0),\"balance\":\(number).25,\"created_at\":"
            + "\"2026-11-20T14:03:00Z\",\"tags\":[\"a\",\"b\",\"c\"],\"parent\":null,"
            + "\"link\":\"https://api.shop.test/customers/\(number)?expand=orders\"}"
    }

    private static func escaped(_ number: Int) -> String {
        "{\"link\":\"https:\\/\\/api.shop.test\\/customers\\/\(number)?q=%7B%22a%22%3A1%7D\","
            + "\"text\":\"Line \(number)\\nand another \\u00e9\",\"inner\":"
            + "\"{\\\"id\\\":\(number),\\\"name\\\":\\\"Customer\\\"}\"}"
    }

    private static func encoded(_ number: Int) -> String {
        "{\"cursor\":\"eyJpZCI6NDIsIm5hbWUiOiJDdXN0b21lciIsImFmdGVyIjoiMjAyNi0xMS0yMCJ9\","
            + "\"id\":\"0193b7c4-5d6e-7f80-91a2-b3c4d5e6f708\",\"etag\":"
            + "\"d41d8cd98f00b204e9800998ecf8427e\",\"n\":\(number)}"
    }

    private static func list(_ size: Int, _ element: (Int) -> String) -> [UInt8] {
        var bytes = Array("[".utf8)
        var number = 0
        while bytes.count < size {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += element(number).utf8
            number += 1
        }
        return bytes + Array("]".utf8)
    }
}
