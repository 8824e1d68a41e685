// SPDX-License-Identifier: MIT

import Synchronization
import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineTesting
import Testing

/// Returns a stage plugin with one stage.
private func plugin(
    hasWireHooks: Bool = false,
    _ stage: any StageFactory
) -> StagePlugin {
    StagePlugin(
        name: "change",
        summary: "Changes.",
        options: OptionSchema(),
        hasWireHooks: hasWireHooks
    ) { _, _ in stage }
}

/// A stage whose lanes are created by a closure, with any declared hooks.
private struct Made: StageFactory {
    let hooks: Hooks
    let make: @Sendable () throws -> any Stage
    func makeStage(_ context: StageContext) throws -> any Stage { try make() }
}

private func checks(_ violations: [Violation]) -> Set<Violation.Check> {
    Set(violations.map(\.check))
}

private struct TestError: Error, CustomStringConvertible {
    let description: String
}

@Suite("The conformance checks of a stage")
struct StageChecksTests {
    @Test("finds no violation in a correct stage")
    func good() async {
        let stage = ScriptedStage(
            request: { exchange, _ in
                exchange.request.fields.append(name: "X-Seen", value: "yes")
                return exchange.request.target == "/items/3" ? .drop(reason: "three") : .proceed
            },
            response: { exchange, _ in
                exchange.response?.status = 404
                return .proceed
            },
            message: { message, _, _ in
                message.bytes += Array("!".utf8)
                return message.direction == .down ? .drop : .pass
            },
            record: { exchange, _ in
                exchange.tags["seen"] = "yes"
                return exchange.request.target == "/items/4" ? .drop(reason: "four") : .keep
            }
        )
        let violations = await Conformance.violations(of: plugin(hasWireHooks: true, stage))
        #expect(violations == [])
    }

    @Test("finds records that are delayed and leave in another order")
    func order() async {
        final class Swapping: RecordStage {
            var held: Exchange?
            var count = 0
            func record(
                _ exchange: inout Exchange,
                _ context: inout ExchangeContext
            ) throws -> RecordVerdict {
                defer { count += 1 }
                if count % 3 == 0 {
                    held = exchange
                    return .drop(reason: "held back")
                }
                if count % 3 == 2, let held { exchange = held }
                return .keep
            }
        }
        let bad = plugin(Made(hooks: .record) { Swapping() })
        #expect(checks(await Conformance.violations(of: bad)).contains(.order))
    }

    @Test("finds a record under another id")
    func identity() async {
        let bad = plugin(
            ScriptedStage(record: { exchange, _ in
                exchange.id = ExchangeID(high: 1, low: exchange.id.low)
                return .keep
            })
        )
        #expect(checks(await Conformance.violations(of: bad)).contains(.oneEnd))
    }

    @Test("finds a stage that fails on unusual input")
    func oddInput() async {
        let bad = plugin(
            ScriptedStage(record: { exchange, _ in
                if exchange.response?.status == -1 {
                    throw TestError(description: "no such status")
                }
                return .keep
            })
        )
        let violations = await Conformance.violations(of: bad)
        #expect(checks(violations).contains(.oddInput))
        #expect(violations.contains { $0.text == "a hook throws on: negative status" })
    }

    @Test("finds a secret in an error, in a log line, and a truncated one")
    func secrets() async {
        let inError = plugin(
            ScriptedStage(record: { exchange, _ in
                guard exchange.error == nil else {
                    throw TestError(description: "cannot take \(exchange.request.target)")
                }
                return .keep
            })
        )
        let violations = await Conformance.violations(of: inError)
        #expect(violations.contains { $0.check == .secrets && $0.text.contains("of the query") })

        final class Talking: RecordStage {
            let log: Log
            init(_ log: Log) { self.log = log }
            func record(
                _ exchange: inout Exchange,
                _ context: inout ExchangeContext
            ) throws -> RecordVerdict {
                log.debug(
                    "body \(String(decoding: exchange.request.body.bytes, as: UTF8.self).prefix(24))"
                )
                log.debug("vars \(context.vars["conformance"]?.prefix(12) ?? "")")
                return .keep
            }
        }
        struct TalkingFactory: StageFactory {
            let hooks = Hooks.record
            func makeStage(_ context: StageContext) throws -> any Stage { Talking(context.log) }
        }
        let inLog = await Conformance.violations(of: plugin(TalkingFactory()))
        #expect(inLog.contains { $0.text.contains("of the request body") })
        #expect(inLog.contains { $0.text.contains("of the variable") })
        #expect(checks(inLog) == [.secrets])
    }

    @Test("finds a stage that does not fail as declared")
    func failing() async {
        let good = plugin(ScriptedStage(record: { _, _ in .keep }))
        let settings = ConformanceSettings(failing: ["{}"])
        #expect(checks(await Conformance.violations(of: good, settings: settings)) == [.run])
    }

    @Test("finds a wire hook that is not declared")
    func wireHooks() async {
        let bad = plugin(
            ScriptedStage(request: { exchange, _ in
                exchange.request.target = "/elsewhere"
                return .proceed
            })
        )
        let violations = await Conformance.violations(of: bad)
        #expect(checks(violations) == [.hooks])
        #expect(violations.count == 2)
    }

    @Test("finds a request that changes after it was sent, and an id that changes on the wire")
    func wireChanges() async {
        let late = plugin(
            hasWireHooks: true,
            ScriptedStage(response: { exchange, _ in
                exchange.request.method = "PUT"
                return .proceed
            })
        )
        #expect(checks(await Conformance.violations(of: late)) == [.hooks])
        let later = plugin(
            hasWireHooks: true,
            ScriptedStage(message: { _, exchange, _ in
                exchange.request.method = "PUT"
                exchange.response?.status = 200
                return .pass
            })
        )
        let violations = await Conformance.violations(of: later)
        #expect(checks(violations) == [.hooks])
        #expect(violations.count == 2)
        let renamed = plugin(
            hasWireHooks: true,
            ScriptedStage(request: { exchange, _ in
                exchange.source = "elsewhere"
                return .proceed
            })
        )
        #expect(checks(await Conformance.violations(of: renamed)) == [.oneEnd])
    }

    @Test("finds declared hooks that do not exist")
    func missingHooks() async {
        final class Idle: Stage {}
        let bad = plugin(hasWireHooks: true, Made(hooks: [.record, .response]) { Idle() })
        let violations = await Conformance.violations(of: bad)
        // The runtime also refuses to start with it, so other checks fail as well.
        #expect(checks(violations).contains(.hooks))
        let none = plugin(Made(hooks: []) { Idle() })
        #expect(checks(await Conformance.violations(of: none)) == [.hooks])
    }

    @Test("finds state that is shared between lanes")
    func sharedState() async {
        final class Shared: Sendable {
            let count = Mutex(0)
        }
        let shared = Shared()
        let bad = plugin(
            ScriptedStage(record: { exchange, _ in
                exchange.tags["number"] = shared.count.withLock {
                    $0 += 1
                    return "\($0)"
                }
                return .keep
            })
        )
        #expect(checks(await Conformance.violations(of: bad)) == [.lanes])
        let excused = ConformanceSettings(excluding: [.lanes])
        #expect(await Conformance.violations(of: bad, settings: excused) == [])
    }

    @Test("finds state of an exchange that is stored in the stage instead of the context")
    func interleaving() async {
        final class Forgetful: WireStage, RecordStage {
            var last: ByteString = ""
            func request(
                _ exchange: inout Exchange,
                _ context: inout ExchangeContext
            ) throws -> Verdict {
                last = exchange.request.target
                return .proceed
            }
            func record(
                _ exchange: inout Exchange,
                _ context: inout ExchangeContext
            ) throws -> RecordVerdict {
                exchange.tags["seen"] = last.description
                return .keep
            }
        }
        let bad = plugin(hasWireHooks: true, Made(hooks: [.request, .record]) { Forgetful() })
        #expect(checks(await Conformance.violations(of: bad)) == [.lanes])
    }

    @Test("finds a stage that blocks")
    func hangs() async {
        let hasBlocked = Mutex(false)
        let bad = plugin(
            ScriptedStage(record: { _, _ in
                // Once is enough, and each time keeps a processor busy.
                guard !hasBlocked.withLock({ exchange(&$0, with: true) }) else { return .keep }
                let clock = ContinuousClock()
                let end = clock.now + .milliseconds(300)
                while clock.now < end {}
                return .keep
            })
        )
        let settings = ConformanceSettings(patience: .milliseconds(100))
        #expect(checks(await Conformance.violations(of: bad, settings: settings)).contains(.run))
    }

    @Test("finds a stage that does not start in a lane")
    func doesNotStart() async {
        let bad = plugin(Made(hooks: .record) { throw TestError(description: "no memory") })
        #expect(checks(await Conformance.violations(of: bad)).contains(.run))
    }
}
