// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineModel
import TaplinePlugin
import TestSupport
import Testing

@testable import RedactStage

/// Records that consist of secrets, in all places and all notations; none may remain.
@Suite struct StrictPlantedTests {
    /// Returns seven bytes as a number; no secret is shorter.
    private static func window(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns all runs of seven bytes in texts.
    private static func windows(_ layers: [[UInt8]]) -> Set<UInt64> {
        var windows: Set<UInt64> = []
        for layer in layers {
            var word: UInt64 = 0
            for byte in layer {
                word = (word << 8 | UInt64(byte)) & 0xFF_FFFF_FFFF_FFFF
                windows.insert(word)
            }
        }
        return windows
    }

    /// Whether texts contain a part; seven digits may occur in hashes by chance.
    private static func holds(_ layers: [[UInt8]], _ part: some Sequence<UInt8>) -> Bool {
        let wanted = String(decoding: Array(part), as: UTF8.self)
        return layers.contains { String(decoding: $0, as: UTF8.self).contains(wanted) }
    }

    /// Returns all texts of an exchange, and everything that can be decoded from them, repeatedly.
    private static func layers(_ exchange: Exchange) -> [[UInt8]] {
        var layers: [[UInt8]] = [line(exchange)]
        let finder = EmbeddedFinder()
        for _ in 0..<4 {
            guard let last = layers.last else { break }
            var runs: [EmbeddedRun] = []
            finder.find(in: last.span, appendingTo: &runs)
            var next: [UInt8] = []
            for run in runs {
                _ = finder.decode(
                    last.span.extracting(run.range),
                    from: run.form,
                    limit: 1 << 20,
                    appendingTo: &next
                )
                next.append(0x0A)
            }
            guard !next.isEmpty else { break }
            layers.append(next)
        }
        return layers
    }

    private static func line(_ exchange: Exchange) -> [UInt8] {
        var output: [UInt8] = []
        func add(_ bytes: Span<UInt8>) {
            output.append(copying: bytes)
            output.append(0x0A)
        }
        func add(_ fields: FieldSection) {
            for position in fields.indices {
                add(fields.name(at: position))
                add(fields.value(at: position))
            }
        }
        let request = exchange.request
        for text in [request.method, request.target, request.authority, request.version] {
            add(text.span)
        }
        add(request.fields)
        add(request.trailers)
        add(request.body.bytes.span)
        add(request.body.contentType.span)
        if let response = exchange.response {
            add(response.reason.span)
            add(response.fields)
            add(response.trailers)
            add(response.body.bytes.span)
            for interim in response.interim {
                add(interim.reason.span)
                add(interim.fields)
            }
        }
        for text in [exchange.original.url, exchange.original.method] {
            if let text { add(text.span) }
        }
        let tls = exchange.connection.tls
        for text in [
            exchange.connection.client, exchange.connection.server, tls?.sni ?? "",
            tls?.alpn ?? "", tls?.version ?? "", exchange.error?.code ?? "",
            exchange.error?.message ?? "",
        ] {
            add(text.utf8.span)
        }
        for tag in exchange.tags {
            add(tag.name.utf8.span)
            add(tag.value.utf8.span)
        }
        for message in exchange.messages {
            add(message.type.utf8.span)
            add(message.bytes.span)
        }
        return output
    }

    @Test(arguments: ["pseudonym", "mask", "hash", "remove"], 0..<6)
    func allPlantedSecretsAreRemoved(action: String, seed: Int) throws {
        let factory = try #require(build("{preset: strict, action: \(action)}").factory)
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for number in 0..<Rounds.count(8, long: 100) {
            var planter = StrictPlanter(seed: seed * 1000 + number + 1)
            var full = planter.record()
            var context = ExchangeContext()
            context.vars = ["x": planter.secret()]
            _ = try stage.record(&full, &context)
            let layers = Self.layers(full)
            let windows = Self.windows(layers)
            for secret in planter.secrets {
                // For a value with separators, each part is checked.
                for part in secret.utf8.split(whereSeparator: { "-_.!*".utf8.contains($0) })
                where windows.contains(Self.window(part.prefix(7)))
                    && Self.holds(layers, part.prefix(12))
                {
                    let text = String(decoding: Array(part), as: UTF8.self)
                    let shown = String(decoding: layers[0], as: UTF8.self)
                    Issue.record("\(seed)/\(number): '\(text)' in \(shown)")
                }
            }
            #expect(!planter.secrets.contains(context.vars["x"] ?? ""))
        }
    }

    @Test(arguments: 0..<Rounds.count(24, long: 400))
    func jsonStaysValid(seed: Int) throws {
        var planter = StrictPlanter(seed: seed + 9000)
        let text = planter.json(4)
        for action in ["pseudonym", "mask", "hash"] {
            let made = try redactBody(
                text,
                "application/json",
                "{preset: strict, action: \(action)}"
            )
            let words = StrictWords(ownNames: [])
            #expect(JSONOutline(Array(made.utf8).span, words, maxDepth: 100) != nil, "\(made)")
        }
    }

    @Test(arguments: 0..<40)
    func noBytesTrap(seed: Int) throws {
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", "token", "=", "&", ";", "?", "#", "%", "%3D",
            "://", "@", "a", " ", "\r\n", "\u{0}", "\u{FF}", "--xYz", "--", "1", "-", "'", "/", "+",
            "Content-Disposition: form-data; name=\"pwd\"", "data:", "\\u00", "<", ">", "<!--",
            "/>",
            "</", "<a ", "&#", "é", ".", "e9", "//", "*",
        ]
        var random = Random(seed: UInt64(seed) + 4000)
        let factory = try #require(
            build(#"{preset: strict, keep: ["$..a", "$.a[*].b", json id, query a]}"#).factory
        )
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for _ in 0..<Rounds.count(15, long: 300) {
            func text() -> String {
                (0..<random.below(24)).map { _ in random.pick(pieces) }.joined()
            }
            let type = random.pick([
                "application/json", "text/plain", "multipart/form-data; boundary=xYz", "",
                "application/x-www-form-urlencoded", "text/event-stream", "text/html", "text/csv",
                text(),
            ])
            var full = exchange(
                target: text(),
                fields: [
                    "Cookie": text(), "Set-Cookie": text(), "Location": text(), text(): text(),
                    "Content-Disposition": text(), "Date": text(), "Server": text(),
                    "Host": text(),
                ],
                type: type,
                body: text()
            )
            full.request.authority = ByteString(text())
            full.connection = Connection(client: text(), server: text())
            full.tags = ["a": text(), text(): text()]
            full.error = ExchangeError(code: text(), message: text())
            full.messages = [StreamMessage(direction: .up, bytes: Array(text().utf8))]
            var context = ExchangeContext()
            _ = try stage.record(&full, &context)
        }
    }

    @Test(
        .timeLimit(.minutes(1)),
        arguments: [
            "application/json", "text/plain", "text/html", "text/csv", "text/event-stream",
            "application/x-www-form-urlencoded", "multipart/form-data; boundary=b",
        ]
    )
    func hostileTextsTakeLinearTime(type: String) throws {
        let factory = try #require(build("preset: strict").factory)
        let stage = try #require(
            try factory.makeStage(StageContext(id: "redact")) as? any RecordStage
        )
        for unit in [
            "<a ", "<", "<a '", "<!--", "</", "{", "[", "{\"a\":", "\"", "\\", "&#", "a:", "a=b&",
            "--b\r\n", "/", "http://", "%25", "a@a", "=", "/* ", "{\"a\":\"{\\\"a\\\":", "user:",
        ] {
            var hostile = exchange(
                type: type,
                body: String(repeating: unit, count: (1 << 14) / unit.utf8.count)
            )
            var context = ExchangeContext()
            _ = try stage.record(&hostile, &context)
        }
    }
}
