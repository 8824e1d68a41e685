// SPDX-License-Identifier: MIT

internal import RedactStage
internal import TaplineModel
internal import TaplinePlugin

/// The stage `redact` for exchanges without a body, and with several kinds of JSON bodies.
extension Parts {
    func runRedaction(_ row: (PartResult?) -> Void) {
        guard let redact = try? StagePlugin.redact.stage("{}") as? any RecordStage else {
            fail("redact cannot be created")
        }
        let bare = exchanges.map { exchange in
            var exchange = exchange
            exchange.request.body = Body()
            exchange.response?.body = Body()
            return exchange
        }
        row(measure("redact, standard, no body") { Self.run(redact, bare[$0]) })
        let new = bare.enumerated().map { Self.unlikeOthers($1, $0) }
        row(measure("redact, standard, no body, new values") { Self.run(redact, new[$0]) })
        row(measure("redact, no body, only the benchmark's copy") { Self.copy(bare[$0]) })
        runPresets(bare, row)
        for (name, body) in [
            ("objects", JSONBodies.objects), ("numbers", JSONBodies.numbers),
            ("texts", JSONBodies.texts), ("objects, laid out", JSONBodies.laidOut),
        ] {
            let exchange = Self.exchange(body)
            row(
                measure("redact, standard, \(body.count >> 10) KiB of JSON: \(name)", every: 16) {
                    _ in Self.run(redact, exchange)
                }
            )
        }
    }

    /// `preset: strict` compared with `standard` with the same action, with repeated and new
    /// values.
    private func runPresets(_ bare: [Exchange], _ row: (PartResult?) -> Void) {
        let body = JSONBodies.texts
        for preset in ["standard", "strict"] {
            let made = try? StagePlugin.redact.stage(
                "{preset: \(preset), action: pseudonym, key_env: BENCH_KEY}",
                environment: ["BENCH_KEY": "0123456789abcdef"]
            )
            guard let stage = made as? any RecordStage else {
                fail("redact cannot be created with \(preset)")
            }
            row(measure("redact, \(preset), stand-ins, no body") { Self.run(stage, bare[$0]) })
            let new = bare.enumerated().map { Self.unlikeOthers($1, $0) }
            row(
                measure("redact, \(preset), stand-ins, no body, new values") {
                    Self.run(stage, new[$0])
                }
            )
            let exchange = Self.exchange(body)
            row(
                measure(
                    "redact, \(preset), stand-ins, \(body.count >> 10) KiB of JSON: texts",
                    every: 16
                ) { _ in Self.run(stage, exchange) }
            )
        }
    }

    private static func run(_ stage: any RecordStage, _ exchange: Exchange) {
        var exchange = exchange
        var context = ExchangeContext()
        guard (try? stage.record(&exchange, &context)) != nil else { fail("threw") }
    }

    /// An exchange whose field values are all unique, unlike real traffic.
    private static func unlikeOthers(_ exchange: Exchange, _ number: Int) -> Exchange {
        func marked(_ fields: FieldSection) -> FieldSection {
            var result = FieldSection()
            for position in fields.indices {
                var value = Array(copying: fields.value(at: position))
                value += " \(number)".utf8
                result.append(name: fields.name(at: position), value: value.span)
            }
            return result
        }
        var exchange = exchange
        exchange.request.authority = ByteString("shop\(number).test")
        exchange.request.fields = marked(exchange.request.fields)
        if let fields = exchange.response?.fields { exchange.response?.fields = marked(fields) }
        return exchange
    }

    /// Copies an exchange, and its fields again when a field is written, as in calls of the stage.
    ///
    /// A pipeline does not have this cost, since it owns its exchanges.
    @inline(never)
    private static func copy(_ exchange: Exchange) {
        var exchange = exchange
        exchange.request.fields.replaceValue(at: 0, with: "".utf8.span)
        exchange.response?.fields.replaceValue(at: 0, with: "".utf8.span)
        if exchange.request.fields.isEmpty { fail("no fields") }
    }

    private static func exchange(_ body: [UInt8]) -> Exchange {
        Exchange(
            id: ExchangeID(high: 1, low: 2),
            request: Request(
                method: "POST",
                target: "/orders",
                authority: "api.shop.test",
                fields: ["Content-Type": "application/json"],
                body: Body(body)
            )
        )
    }
}

/// Bodies of JSON, slightly larger than 32 KiB each.
private enum JSONBodies {
    /// Typical API content: names, short texts, numbers, and a secret in every twentieth object.
    static let objects = list { number in
        let secret = number % 20 == 0 ? ",\"access_token\":\"\(number * 7919)-abcdef\"" : ""
        return "{\"id\":\(number),\"name\":\"Customer \(number)\",\"city\":\"Springfield\","
            + "\"active\":\(number % 2 == 0),\"balance\":\(number).25,\"created_at\":"
            + "\"2026-11-20T14:03:00Z\",\"tags\":[\"a\",\"b\",\"c\"],\"parent\":null,"
            + "\"link\":\"https://api.shop.test/customers/\(number)?expand=orders\"\(secret)}"
    }
    static let numbers = list { number in "[\(number),\(number * 31).5,-\(number)e3,0,1,2,3]" }
    static let texts = list { number in
        "{\"text\":\"It was the \(number)th of times, it was the age of wisdom and of names, and "
            + "nobody knew why the words went on for so long without a break in them, nor who "
            + "had \\\"asked\\\" for more; so they went on, and on, and said nothing at all.\"}"
    }
    static let laidOut = list { number in
        "\n    {\n        \"id\": \(number),\n        \"name\": \"Customer \(number)\",\n"
            + "        \"address\": {\n            \"city\": \"Springfield\",\n"
            + "            \"zip\": \"12345\"\n        },\n        \"orders\": [ 1, 2, 3 ]\n    }"
    }

    private static func list(_ element: (Int) -> String) -> [UInt8] {
        var bytes = Array("[".utf8)
        var number = 0
        while bytes.count < 32 << 10 {
            if number > 0 { bytes.append(UInt8(ascii: ",")) }
            bytes += element(number).utf8
            number += 1
        }
        return bytes + Array("]".utf8)
    }
}
