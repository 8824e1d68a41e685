// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

/// The violations found, shown completely if they are not the expected ones.
private struct Found {
    let violations: [Violation]

    func are(_ checks: Set<Violation.Check>, at place: Testing.SourceLocation = #_sourceLocation) {
        #expect(Set(violations.map(\.check)) == checks, "\(violations)", sourceLocation: place)
    }

    func contain(_ check: Violation.Check, at place: Testing.SourceLocation = #_sourceLocation) {
        #expect(violations.map(\.check).contains(check), "\(violations)", sourceLocation: place)
    }
}

/// A source of a hundred exchanges, with one fault.
private struct FaultySource: Source {
    enum Fault: Equatable {
        case none
        case ignoresPauses
        case ignoresClosed
        case neverEnds
        case ignoresCancelling
        case finishesTwice
        case abandonsWhatHasEnded
        case forgetsToFinish
        case skipsHooks
        case leavesLanesOpen
        case losesOne
        case skipsTickets
        case reordersWhenPaused
        case throwsAtTheEnd
        case namesItself
        case tellsTarget
    }

    let fault: Fault

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        defer { if fault != .leavesLanesOpen { lane.close() } }
        var hasPaused = false
        for batch in 0..<10 {
            for number in 0..<10 where !(fault == .losesOne && batch + number == 0) {
                let shift = fault == .reordersWhenPaused && hasPaused ? 9 - number : number
                pass(.example(batch * 10 + shift), lane, intake)
            }
            let ticket = UInt64(batch + (fault == .skipsTickets && batch > 4 ? 1 : 0))
            switch await submit(lane, ticket) {
            case .closed where fault != .ignoresClosed: return
            case .paused: hasPaused = true
            default: break
            }
            if Task.isCancelled, fault != .ignoresCancelling { return }
        }
        if fault == .throwsAtTheEnd { throw SinkError(.refused, "the end is missing") }
        while fault == .neverEnds, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func pass(_ given: Exchange, _ lane: any Lane, _ intake: any Intake) {
        var exchange = given
        var context = ExchangeContext()
        exchange.source = fault == .namesItself ? "faulty" : intake.id
        if fault != .skipsHooks {
            let recorded = exchange.response
            exchange.response = nil
            _ = lane.request(&exchange, &context)
            exchange.response = recorded
            _ = lane.response(&exchange, &context)
        }
        if fault == .tellsTarget { intake.log.debug("read \(exchange.request.target)") }
        if fault == .forgetsToFinish, given.request.target == "/items/7" { return }
        lane.finish(exchange, context)
        if fault == .finishesTwice { lane.finish(exchange, context) }
        if fault == .abandonsWhatHasEnded { lane.abandoned(exchange, context) }
    }

    private func submit(_ lane: any Lane, _ ticket: UInt64) async -> SubmitResult {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let answer = lane.submit(ticket: ticket) { continuation.finish() }
        if answer == .paused, fault != .ignoresPauses {
            if fault == .ignoresCancelling {
                await Task.detached { for await _ in stream {} }.value
            } else {
                for await _ in stream {}
            }
        }
        return answer
    }
}

@Suite("The conformance checks of a source")
struct SourceChecksTests {
    private func checks(
        _ fault: FaultySource.Fault,
        settings: ConformanceSettings = ConformanceSettings(),
        endless: [String] = []
    ) async -> Found {
        let plugin = SourcePlugin(name: "faulty", summary: "Hands over.", options: OptionSchema()) {
            _,
            _ in FaultySource(fault: fault)
        }
        let found = await Conformance.violations(
            of: plugin,
            settings: settings,
            count: 100,
            endless: endless
        )
        return Found(violations: found)
    }

    @Test("finds no violation in a correct source")
    func good() async {
        await checks(.none, endless: ["{}"]).are([])
        let scripted = SourcePlugin(name: "script", summary: "Hands over.", options: OptionSchema())
        { _, _ in ScriptedSource(Exchange.examples(100)) }
        #expect(await Conformance.violations(of: scripted, count: 100) == [])
    }

    @Test("finds each fault of a source")
    func faults() async {
        await checks(.ignoresPauses).are([.admission])
        await checks(.ignoresClosed).are([.admission])
        await checks(.finishesTwice).contain(.oneEnd)
        await checks(.abandonsWhatHasEnded).are([.laneUse, .oneEnd])
        await checks(.forgetsToFinish).contain(.oneEnd)
        await checks(.skipsHooks).are([.laneUse])
        await checks(.leavesLanesOpen).are([.laneUse])
        await checks(.losesOne).are([.counters])
        await checks(.skipsTickets).contain(.counters)
        await checks(.reordersWhenPaused).are([.order])
        await checks(.throwsAtTheEnd).contain(.run)
        await checks(.namesItself).contain(.laneUse)
    }

    @Test("finds a source that does not return")
    func endings() async {
        let settings = ConformanceSettings(patience: .seconds(1))
        await checks(.neverEnds, settings: settings).contain(.ending)
        await checks(.ignoresCancelling).contain(.ending)
    }

    @Test("finds a secret of the input in the log")
    func secrets() async {
        let settings = ConformanceSettings(secrets: ["/items/99"])
        await checks(.tellsTarget, settings: settings).are([.secrets])
    }
}

/// A live source of the exchanges that its test delivers, with one fault.
private final class FaultyLiveSource: Source {
    enum Fault: Equatable {
        case none
        case losesOne
        case skipsOpened
        case doesNotEndOne
        case ignoresPauses
        case tellsTarget
    }

    private let fault: Fault
    private let (given, handed) = AsyncStream.makeStream(of: Exchange.self)
    private let (ends, ended) = AsyncStream.makeStream(of: Void.self)

    init(_ fault: Fault) { self.fault = fault }

    /// Delivers an exchange and waits until it has ended.
    func hand(_ exchange: Exchange) async {
        handed.yield(exchange)
        _ = await ends.first { true }
    }

    func run(_ intake: any Intake) async throws {
        let lane = try intake.makeLane()
        defer { lane.close() }
        intake.listens(at: ListeningPoint(addresses: ["here"]))
        for await exchange in given {
            defer { ended.yield() }
            if fault == .losesOne, exchange.request.target == "/items/7" { continue }
            pass(exchange, lane, intake)
            guard fault != .ignoresPauses else {
                _ = lane.submit(ticket: nil) {}
                continue
            }
            let (stream, ready) = AsyncStream<Void>.makeStream()
            if lane.submit(ticket: nil, ready: { ready.finish() }) == .paused {
                for await _ in stream {}
            }
        }
    }

    private func pass(_ given: Exchange, _ lane: any Lane, _ intake: any Intake) {
        var exchange = given
        var context = ExchangeContext()
        exchange.source = intake.id
        if fault != .skipsOpened { lane.opened(exchange, &context) }
        let recorded = exchange.response
        exchange.response = nil
        _ = lane.request(&exchange, &context)
        exchange.response = recorded
        _ = lane.response(&exchange, &context)
        if fault == .tellsTarget { intake.log.debug("captured \(exchange.request.target)") }
        if fault == .doesNotEndOne, given.request.target == "/items/7" { return }
        lane.finish(exchange, context)
    }
}

@Suite("The conformance checks of a live source")
struct LiveSourceChecksTests {
    private func checks(
        _ fault: FaultyLiveSource.Fault,
        secrets: [String] = [],
        fails: Bool = false
    ) async -> Found {
        let plugin = SourcePlugin(
            name: "faulty",
            summary: "Captures.",
            options: OptionSchema(),
            isLive: true
        ) { _, _ in FaultyLiveSource(fault) }
        let traffic = LiveTraffic { source, point in
            #expect(await point().addresses == ["here"])
            if fails { throw SinkError(.refused, "no traffic") }
            for number in 0..<20 { await (source as? FaultyLiveSource)?.hand(.example(number)) }
        }
        let found = await Conformance.violations(
            of: plugin,
            settings: ConformanceSettings(secrets: secrets),
            count: 20,
            traffic: traffic
        )
        return Found(violations: found)
    }

    @Test("finds no violation in a correct source")
    func good() async {
        await checks(.none).are([])
    }

    @Test("finds each fault of a source")
    func faults() async {
        await checks(.losesOne).are([.counters])
        await checks(.skipsOpened).contain(.laneUse)
        await checks(.doesNotEndOne).contain(.oneEnd)
        await checks(.ignoresPauses).are([.admission])
    }

    @Test("finds a secret of the traffic in the log")
    func secrets() async {
        await checks(.tellsTarget, secrets: ["/items/13"]).are([.secrets])
    }

    @Test("reports that the test's own traffic fails")
    func noTraffic() async {
        await checks(.none, fails: true).are([.run, .counters])
    }
}
