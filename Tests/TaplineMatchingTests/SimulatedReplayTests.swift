// SPDX-License-Identifier: MIT

import TaplineMatching
import TaplineModel
import TestSupport
import Testing

/// Recordings of a service, replayed against an instance with other ids and tokens.
@Suite struct SimulatedReplayTests {
    private struct Result {
        var sameStatus = 0
        var bound = 0
        var missing = 0
        var waited = 0
        /// The requests with another status, for messages.
        var others: [String] = []
    }

    private func bindings(_ recording: [Exchange]) -> [TokenBinding] {
        var finder = TokenFinder()
        for exchange in recording { finder.read(exchange) }
        return finder.findings().bindings
    }

    /// Replays a recording; answers arrive in a random order.
    private func replay(
        _ recording: [Exchange],
        _ bindings: [TokenBinding],
        to service: ShopService,
        seed: UInt64,
        failing: Set<Int> = []
    ) -> Result {
        var service = service
        var random = Random(seed: seed)
        let map = TokenMap(bindings)
        var sessions = RecordedSessions(key: .automatic, map: map)
        var tokens = SessionTokens(map: map)
        var machine = ReplaySessionsStateMachine(limit: 1_000_000)
        var plans: [PlannedRequest] = []
        var inFlight: [(sequence: Int, response: Response)] = []
        var result = Result()
        func send(_ number: Int) {
            var request = recording[number].request
            let plan = plans[number]
            let use = tokens.apply(
                to: &request,
                of: recording[number].request,
                in: plan.session,
                expecting: plan.tokens
            )
            result.bound += use.bound.count
            result.missing += use.missing.count
            if failing.contains(number) {
                inFlight.append((number, Response(status: 0)))
            } else {
                inFlight.append((number, service.respond(to: request)))
            }
        }
        func answer() {
            let (number, response) = inFlight.remove(at: random.below(inFlight.count))
            let recorded = recording[number]
            if response.status == recorded.response?.status {
                result.sameStatus += 1
            } else {
                result.others.append(
                    "\(recorded.request.method) \(recorded.request.target): \(response.status)"
                )
            }
            tokens.observe(response, for: recorded, in: plans[number].session)
            let outcome: ReplaySessionsStateMachine.Outcome =
                failing.contains(number) ? .failed : .answered
            for released in machine.ended(number, outcome) { send(released) }
        }
        for exchange in recording {
            let plan = sessions.read(exchange)
            plans.append(plan)
            if machine.added(plan) { send(plan.sequence) }
            while random.below(3) == 0, !inFlight.isEmpty { answer() }
        }
        while !inFlight.isEmpty { answer() }
        let isIdle = machine.isIdle
        #expect(isIdle)
        result.waited = machine.counts.waited
        return result
    }

    @Test(arguments: UInt64(1)...5)
    func allRequestsSucceedAgainstAFreshInstance(seed: UInt64) {
        let recording = ShopRecording(users: 40, seed: seed, service: ShopService(seed: seed))
            .exchanges
        let bindings = bindings(recording)
        let fresh = ShopService(seed: seed + 100, offers: 3)
        let result = replay(recording, bindings, to: fresh, seed: seed)
        #expect(result.sameStatus == recording.count, "\(result.others.prefix(5))")
        #expect(result.missing == 0)
        #expect(result.bound > recording.count)
        #expect(result.waited > 0)
        // Without bindings, only logins and first pages succeed.
        let unbound = replay(recording, [], to: fresh, seed: seed)
        #expect(unbound.sameStatus < recording.count / 4)
    }

    @Test func theMapNamesWhatIsHandedOutAndSentBack() {
        let recording = ShopRecording(users: 20, seed: 9, service: ShopService(seed: 9)).exchanges
        let found = bindings(recording)
        func targets(_ source: String) -> Set<String> {
            Set(found.filter { $0.source.text == source }.flatMap { $0.targets.map(\.text) })
        }
        #expect(
            targets("response json $.access_token of POST shop.test/login")
                == ["request header authorization"]
        )
        #expect(targets("response cookie sid of POST shop.test/login") == ["request cookie sid"])
        #expect(
            targets("response json $.order.number of POST shop.test/orders").isSuperset(of: [
                "request path 2 of GET shop.test/orders/{id}",
                "request path 2 of GET shop.test/orders/{id}/confirm",
            ])
        )
        #expect(
            targets("response form nonce of GET shop.test/orders/{id}/confirm")
                == ["request form nonce of POST shop.test/orders/{id}/confirm"]
        )
        #expect(
            targets("response header etag of GET shop.test/orders/{id}")
                == ["request header if-match"]
        )
        #expect(
            targets("response json $.next query cursor of GET shop.test/home")
                == ["request query cursor of GET shop.test/home"]
        )
        #expect(Set(found.map(\.name)).count == found.count)
    }

    @Test func aMapIsTheSameAfterParsing() throws {
        let recording = ShopRecording(users: 20, seed: 3, service: ShopService(seed: 3)).exchanges
        let found = bindings(recording)
        for binding in found {
            #expect(try TokenPlace(parsing: binding.source.text) == binding.source)
            for target in binding.targets {
                #expect(try TokenPlace(parsing: target.text) == target)
            }
        }
    }

    @Test func aFailedLoginMakesTokensMissingAndNothingWaitForever() {
        let recording = ShopRecording(users: 5, seed: 4, service: ShopService(seed: 4)).exchanges
        let login = recording.firstIndex { $0.request.target == "/login" }
        let result = replay(
            recording,
            bindings(recording),
            to: ShopService(seed: 104),
            seed: 4,
            failing: Set([login].compactMap { $0 })
        )
        // One user cannot do anything but read pages.
        #expect(result.missing > 0)
        #expect(result.sameStatus > recording.count / 2)
        #expect(result.sameStatus < recording.count)
    }

    @Test func sessionsAreFoundByTheirTokens() {
        let recording = ShopRecording(users: 30, seed: 6, service: ShopService(seed: 6)).exchanges
        var sessions = RecordedSessions(key: .automatic, map: TokenMap(bindings(recording)))
        var ofUser: [String: Set<SessionID>] = [:]
        for exchange in recording {
            let plan = sessions.read(exchange)
            guard let token = exchange.request.fields.first("Authorization") else { continue }
            ofUser[token.description, default: []].insert(plan.session)
        }
        #expect(ofUser.count == 30)
        #expect(ofUser.values.allSatisfy { $0.count == 1 })
        #expect(Set(ofUser.values.flatMap { $0 }).count == 30)
    }

    @Test func aMapOfLimitedSizeForgetsValues() {
        let recording = ShopRecording(users: 40, seed: 7, service: ShopService(seed: 7)).exchanges
        var finder = TokenFinder(capacity: 50)
        for exchange in recording { finder.read(exchange) }
        #expect(finder.findings().forgotten > 0)
    }

    @Test func whatAClientKnewFirstIsNoToken() {
        var finder = TokenFinder()
        for number in 0..<3 {
            var request = Request(method: "GET", target: "/a?mail=ada12@x.test", authority: "x")
            request.fields.append(name: "Authorization", value: "Bearer known-9f8e7d")
            var response = Response(fields: ["Content-Type": "application/json"])
            response.body = Body(Array(#"{"mail":"ada12@x.test","t":"known-9f8e7d"}"#.utf8))
            finder.read(
                Exchange(
                    id: ExchangeID(high: 0, low: 0),
                    started: Timestamp(microseconds: Int64(number) * 10),
                    request: request,
                    response: response
                )
            )
        }
        #expect(finder.findings().bindings.isEmpty)
    }
}
