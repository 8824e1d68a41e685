// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing
import URLProtocolSource

@testable import TaplineCapture

/// How a running tap takes over another configuration.
@Suite struct TapReloadTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    /// Sends a request through a tap, and returns the fields that the server received.
    private func fields(through tap: Tap) async throws -> String {
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        let (data, _) = try await session.data(from: origin.path("/fields"))
        return String(decoding: data, as: UTF8.self)
    }

    private func script(_ value: String) -> Component {
        .lua(code: "function request(ex) ex.request.headers['X-Script'] = '\(value)' end")
    }

    /// The tap starts without any wire hook.
    @Test func newComponentsApplyToTheNextRequest() async throws {
        let tap = Tap()
        try tap.start()
        defer { tap.stop() }
        #expect(try await !fields(through: tap).contains("X-Script"))
        let first = try await tap.reload { script("one") }
        #expect(first == TapReload(generation: 2, changed: ["lua"]))
        #expect(try await fields(through: tap).contains("X-Script: one\n"))
        let second = try await tap.reload { script("two") }
        #expect(second == TapReload(generation: 3, changed: ["lua"]))
        #expect(try await fields(through: tap).contains("X-Script: two\n"))
        // The same components again.
        #expect(try await tap.reload() == TapReload(generation: 3, changed: []))
        _ = try await tap.reload {}
        #expect(try await !fields(through: tap).contains("X-Script"))
        // The store is the same throughout.
        #expect(await tap.flush() && tap.entries.count == 4)
    }

    @Test func aChangedFileIsReadAgain() async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        func write(_ stages: String, to name: String) throws {
            let text = """
                version: 1
                sources: [url_protocol: { shared: false }]
                stages: [\(stages)]
                sinks: [ndjson: { path: \(name) }]
                """
            try text.write(to: file, atomically: true, encoding: .utf8)
        }
        func lines(_ name: String) throws -> Int {
            try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
                .split(separator: "\n").count
        }
        try write("", to: "one.ndjson")
        let tap = Tap(configuration: file)
        try tap.start()
        defer { tap.stop() }
        _ = try await fields(through: tap)
        try write("lua: { script: add.lua }", to: "two.ndjson")
        let missing = await #expect(throws: TapError.self) { try await tap.reload() }
        #expect("\(missing as Any)".contains("app.yaml:3:"))
        _ = try await fields(through: tap)
        func add(_ value: String) throws {
            try "function request(ex) ex.request.headers['X-Script'] = '\(value)' end"
                .write(toFile: "\(folder)/add.lua", atomically: true, encoding: .utf8)
        }
        try add("one")
        #expect(try await tap.reload()?.changed == ["lua", "ndjson"])
        #expect(try await fields(through: tap).contains("X-Script: one\n"))
        // Only the script differs.
        try add("two")
        #expect(try await tap.reload()?.changed == ["lua"])
        #expect(try await fields(through: tap).contains("X-Script: two\n"))
        tap.stop()
        #expect(try lines("one.ndjson") == 2 && lines("two.ndjson") == 2)
        #expect(tap.entries.count == 4)
    }

    /// Afterwards the former configuration is still the one that `reload()` applies.
    @Test func aMistakeChangesNothing() async throws {
        let tap = Tap { script("one") }
        try tap.start()
        defer { tap.stop() }
        let mistake = await #expect(throws: TapError.self) {
            try await tap.reload { Component.limitBody(maxBytes: -1) }
        }
        let place = "Tap, stage 'limit_body', option 'max_bytes': error: "
        #expect("\(mistake as Any)".contains(place))
        let unopened = await #expect(throws: TapError.self) {
            try await tap.reload { Component.ndjson("/nowhere/traffic.ndjson") }
        }
        #expect("\(unopened as Any)".contains("/nowhere"))
        #expect(try await tap.reload() == TapReload(generation: 1, changed: []))
        #expect(try await fields(through: tap).contains("X-Script: one\n"))
    }

    @Test func anotherSourceNeedsARestart() async throws {
        let tap = Tap()
        try tap.start()
        defer { tap.stop() }
        let error = await #expect(throws: TapError.self) {
            try await tap.reload { Component.urlProtocol(captureMaxBytes: 10) }
        }
        #expect("\(error as Any)".contains("needs a restart"))
        // The same source, declared in another way.
        let same = try await tap.reload {
            Component.urlProtocol(shared: false, captureMaxBytes: 1 << 20)
        }
        #expect(same?.changed == [])
    }

    /// A stage or sink of the app has no configuration that could be compared.
    @Test func ownComponentsContinueOnlyIfTheyArePassedAgain() async throws {
        func noting(_ value: String) -> Component {
            .stage(
                "note",
                ScriptedStage(record: { exchange, _ in
                    exchange.tags["note"] = value
                    return .keep
                })
            )
        }
        let sink = RecordingSink()
        let list = Component.sink("list", sink)
        let tap = Tap {
            noting("one")
            list
        }
        try tap.start()
        _ = try await fields(through: tap)
        let reload = try await tap.reload {
            noting("two")
            list
        }
        #expect(reload?.changed == ["note"])
        _ = try await fields(through: tap)
        tap.stop()
        #expect(sink.log.exchanges.map { $0.tags["note"] } == ["one", "two"])
        #expect(sink.log.calls.filter { $0 == "open" }.count == 1)
    }

    @Test func aTapThatDoesNotRunReloadsNothing() async throws {
        let tap = Tap()
        #expect(try await tap.reload { let _ = Issue.record("made") } == nil)
        try tap.start()
        tap.stop()
        #expect(try await tap.reload() == nil)
        #expect(try await tap.reload(configuration: URL(fileURLWithPath: "/nowhere")) == nil)
    }

    @Test func theNextStartUsesTheNewConfiguration() async throws {
        let tap = Tap()
        try tap.start()
        _ = try await tap.reload { script("new") }
        tap.stop()
        try tap.start()
        defer { tap.stop() }
        #expect(try await fields(through: tap).contains("X-Script: new\n"))
    }

    /// The new run has the former configuration, and goes on with it.
    @Test func aConfigurationOfAnEndedRunIsNotKept() async throws {
        let tap = Tap { script("one") }
        try tap.start()
        let ended = try #require(tap.run)
        tap.stop()
        try tap.start()
        defer { tap.stop() }
        let unwanted: PlanMaker = { _ in throw TapError.configuration("applied") }
        #expect(!tap.keep(unwanted, appliedBy: ended))
        #expect(!tap.keep(nil, appliedBy: ended))
        #expect(try await tap.reload() == TapReload(generation: 1, changed: []))
        let current = try #require(tap.run)
        #expect(tap.keep(unwanted, appliedBy: current))
        await #expect(throws: TapError.self) { try await tap.reload() }
    }

    @Test func concurrentReloadsFollowEachOther() async throws {
        let tap = Tap()
        try tap.start()
        defer { tap.stop() }
        let generations = try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<8 {
                group.addTask { try await tap.reload { script("\(number)") }?.generation }
            }
            return try await group.reduce(into: Set<Int?>()) { $0.insert($1) }
        }
        #expect(generations == Set(2...9))
        #expect(try await fields(through: tap).contains("X-Script: "))
    }

    /// An exchange ends with the stages that it began with, although only these have wire hooks.
    @Test func anExchangeUnderWayKeepsItsStages() async throws {
        let source = CaptureSource(capturesShared: false)
        let log = RecordingSink.Log()
        func tagging(_ name: String) -> Topology.Stage {
            let hook: ScriptedStage.WireHook = { exchange, _ in
                exchange.tags["wire"] = name
                return .proceed
            }
            return Topology.Stage(id: name, ScriptedStage(request: hook, response: hook))
        }
        let app = Topology.Source(id: "app", source)
        let sink = Topology.Sink(id: "sink", RecordingSink(log))
        let first = Topology(sources: [app], stages: [tagging("old")], sinks: [sink])
        let pipeline = Pipeline(first, now: { Timestamp(microseconds: 0) })
        let (intakes, opened) = AsyncStream.makeStream(of: CaptureIntake.self)
        source.attach { opened.yield($0) }
        async let report = pipeline.run()
        for await intake in intakes {
            let before = intake.begin(Request(target: "/before"))
            _ = try await pipeline.reload(to: Topology(sources: [app], sinks: [sink]))
            let between = intake.begin(Request(target: "/between"))
            _ = before?.runRequestHooks(body: nil)
            _ = between?.runRequestHooks(body: nil)
            let stages = [tagging("new")]
            _ = try await pipeline.reload(
                to: Topology(sources: [app], stages: stages, sinks: [sink])
            )
            let after = intake.begin(Request(target: "/after"))
            for exchange in [before, between, after] {
                exchange?.received(Response())
                _ = exchange?.runResponseHooks(body: nil)
                exchange?.completed()
            }
            break
        }
        pipeline.stop()
        let counts = await report
        #expect(counts.isBalanced)
        let tags = log.exchanges.map { "\($0.request.target) \($0.tags["wire"] ?? "none")" }
        #expect(Set(tags) == ["/before old", "/between none", "/after new"])
    }
}
