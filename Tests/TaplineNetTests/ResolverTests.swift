// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineNet

/// Lookups with a name server on loopback.
@Suite struct ResolverTests {
    /// Runs with a server and a resolver that queries it.
    private func withResolver(
        isV6: Bool = false,
        change: (@Sendable (inout ConnectorOptions) -> Void)? = nil,
        _ reply: @escaping @Sendable (String) -> DNSServer.Reply,
        _ start: @escaping @Sendable (Resolver, EventLoop) -> Void,
        _ body: (DNSServer, EventLoopGroup) throws -> Void
    ) throws {
        let server = try DNSServer(isV6: isV6, reply)
        defer { server.stop() }
        let text = server.text
        try withLoops { loop, _ in
            var options = ConnectorOptions()
            options.resolver.servers = text
            change?(&options)
            let resolver = Resolver(on: loop, options)
            loop.atEnd { _ = resolver }
            start(resolver, loop)
        } _: { group in
            try body(server, group)
        }
    }

    /// Returns the results of lookups of these names, in the order of their answers.
    private func answers(
        _ names: [String],
        isV6: Bool = false,
        change: (@Sendable (inout ConnectorOptions) -> Void)? = nil,
        _ reply: @escaping @Sendable (String) -> DNSServer.Reply
    ) throws -> (answers: [String], questions: [String]) {
        let events = Events()
        var questions: [String] = []
        try withResolver(isV6: isV6, change: change, reply) { resolver, _ in
            for name in names {
                _ = resolver.lookUp(name) { events.add("\(name): \(Self.text($0))") }
            }
        } _: { server, _ in
            blockingWait(for: "all names to be resolved") { events.all.count == names.count }
            questions = server.questions
        }
        return (events.all, questions)
    }

    private static func text(_ answer: NameCache.Answer) -> String {
        switch answer {
        case .success(let addresses): addresses.map { "\($0.ip)" }.sorted().joined(separator: " ")
        case .failure(let error): "\(error.code) \(error.name) \(error)"
        }
    }

    @Test(arguments: [false, true])
    func takesTheAddressesOfBothFamilies(isV6: Bool) throws {
        let outcome = try answers(["Shop.Test", "four.test", "six.test"], isV6: isV6) { name in
            switch name {
            case "shop.test": .addresses(["127.0.0.2", "::1", "127.0.0.3"])
            case "four.test": .addresses(["127.0.0.4"])
            default: .addresses(["2001:db8::1"])
            }
        }
        #expect(
            outcome.answers.sorted() == [
                "Shop.Test: 127.0.0.2 127.0.0.3 ::1", "four.test: 127.0.0.4",
                "six.test: 2001:db8::1",
            ]
        )
        #expect(outcome.questions.contains("shop.test A"))
        #expect(outcome.questions.contains("shop.test AAAA"))
    }

    @Test func reportsWhyThereIsNoAddress() throws {
        let options: @Sendable (inout ConnectorOptions) -> Void = {
            $0.resolver.firstTimeout = Microseconds(50_000)
            $0.resolver.tries = 2
        }
        let names = ["none.test", "fails.test", "refuses.test", "empty.test", "silent.test"]
        let outcome = try answers(names, change: options) { name in
            switch name {
            case "none.test": .code(3)
            case "fails.test": .code(2)
            case "refuses.test": .code(5)
            case "empty.test": .addresses([])
            default: .silence
            }
        }
        #expect(
            outcome.answers.sorted() == [
                "empty.test: dns ENODATA cannot look up 'empty.test'; the name has no address",
                "fails.test: dns ESERVFAIL cannot look up 'fails.test'; the name server failed (SERVFAIL)",
                "none.test: dns ENOTFOUND cannot look up 'none.test'; the name does not exist",
                "refuses.test: dns EREFUSED cannot look up 'refuses.test'; the name server refused to "
                    + "answer",
                "silent.test: dns ETIMEOUT cannot look up 'silent.test'; no name server answered",
            ]
        )
    }

    @Test func reportsAServerPortThatDoesNotAnswer() throws {
        let free = try DNSServer { _ in .silence }
        free.stop()
        let address = free.text
        let change: @Sendable (inout ConnectorOptions) -> Void = {
            $0.resolver.servers = address
            $0.resolver.firstTimeout = Microseconds(50_000)
        }
        let outcome = try answers(["shop.test"], change: change) { _ in .silence }
        // Not every kernel notifies a socket that a port is closed (udp(7)).
        let expected = [
            "shop.test: dns ECONNREFUSED cannot look up 'shop.test'; no name server gave an answer",
            "shop.test: dns ETIMEOUT cannot look up 'shop.test'; no name server answered",
        ]
        #expect(outcome.answers.count == 1 && expected.contains(outcome.answers[0]))
    }

    @Test func queriesTheNextServerIfOneFails() throws {
        let failing = try DNSServer { _ in .code(2) }
        defer { failing.stop() }
        let second = try DNSServer { $0 == "none.test" ? .code(3) : .addresses(["127.0.0.2"]) }
        defer { second.stop() }
        let servers = "\(failing.text),\(second.text)"
        let outcome = try answers(
            ["shop.test", "none.test"],
            change: { $0.resolver.servers = servers }
        ) { _ in .silence }
        #expect(outcome.answers.contains("shop.test: 127.0.0.2"))
        #expect(outcome.answers.contains { $0.hasSuffix("the name does not exist") })
        #expect(failing.questions.contains("shop.test A"))
    }

    /// More names than have a channel of their own; libuv had four threads for all of them.
    @Test func hangingNamesDoNotDelayOthers() throws {
        let events = Events()
        let started = SteadyClock.microseconds
        try withResolver(change: nil) { name in
            name.hasPrefix("hangs") ? .silence : .addresses(["127.0.0.9"])
        } _: { resolver, loop in
            for number in 0..<80 {
                _ = resolver.lookUp("hangs\(number).test") { _ in events.add("hung") }
            }
            for name in ["quick.test", "localhost", "127.0.0.1"] {
                _ = resolver.lookUp(name) { events.add("\(name): \(Self.text($0))") }
            }
            // Again, from the cache.
            let timer = LoopTimer(on: loop) {
                _ = resolver.lookUp("quick.test") { events.add("again: \(Self.text($0))") }
            }
            timer.arm(after: Microseconds(300_000))
            loop.atEnd { _ = timer }
        } _: { server, _ in
            blockingWait(for: "the four lookups to end") { events.all.count == 4 }
            #expect(server.questions.filter { $0 == "quick.test A" }.count == 1)
        }
        let elapsed = SteadyClock.microseconds - started
        // Names that need no server are resolved at once.
        #expect(events.all.prefix(2).allSatisfy { !$0.hasPrefix("quick") })
        #expect(events.all.contains("127.0.0.1: 127.0.0.1"))
        #expect(Set(events.all).isSuperset(of: ["quick.test: 127.0.0.9", "again: 127.0.0.9"]))
        #expect(events.all.contains { $0.hasPrefix("localhost: 127.0.0.1") })
        #expect(elapsed < 2_000_000, "\(elapsed)")
    }

    @Test func manyNamesAreResolvedConcurrently() throws {
        let names = (0..<300).map { "n\($0).test" }
        let outcome = try answers(names) { .late(20, ["127.0.1.\($0.count)"]) }
        #expect(Set(outcome.answers).count == 300)
        #expect(outcome.answers.allSatisfy { $0.contains(": 127.0.1.") })
    }

    @Test func concurrentLookupsOfANameAreShared() throws {
        let names = Array(repeating: "shop.test", count: 20)
        let outcome = try answers(names) { _ in .late(50, ["127.0.0.2"]) }
        #expect(outcome.answers == Array(repeating: "shop.test: 127.0.0.2", count: 20))
        #expect(outcome.questions.sorted() == ["shop.test A", "shop.test AAAA"])
    }

    @Test(arguments: [
        ("127.0.0.1", "127.0.0.1"), ("::1", "::1"), ("127.1", "127.0.0.1"), ("0x7f.1", "127.0.0.1"),
        ("fe80::1%1", "fe80::1"),
    ])
    func addressesAreNotLookedUp(host: String, address: String) throws {
        let outcome = try answers([host]) { _ in .code(3) }
        #expect(outcome.answers == ["\(host): \(address)"])
        #expect(outcome.questions.isEmpty)
    }

    @Test(arguments: ["localhost", "LOCALHOST"])
    func localhostIsKnownWithoutAServer(name: String) throws {
        let outcome = try answers([name]) { _ in .silence }
        #expect(outcome.answers.first?.hasPrefix("\(name): 127.0.0.1") == true)
        #expect(outcome.questions.isEmpty)
    }

    @Test func theHostsFileNeedsNoServerAndIsReadAgainWhenItChanges() throws {
        try withTemporaryFolder { folder in
            let file = "\(folder)/hosts"
            let text =
                "# 10.0.0.9 shop.test\n10.0.0.1\tshop.test  Alias.test # ours\n"
                + "::1 shop.test\r\nbad x\n"
            try write(Array(text.utf8), to: file)
            let events = Events()
            try withResolver(change: { $0.resolver.hostsFile = file }) { _ in
                .silence
            } _: { resolver, loop in
                for name in ["shop.test", "ALIAS.test", "shop.test.", "localhost", "a.localhost"] {
                    _ = resolver.lookUp(name) { events.add("\(name): \(Self.text($0))") }
                }
                let timer = LoopTimer(on: loop) {
                    _ = resolver.lookUp("shop.test") { events.add("then: \(Self.text($0))") }
                }
                timer.arm(after: Microseconds(500_000))
                loop.atEnd { _ = timer }
            } _: { server, _ in
                blockingWait(for: "the lookups that use the file") { events.all.count == 5 }
                try FileSystem.remove(file)
                try write(Array("10.0.0.2 shop.test".utf8), to: file)
                blockingWait(for: "the lookup after the change of the file") {
                    events.all.count == 6
                }
                #expect(server.questions.isEmpty)
            }
            #expect(
                events.all == [
                    "shop.test: 10.0.0.1 ::1", "ALIAS.test: 10.0.0.1", "shop.test.: 10.0.0.1 ::1",
                    "localhost: 127.0.0.1 ::1", "a.localhost: 127.0.0.1 ::1", "then: 10.0.0.2",
                ]
            )
        }
    }

    @Test func searchesTheDomainsOfTheSystem() throws {
        try withTemporaryFolder { folder in
            let file = "\(folder)/resolv.conf"
            try write(Array("search first.test second.test\n".utf8), to: file)
            let outcome = try answers(["web", "a.b"], change: { $0.resolver.file = file }) { name in
                name == "web.second.test" || name == "a.b" ? .addresses(["127.0.0.7"]) : .code(3)
            }
            #expect(outcome.answers.sorted() == ["a.b: 127.0.0.7", "web: 127.0.0.7"])
            #expect(outcome.questions.contains("web.first.test A"))
            #expect(!outcome.questions.contains("a.b.first.test A"))
        }
    }

    @Test func changedSettingsAreReadAgain() throws {
        try withTemporaryFolder { folder in
            let file = "\(folder)/resolv.conf"
            try write(Array("search first.test\n".utf8), to: file)
            let events = Events()
            try withResolver(change: { $0.resolver.file = file }) { name in
                .addresses([name.hasSuffix(".second.test") ? "127.0.0.2" : "127.0.0.1"])
            } _: { resolver, loop in
                _ = resolver.lookUp("one") { events.add(Self.text($0)) }
                let timer = LoopTimer(on: loop) {
                    _ = resolver.lookUp("two") { events.add(Self.text($0)) }
                }
                timer.arm(after: Microseconds(500_000))
                loop.atEnd { _ = timer }
            } _: { _, _ in
                blockingWait(for: "the lookup with the first domain") { events.all.count == 1 }
                try FileSystem.remove(file)
                try write(Array("search second.test\n".utf8), to: file)
                blockingWait(for: "the lookup with the second domain") { events.all.count == 2 }
            }
            #expect(events.all == ["127.0.0.1", "127.0.0.2"])
        }
    }

    @Test func lookupsWithoutRequestsAreAbandoned() throws {
        let events = Events()
        let often: @Sendable (inout ConnectorOptions) -> Void = {
            $0.resolver.firstTimeout = Microseconds(100_000)
            $0.resolver.tries = 5
        }
        try withResolver(change: often) { _ in
            .silence
        } _: { resolver, loop in
            let first = resolver.lookUp("shop.test") { _ in events.add("first") }
            let second = resolver.lookUp("shop.test") { _ in events.add("second") }
            let timer = LoopTimer(on: loop) {
                first?.cancel()
                second?.cancel()
                events.add("cancelled, \(loop.openResources) open")
            }
            timer.arm(after: Microseconds(150_000))
            loop.atEnd { _ = timer }
        } _: { server, _ in
            blockingWait(for: "the lookup to be cancelled") { !events.all.isEmpty }
            let asked = server.questions.count
            #expect(asked >= 2)
            // A fixed time, since nothing may happen: it would be queried again after 200 ms.
            usleep(600_000)
            #expect(server.questions.count == asked)
        }
        #expect(events.all == ["cancelled, 0 open"])
    }

    @Test func anAbandonedNameCanBeLookedUpAgain() throws {
        let events = Events()
        try withResolver(change: nil) { _ in
            .late(100, ["127.0.0.2"])
        } _: { resolver, _ in
            resolver.lookUp("shop.test") { _ in events.add("cancelled") }?.cancel()
            _ = resolver.lookUp("shop.test") { events.add(Self.text($0)) }
        } _: { _, _ in
            blockingWait(for: "the lookup to end") { !events.all.isEmpty }
        }
        #expect(events.all == ["127.0.0.2"])
    }

    @Test func aStopDoesNotWaitForLookups() throws {
        let events = Events()
        var began: Int64 = 0
        try withResolver(change: nil) { _ in
            .silence
        } _: { resolver, _ in
            for number in 0..<100 {
                _ = resolver.lookUp("hangs\(number).test") { events.add(Self.text($0)) }
            }
        } _: { server, _ in
            blockingWait(for: "a hundred questions to the server") { server.questions.count >= 100 }
            began = SteadyClock.microseconds
        }
        #expect(SteadyClock.microseconds - began < 1_000_000)
        #expect(events.all.count == 100)
        #expect(Set(events.all) == ["closed  the event loop ends"])
    }

    @Test func aDrainingLoopGivesLookupsOneSecond() throws {
        let events = Events()
        var began: Int64 = 0
        try withResolver(change: nil) { name in
            name == "slow.test" ? .late(300, ["127.0.0.2"]) : .silence
        } _: { resolver, _ in
            _ = resolver.lookUp("hangs.test") { events.add(Self.text($0)) }
            _ = resolver.lookUp("slow.test") { events.add(Self.text($0)) }
        } _: { server, group in
            blockingWait(for: "the questions of both lookups") { server.questions.count >= 4 }
            began = SteadyClock.microseconds
            group.drain(within: Microseconds(30_000_000))
            blockingWait(for: "both lookups to end") { events.all.count == 2 }
        }
        let elapsed = SteadyClock.microseconds - began
        #expect(elapsed < 5_000_000, "\(elapsed)")
        #expect(events.all == ["127.0.0.2", "closed  the event loop ends"])
    }
}
