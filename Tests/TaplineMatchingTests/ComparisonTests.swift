// SPDX-License-Identifier: MIT

import TaplineModel
import Testing

@testable import TaplineMatching

/// Reports about pairs of exchanges.
@Suite struct ComparisonTests {
    private func report(
        _ recorded: [Exchange],
        _ found: [Exchange],
        noise: NoiseRules = NoiseRules()
    ) -> ComparisonReport {
        var comparison = Comparison(ComparisonOptions(noise: noise))
        pairs(recorded, found) { left, right in
            switch (left, right) {
            case (let left?, let right?): comparison.add(left, right)
            case (let left?, nil): comparison.addMissing(left)
            case (nil, let right?): comparison.addExtra(right)
            case (nil, nil): break
            }
        }
        return comparison.finish()
    }

    private func pairs(
        _ recorded: [Exchange],
        _ found: [Exchange],
        _ body: (Exchange?, Exchange?) -> Void
    ) {
        func key(_ exchange: Exchange) -> RequestKey {
            RequestKey(exchange.request, session: Array(exchange.connection.client.utf8).span)
        }
        let alignment = PairAlignment(recorded.map(key), found.map(key))
        for (exchange, partner) in zip(recorded, alignment.partners) {
            body(exchange, partner.map { found[$0] })
        }
        for position in alignment.extra { body(nil, found[position]) }
    }

    private func learned(_ first: [Exchange], _ second: [Exchange]) -> NoiseRules {
        var learning = NoiseLearning(ComparisonOptions())
        pairs(first, second) { left, right in
            if let left, let right { learning.add(left, right, .secondRun) }
        }
        return learning.finish()
    }

    // MARK: A service whose answers vary

    @Test func regressionsAreFoundAmongIDsTimesAndTokens() throws {
        let recorded = Service.run(seed: 1)
        let rules = learned(recorded, Service.run(seed: 2))
        #expect(
            rules.lines.map { "\($0.rule.text) \($0.comment.prefix { $0 != ":" })" } == [
                "POST /login varies $.expires time", "POST /login varies $.token random",
                "POST /orders varies $.created_at time", "POST /orders varies $.id id",
                "POST /orders varies header.location id",
                "GET /orders/{id} varies $.created_at time",
                "GET /orders/{id} varies $.id id", "GET /search unordered $.hits order",
            ]
        )
        // A file that a person has read works like the rules themselves.
        let noise = try NoiseRules(rules.text)
        let same = report(recorded, Service.run(seed: 3), noise: noise)
        #expect(same.count == 0 && same.pairs == recorded.count && same.noise > 250)

        for seed in [4, 5] as [UInt64] {
            let found = report(recorded, Service.run(seed: seed, isBroken: true), noise: noise)
            let parts = found.routes.flatMap { route in
                route.parts.map { "\(route.name) \($0.path) \($0.kind.rawValue) \($0.count)" }
            }
            #expect(
                parts.sorted() == [
                    "GET /me $.name missing 40", "GET /search $.hits[*].price changed 40",
                    "POST /orders status changed 40",
                ]
            )
            #expect(found.differing == 120 && found.missing == 0 && found.extra == 0)
        }
    }

    @Test func withoutRulesEverythingThatVariesIsReported() {
        let found = report(Service.run(seed: 1), Service.run(seed: 2))
        let first = found.routes.first { $0.name == "POST /orders" }
        #expect(first?.differing == 40)
        #expect(first?.parts.map(\.path) == ["$.created_at", "$.id", "header.location"])
        #expect(first?.parts.allSatisfy { $0.count == 40 && $0.examples.count == 3 } == true)
    }

    @Test func missingAndExtraExchangesAreListed() {
        let recorded = Service.run(seed: 1)
        var found = Service.run(seed: 1)
        found.remove(at: 7)
        var other = found[3]
        other.request.target = "/new?x=1"
        found.insert(other, at: 20)
        let result = report(recorded, found)
        #expect(result.missing == 1 && result.extra == 1 && result.differing == 0)
        let names = result.routes.filter { $0.count > 0 }.map(\.name)
        #expect(names.contains("\(other.request.method) /new"))
    }

    // MARK: Parts

    private func exchange(
        _ status: Int = 200,
        _ fields: FieldSection = [:],
        _ body: String = "",
        target: ByteString = "/a"
    ) -> Exchange {
        var request = Request()
        request.target = target
        request.authority = "shop.test"
        var response = Response(status: status)
        response.fields = fields
        response.body = Body(Array(body.utf8))
        return Exchange(
            id: ExchangeID(high: 1, low: 1),
            request: request,
            response: response
        )
    }

    private func parts(_ recorded: Exchange, _ found: Exchange) -> [String] {
        var comparison = Comparison(ComparisonOptions())
        comparison.add(recorded, found)
        return comparison.finish().routes[0].parts.map { part in
            "\(part.path) \(part.kind.rawValue) \(part.examples[0].values)"
        }
    }

    @Test func bodiesOfErrorsAreNotComparedWithResults() {
        #expect(
            parts(exchange(200, [:], #"{"a":1}"#), exchange(500, [:], "oops"))
                == ["status changed 200 → 500"]
        )
        #expect(
            parts(exchange(200, [:], "a"), exchange(201, [:], "b"))
                == ["status changed 200 → 201", "text[*] changed \"a\" → \"b\""]
        )
    }

    @Test func failuresAreOutcomes() {
        var failed = exchange()
        failed.response = nil
        failed.state = .failed
        failed.error = ExchangeError(code: "reset")
        #expect(
            parts(exchange(), failed) == ["outcome changed status 200 → failed: reset"]
        )
        #expect(parts(failed, failed) == [])
    }

    @Test func finalStatusesOfCallsAreCompared() {
        func call(_ status: String?) -> Exchange {
            var call = exchange(200, ["Content-Type": "application/grpc"], "")
            call.request.fields = ["Content-Type": "application/grpc"]
            if let status { call.response?.trailers.append(name: "grpc-status", value: status) }
            return call
        }
        #expect(parts(call("5"), call("5")) == [])
        #expect(parts(call("5"), call("10")) == ["grpc.status changed NOT_FOUND → ABORTED"])
        #expect(parts(call("0"), call(nil)) == ["grpc.status changed OK → none"])
        #expect(learned([call("5")], [call("7")]).lines.isEmpty)
    }

    @Test func fieldsThatMatterAreCompared() {
        #expect(
            parts(
                exchange(
                    200,
                    ["Date": "a", "Content-Type": "text/html; charset=UTF-8", "Location": "/x"]
                ),
                exchange(
                    200,
                    [
                        "Date": "b", "content-type": "text/html;charset=utf-8",
                        "Location": "http://shop.test/x",
                    ]
                )
            ) == []
        )
        #expect(
            parts(exchange(302, ["Location": "/x"]), exchange(302, ["Location": "/y"]))
                == ["header.location changed \"/x\" → \"/y\""]
        )
        #expect(
            parts(exchange(200, ["Cache-Control": "no-store"]), exchange())
                == ["header.cache-control missing \"no-store\" → nothing"]
        )
    }

    @Test func messagesAreComparedByPosition() {
        func stream(_ texts: String...) -> Exchange {
            var exchange = exchange(101)
            exchange.messages = texts.map {
                StreamMessage(direction: .down, bytes: Array($0.utf8))
            }
            return exchange
        }
        #expect(
            parts(stream(#"{"n":1}"#, "a"), stream(#"{"n":2}"#, "a", "b")) == [
                "messages[*] added nothing → \"b\"", "messages[*].n changed 1 → 2",
            ]
        )
    }

    @Test func eventsThatOneSideKeepsOnlyInItsBodyAreComparedThere() {
        func stream(_ body: String, events: [String] = []) -> Exchange {
            var exchange = exchange(200, ["Content-Type": "text/event-stream"], body)
            exchange.messages = events.map {
                StreamMessage(direction: .down, type: "event", bytes: Array($0.utf8))
            }
            return exchange
        }
        let recorded = stream("data: 1\n\n", events: ["1"])
        #expect(parts(recorded, stream("data: 1\n\n")) == [])
        #expect(!parts(recorded, stream("data: 2\n\n")).isEmpty)
        // Without a body on both sides, only the events tell.
        #expect(!parts(recorded, stream("")).isEmpty)
    }

    @Test func examplesAreRedacted() {
        var comparison = Comparison(ComparisonOptions()) { exchange in
            var exchange = exchange
            exchange.request.target = "/token/***"
            exchange.response?.body = Body(Array(#"{"secret":"***"}"#.utf8))
            return exchange
        }
        comparison.add(
            exchange(200, [:], #"{"secret":"one"}"#, target: "/token/first"),
            exchange(200, [:], #"{"secret":"two"}"#, target: "/token/first")
        )
        let report = comparison.finish()
        #expect(report.routes.map(\.name) == ["GET /token/***"])
        #expect(report.differing == 1)
        let example = report.routes[0].parts[0].examples[0]
        #expect(example.target == "/token/***")
        #expect(example.values == "(redacted) → (another redacted value)")
    }

    @Test func examplesOfRemovedValuesShowOnWhichSideTheyAre() {
        func values(_ recorded: String, _ found: String) -> [String] {
            var comparison = Comparison(ComparisonOptions()) { exchange in
                var exchange = exchange
                exchange.response?.body = Body(Array("{}".utf8))
                return exchange
            }
            comparison.add(exchange(200, [:], recorded), exchange(200, [:], found))
            return comparison.finish().routes[0].parts[0].examples.map(\.values)
        }
        let (one, two, none) = (#"{"pin":1}"#, #"{"pin":2}"#, "{}")
        #expect(values(one, two) == ["(redacted) → (another redacted value)"])
        #expect(values(one, none) == ["(redacted) → nothing"])
        #expect(values(none, one) == ["nothing → (redacted)"])
    }

    @Test func manyDifferencesDoNotHideOtherParts() throws {
        func answer(_ day: Int, _ total: Int, _ order: String) -> Exchange {
            let item = #"{"made":"2026-11-\#(day)"}"#
            let items = Array(repeating: item, count: 600).joined(separator: ",")
            let body = #"{"items":[\#(items)],"order":[\#(order)],"total":\#(total)}"#
            return exchange(200, [:], body)
        }
        let (recorded, found) = (answer(20, 5, "1,2"), answer(21, 6, "2,1"))
        let noise = try NoiseRules("GET /a varies $.items[*].made")
        let filtered = report([recorded], [found], noise: noise)
        #expect(filtered.routes[0].parts.map(\.path) == ["$.order", "$.total"])
        #expect(filtered.differing == 1 && filtered.noise == 600 && filtered.incomplete == 0)

        let all = report([recorded], [found])
        #expect(all.routes[0].parts.map(\.path) == ["$.items[*].made", "$.order", "$.total"])
        #expect(
            learned([recorded], [found]).lines.map(\.rule.text) == [
                "GET /a varies $.items[*].made", "GET /a unordered $.order",
                "GET /a varies $.total",
            ]
        )
    }

    @Test func moreDifferencesThanAreKeptAreIncomplete() {
        func answer(_ value: Int) -> Exchange {
            let members = (0..<1500).map { #""\#(name($0))":\#(value)"# }
            return exchange(200, [:], "{\(members.joined(separator: ","))}")
        }
        // Names of letters only, which do not look like ids.
        func name(_ number: Int) -> String {
            String("\(number)".utf8.map { Character(Unicode.Scalar($0 + 0x31)) })
        }
        let found = report([answer(1)], [answer(2)])
        #expect(found.differing == 1 && found.incomplete == 1)
    }

    @Test func namesInRedactedObjectsAreNotShown() {
        var comparison = Comparison(ComparisonOptions()) { exchange in
            var exchange = exchange
            exchange.response?.body = Body(Array(#"{"credentials":"***"}"#.utf8))
            return exchange
        }
        comparison.add(
            exchange(200, [:], #"{"credentials":{"hunter":1}}"#),
            exchange(200, [:], #"{"credentials":{"hunter":2}}"#)
        )
        let part = comparison.finish().routes[0].parts[0]
        #expect(part.path == "$.credentials")
        #expect(part.examples.map(\.place) == ["$.credentials"])
    }

    @Test func repeatsTeachOnlyWhatVariesByItsShape() {
        var learning = NoiseLearning(ComparisonOptions())
        learning.add(
            exchange(200, [:], #"{"at":"2026-11-20T14:03:00Z","total":3,"state":"open"}"#),
            exchange(200, [:], #"{"at":"2026-11-20T14:03:01Z","total":4,"state":"paid"}"#),
            .repeats
        )
        #expect(learning.finish().lines.map(\.rule.text) == ["GET /a varies $.at"])
    }

    @Test func failuresAreNotLearnt() {
        var learning = NoiseLearning(ComparisonOptions())
        var failed = exchange()
        failed.response = nil
        failed.state = .failed
        learning.add(exchange(), failed, .secondRun)
        learning.add(exchange(200), exchange(503), .secondRun)
        #expect(learning.finish().isEmpty)
    }

    @Test(arguments: [(0, false), (30, true)])
    func latenciesAreComparedByRoute(milliseconds: Int64, isShift: Bool) {
        var comparison = Comparison(ComparisonOptions())
        var random = Numbers(state: 5)
        for _ in 0..<200 {
            var (left, right) = (exchange(), exchange())
            left.timing.total = Microseconds(100_000 + Int64(random.next() % 20_000))
            right.timing.total = Microseconds(
                100_000 + milliseconds * 1000 + Int64(random.next() % 20_000)
            )
            comparison.add(left, right)
        }
        let report = comparison.finish()
        #expect(report.count == 0 && report.shifts == (isShift ? 1 : 0))
        #expect(report.routes[0].latency?.isShift == isShift)
    }
}

extension ComparisonReport.Example {
    fileprivate var values: String { "\(recorded) → \(found)" }
}

/// A shop, whose answers contain ids, times and tokens that differ in each run.
private enum Service {
    /// The exchanges of 40 sessions side by side.
    static func run(seed: UInt64, isBroken: Bool = false) -> [Exchange] {
        var random = Numbers(state: seed &* 977)
        var exchanges: [Exchange] = []
        for session in 0..<40 {
            let id = word(&random)
            let requests = [
                (
                    "POST", "/login", #"{"user":"u\#(session)"}"#, 200,
                    #"{"token":"\#(word(&random))aB3xY9zQ7","expires":\#(1_795_000_000 + seed)}"#,
                    ""
                ),
                (
                    "GET", "/me", "", 200,
                    isBroken ? #"{"user":"u\#(session)"}"# : #"{"user":"u\#(session)","name":"N"}"#,
                    ""
                ),
                ("GET", "/search?q=\(session)", "", 200, hits(&random, isBroken), ""),
                (
                    "POST", "/orders", #"{"item":1,"at":\#(seed)}"#, isBroken ? 202 : 201,
                    #"{"id":"\#(id)","created_at":"\#(time(&random))","total":\#(session)}"#,
                    "/orders/\(id)"
                ),
                (
                    "GET", "/orders/\(id)", "", 200,
                    #"{"id":"\#(id)","created_at":"\#(time(&random))","total":\#(session)}"#, ""
                ),
            ]
            for (method, target, body, status, answer, location) in requests {
                var request = Request(method: ByteString(method), target: ByteString(target))
                request.authority = "shop.test"
                request.body = Body(Array(body.utf8))
                var response = Response(status: status)
                response.fields = ["Content-Type": "application/json"]
                if !location.isEmpty { response.fields.append(name: "Location", value: location) }
                response.body = Body(Array(answer.utf8))
                var exchange = Exchange(
                    id: ExchangeID(high: seed, low: UInt64(exchanges.count)),
                    request: request,
                    response: response
                )
                exchange.connection.client = "10.0.\(seed).\(session):1"
                exchanges.append(exchange)
            }
        }
        // Sessions run side by side, in another order in each run.
        var rest = Dictionary(grouping: exchanges) { $0.connection.client }.mapValues { $0[...] }
        var order: [Exchange] = []
        while !rest.isEmpty {
            let clients = rest.keys.sorted()
            let client = clients[Int(random.next() % UInt64(clients.count))]
            if let next = rest[client]?.popFirst() { order.append(next) }
            if rest[client]?.isEmpty == true { rest[client] = nil }
        }
        return order
    }

    private static func word(_ random: inout Numbers) -> String {
        String(random.next() | 1 << 63, radix: 16)
    }

    private static func time(_ random: inout Numbers) -> String {
        "2026-11-20T14:03:\(10 + random.next() % 50)Z"
    }

    /// Three hits in any order.
    private static func hits(_ random: inout Numbers, _ isBroken: Bool) -> String {
        let hits = (1...3).map { #"{"sku":"s\#($0)","price":\#($0 * 10 + (isBroken ? 1 : 0))}"# }
        let start = Int(random.next() % 3)
        return #"{"hits":[\#((hits[start...] + hits[..<start]).joined(separator: ","))]}"#
    }
}
