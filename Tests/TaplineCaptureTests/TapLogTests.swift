// SPDX-License-Identifier: MIT

import Dispatch
import Foundation
import FoundationNetworking
import Synchronization
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture

/// The messages that a tap logs, and the calls that the app may make meanwhile.
@Suite struct TapLogTests {
    /// A log that stores its messages, and then runs code of the app.
    private final class Listener: Sendable {
        private let messages = Mutex<[String]>([])
        let reaction = Mutex<(@Sendable () -> Void)?>(nil)

        var lines: [String] { messages.withLock(\.self) }

        var log: Log {
            Log(component: "") { [self] entry in
                if entry.level >= .warning { messages.withLock { $0.append(entry.message) } }
                reaction.withLock(\.self)?()
            }
        }
    }

    private static let warning =
        "no stage redacts: secrets in the traffic reach the sinks as they are; add the stage 'redact', "
        + "in a file as '- redact: { preset: standard }'"

    /// Starts and stops a tap, and returns its warnings.
    private func warnings(_ make: (Log) throws -> Tap) rethrows -> [String] {
        let listener = Listener()
        let tap = try make(listener.log)
        #expect(throws: Never.self) { try tap.start() }
        tap.stop()
        return listener.lines
    }

    @Test func aMissingRedactionIsLoggedOnceWithItsPlace() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/traffic.ndjson"
        let place = "Tap, sink 'file' (ndjson): "
        #expect(
            warnings { log in
                Tap(log: log) {
                    Component.limitBody(maxBytes: 10)
                    Component.ndjson(path).id("file")
                    Component.terminal
                }
            } == [place + Self.warning]
        )
        let file = "\(folder)/app.yaml"
        let text =
            "version: 1\nsources: [url_protocol: { shared: false }]\nstages: [limit_body: { max_bytes: 1B }"
        for (more, expected) in [("", ["\(file):4:9: " + Self.warning]), (", redact", [String]())] {
            try "\(text)\(more)]\nsinks: [ndjson: { path: traffic.ndjson }]\n"
                .write(toFile: file, atomically: true, encoding: .utf8)
            let found = warnings { Tap(configuration: URL(fileURLWithPath: file), log: $0) }
            #expect(found.filter { !$0.contains("cuts bodies") } == expected)
        }
    }

    /// A store that only the app can read needs no redaction.
    @Test func noWarningForMemoryOnlyOrAfterARedaction() {
        #expect(warnings { Tap(log: $0) } == [])
        #expect(warnings { Tap(log: $0) { Component.limitBody(maxBytes: 10) } } == [])
        #expect(
            warnings { log in
                Tap(log: log) {
                    Component.redact()
                    Component.terminal
                }
            } == []
        )
    }

    private struct Broken: SinkFactory {
        func open(_ context: SinkContext) throws -> any Sink { throw SinkError(.refused, "broken") }
    }

    /// Lets a log call all methods of a tap during an action, which must complete.
    private func ask(_ tap: Tap, _ listener: Listener, while action: @escaping @Sendable () -> Void)
    {
        listener.reaction.withLock {
            $0 = {
                _ = tap.isRunning
                _ = tap.entries
                _ = tap.summary()
                try? tap.start()
                tap.stop()
            }
        }
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            action()
            done.signal()
        }
        let isDone = done.wait(timeout: .now() + 60) == .success
        #expect(isDone, "it waits for itself")
        listener.reaction.withLock { $0 = nil }
    }

    /// The log is called on the thread that starts the tap, and on threads for which that one
    /// waits.
    @Test func theLogMayCallTheTap() throws {
        let listener = Listener()
        let warned = Tap(log: listener.log) { Component.terminal }
        ask(warned, listener) { try? warned.start() }
        #expect(listener.lines.count == 1 && !warned.isRunning)
        warned.stop()

        let broken = Tap(log: listener.log) { Component.sink("broken", Broken()) }
        ask(broken, listener) { try? broken.start() }
        #expect(listener.lines.dropFirst().contains { $0.contains("'broken' did not start") })
        #expect(!broken.isRunning)
    }

    @Test(arguments: ["request", "record"])
    func theLogMayStopTheTapDuringAnExchange(hook: String) async throws {
        let origin = try Origin()
        let listener = Listener()
        let tap = Tap(log: listener.log) {
            Component.lua(code: "function \(hook)(ex) log('seen') end")
        }
        try tap.start()
        listener.reaction.withLock {
            $0 = {
                #expect(!tap.flush(), "it waits for what waits for the log")
                tap.stop()
            }
        }
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        let (data, _) = try await session.data(from: origin.path("/hello"))
        await tap.flush()
        #expect(data.count == 5 && !tap.isRunning)
        listener.reaction.withLock { $0 = nil }
        tap.stop()
        try tap.start()
        #expect(tap.isRunning)
        tap.stop()
    }

    /// A stage of the app that calls the app in its hooks.
    private struct Calling: StageFactory {
        let call: @Sendable (Hooks) -> Void
        var hooks: Hooks { [.request, .response, .record] }

        func makeStage(_ context: StageContext) throws -> any Stage { Running(call: call) }

        final class Running: WireStage, RecordStage {
            private let call: @Sendable (Hooks) -> Void
            init(call: @escaping @Sendable (Hooks) -> Void) { self.call = call }

            func request(_: inout Exchange, _: inout ExchangeContext) -> Verdict {
                call(.request)
                return .proceed
            }

            func response(_: inout Exchange, _: inout ExchangeContext) -> Verdict {
                call(.response)
                return .proceed
            }

            func record(_: inout Exchange, _: inout ExchangeContext) -> RecordVerdict {
                call(.record)
                return .keep
            }
        }
    }

    /// A flush does not exceed its limit, however long stages take.
    @Test(.timeLimit(.minutes(1))) func aFlushWaitsUpToItsLimit() async throws {
        let origin = try Origin()
        let gate = DispatchSemaphore(value: 0)
        let tap = Tap {
            Component.stage("slow", Calling { if $0 == .record { gate.wait() } })
        }
        try tap.start()
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        _ = try await session.data(from: origin.path("/hello"))
        #expect(await !tap.flush(for: .milliseconds(50)))
        // The synchronous call, which blocks a thread, waits as long.
        #expect(({ !tap.flush(for: .milliseconds(50)) })())
        gate.signal()
        #expect(await tap.flush(for: .seconds(50)) && tap.entries.count == 1)
        tap.stop()
    }

    /// A hook may call all methods of the tap, which then do not wait for the hook.
    @Test(.timeLimit(.minutes(1)), arguments: [Hooks.request, .response, .record])
    func aHookMayCallTheTap(hook: Hooks) async throws {
        let origin = try Origin()
        let asked = Mutex<Tap?>(nil)
        let answers = Mutex<[Bool]>([])
        let tap = Tap {
            Component.stage(
                "calling",
                Calling { now in
                    guard now == hook, let tap = asked.withLock(\.self) else { return }
                    _ = tap.entries
                    try? tap.start()
                    answers.withLock { $0.append(tap.flush()) }
                    tap.stop()
                    answers.withLock { $0.append(tap.isRunning) }
                }
            )
        }
        asked.withLock { $0 = tap }
        try tap.start()
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        let (data, _) = try await session.data(from: origin.path("/hello"))
        await tap.flush()
        #expect(data.count == 5 && !tap.isRunning)
        #expect(answers.withLock(\.self) == [false, false])
        asked.withLock { $0 = nil }
        tap.stop()
    }
}
