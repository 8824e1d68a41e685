// SPDX-License-Identifier: MIT

import Foundation
import FoundationNetworking
import Glibc
import Synchronization
import TaplineDetectors
import TaplineModel
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCapture
@testable import TaplineCassettes

/// Runs a suite while no recorded test owns the process-wide sessions.
private struct TurnTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing body: @Sendable () async throws -> Void
    ) async throws {
        await AsyncSerialLock.shared.begin()
        defer { AsyncSerialLock.shared.end() }
        try await body()
    }
}

/// The tap of the whole app; the tests run one after the other.
@Suite(.serialized, TurnTrait()) struct TaplineTests {
    private let origin: Origin

    init() throws { origin = try Origin() }

    @Test func theSharedSessionIsCaptured() async throws {
        #expect(try Tapline.start())
        let tap = try #require(Tapline.tap)
        // The running tap continues, and the components are not built.
        #expect(try Tapline.start() == false)
        let isStarted = try Tapline.start { let _ = Issue.record("made") }
        #expect(!isStarted && Tapline.tap === tap)
        #expect(Tapline.isRunning && Tapline.tap === tap)
        _ = try await URLSession.shared.data(from: origin.path("/hello?shared"))
        #expect(await Tapline.flush() && Tapline.entries.map(\.state) == [.success])
        Tapline.stop()
        Tapline.stop()
        #expect(!Tapline.isRunning)
        _ = try await URLSession.shared.data(from: origin.path("/hello?late"))
        #expect(Tapline.entries.map(\.url) == [origin.path("/hello?shared").absoluteString])
        Tapline.clear()
        #expect(Tapline.entries.isEmpty)
    }

    /// Plugins of the app are known to components that are built in code.
    @Test func componentsUseThePluginsOfTheApp() throws {
        #expect(throws: TapError.self) {
            try Tapline.start { Component.redact(detectors: .standard) }
        }
        #expect(
            try Tapline.start(plugins: .detectors) { Component.redact(detectors: .standard) }
        )
        Tapline.stop()
    }

    /// A recorded or replayed test keeps the requests, even if the app starts its own tap.
    @Test func aRecordedTestTakesPrecedence() async throws {
        let recorded = Tap(capturesShared: true)
        try recorded.start(for: .test)
        try Tapline.start()
        _ = try await URLSession.shared.data(from: origin.path("/hello?shared"))
        let session = URLSession(configuration: .ephemeral.tapped())
        _ = try await session.data(from: origin.path("/hello?app"))
        #expect(await recorded.flush() && recorded.entries.count == 2)
        #expect(await Tapline.flush() && Tapline.entries.isEmpty)
        recorded.stop()
        _ = try await URLSession.shared.data(from: origin.path("/hello?late"))
        #expect(await Tapline.flush() && Tapline.entries.count == 1)
        Tapline.stop()
    }

    /// Foundation asks registered classes for any session whose own classes accept none of its
    /// requests.
    @Test func untappedSessionsAreNotCaptured() async throws {
        try Tapline.start()
        for classes in [[], nil, [FactProtocol.self]] as [[AnyClass]?] {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = classes
            let (data, _) = try await URLSession(configuration: configuration)
                .data(from: origin.path("/hello?own"))
            #expect(data.count == 5)
        }
        _ = try await URLSession.shared.data(from: origin.path("/hello?shared"))
        Tapline.stop()
        #expect(Tapline.entries.map(\.url) == [origin.path("/hello?shared").absoluteString])
    }

    /// A mistake in the environment is not an error of the app.
    @Test func aWrongFileInTheEnvironmentDoesNotStopTheApp() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            unsafe setenv("TAPLINE_CONFIG", "/nowhere/app.yaml", 1)
            try Tapline.start()
            let ranWithAWrongFile = Tapline.isRunning
            unsafe setenv("TAPLINE", "off", 1)
            unsafe unsetenv("TAPLINE_CONFIG")
            try Tapline.start()
            exit(ranWithAWrongFile || Tapline.isRunning ? 1 : 0)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("TAPLINE_CONFIG: nothing is captured: /nowhere/app.yaml: error: "))
    }

    /// A session that is already in use cannot be captured, which is logged.
    @Test func anEarlyUseOfTheSharedSessionLogsAWarning() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            _ = URLSession.shared.configuration
            try Tapline.start()
            exit(Tapline.isRunning ? 0 : 1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(text.contains("warning: URLSession.shared was used before the tap was created"))
    }

    /// The configuration of a start is ignored, with a warning, while another tap runs.
    @Test func aSecondStartLogsAWarning() async throws {
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            try Tapline.start()
            try Tapline.start()
            try Tapline.start { Component.ndjson("/nowhere/traffic.ndjson") }
            let sinks = Tapline.isRunning
            Tapline.stop()
            exit(sinks ? 0 : 1)
        }
        let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        let lines = text.split(separator: "\n").filter { $0.contains("is already running") }
        #expect(
            lines == [
                "tapline: warning: Tapline is already running; call stop() first so that this start takes effect"
            ]
        )
    }

    @Test func aFileConfiguresThePipeline() async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        let text = """
            version: 1
            sources: [url_protocol: { shared: false }]
            stages: [redact: { preset: standard }]
            sinks: [ndjson: { path: traffic.ndjson }]
            """
        try text.write(to: file, atomically: true, encoding: .utf8)
        try Tapline.start(configuration: file)
        let session = URLSession(configuration: URLSessionConfiguration.default.tapped())
        var request = URLRequest(url: origin.path("/hello?token=secret-of-mine"))
        request.setValue("Bearer secret-of-mine", forHTTPHeaderField: "Authorization")
        _ = try await session.data(for: request)
        _ = try await URLSession.shared.data(from: origin.path("/hello"))
        Tapline.stop()

        let lines = try String(contentsOfFile: "\(folder)/traffic.ndjson", encoding: .utf8)
        #expect(lines.split(separator: "\n").count == 1)
        #expect(lines.contains("\"source\":\"url_protocol\""))
        #expect(!lines.contains("secret-of-mine"))
        #expect(Tapline.entries.first?.url.contains("secret-of-mine") == false)
    }

    @Test func theTapOfTheAppIsReloaded() async throws {
        #expect(try await Tapline.reload { let _ = Issue.record("made") } == nil)
        try Tapline.start()
        defer { Tapline.stop() }
        let tag = "function record(ex) ex.tags.reloaded = 'yes' end"
        let changed = try await Tapline.reload { Component.lua(code: tag) }?.changed
        #expect(changed == ["lua"])
        _ = try await URLSession.shared.data(from: origin.path("/hello"))
        #expect(await Tapline.flush())
        #expect(Tapline.entries.first?.exchange?.tags["reloaded"] == "yes")
        #expect(try await Tapline.reload()?.changed == [])
    }

    /// The file of the environment is used instead of the app's configuration.
    @Test func aReloadReadsTheFileOfTheEnvironment() async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/app.yaml"
        let text = "version: 1\nsources: [url_protocol]\nsinks: [ndjson: { path: out }]\n"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let result = await #expect(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) { [path = path as String] in
            unsafe setenv("TAPLINE_CONFIG", path, 1)
            try Tapline.start()
            let same = try await Tapline.reload { Component.limitBody(maxBytes: 10) }
            try "version: 2".write(toFile: path, atomically: true, encoding: .utf8)
            let wrong = try await Tapline.reload()
            exit(same?.changed == [] && wrong == nil && Tapline.isRunning ? 0 : 1)
        }
        let errors = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(errors.contains("TAPLINE_CONFIG: nothing was changed: \(path):1:"))
    }

    /// After another tap has ended, the previous tap captures again.
    @Test func theTapOfTheAppContinuesAfterAnother() async throws {
        let taps = [Tap(), Tap()]
        let session = URLSession(configuration: .ephemeral.tapped())
        try taps[0].start(for: .app)
        _ = try await session.data(from: origin.path("/first"))
        try taps[1].start(for: .app)
        _ = try await session.data(from: origin.path("/second"))
        taps[1].stop()
        _ = try await session.data(from: origin.path("/third"))
        taps[0].stop()
        func paths(_ tap: Tap) -> [String?] {
            tap.entries.reversed().map { $0.exchange?.request.target.description }
        }
        #expect(paths(taps[0]) == ["/first", "/third"] && paths(taps[1]) == ["/second"])
    }

    /// The components are built by code of the app, which may call the tap.
    @Test func theAppMayCallDuringAStart() throws {
        try Tapline.start {
            if !Tapline.isRunning { Component.limitBody(maxBytes: 10) }
        }
        #expect(Tapline.isRunning)
        Tapline.stop()
    }

    /// After any concurrent start, the tap is running.
    @Test func allConcurrentStartsFindItRunning() throws {
        for _ in 0..<10 {
            let taps = Mutex<Set<ObjectIdentifier>>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                #expect(throws: Never.self) { try Tapline.start() }
                #expect(Tapline.isRunning)
                if let tap = Tapline.tap { taps.withLock { _ = $0.insert(ObjectIdentifier(tap)) } }
            }
            #expect(taps.withLock(\.count) == 1)
            Tapline.stop()
        }
    }

    /// Other starts would wait for the log of a tap that is starting.
    @Test func theLogMayStartAndStopTheTapOfTheApp() throws {
        let isAsked = Mutex(false)
        let log = Log(component: "") { entry in
            guard entry.message.contains("up") else { return }
            isAsked.withLock { $0 = true }
            #expect(throws: Never.self) { try Tapline.start() }
            Tapline.stop()
        }
        let script = "function start() log('up') end function request() end"
        try Tapline.start(Tap(log: log) { Component.lua(code: script) })
        #expect(isAsked.withLock(\.self) && !Tapline.isRunning)
        try Tapline.start()
        #expect(Tapline.isRunning)
        Tapline.stop()
    }

    /// After any concurrent stop, everything is written.
    @Test func allConcurrentStopsWaitForTheEnd() async throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let path = "\(folder)/traffic.ndjson"
        let tap = Tap { Component.ndjson(path) }
        try tap.start()
        let session = URLSession(configuration: .ephemeral.tapped(by: tap))
        for number in 0..<50 { _ = try await session.data(from: origin.path("/hello?\(number)")) }
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            tap.stop()
            let lines = try? String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
            #expect(lines?.count == 50)
        }
        #expect(!tap.isRunning)
    }

    @Test func aWrongFileIsRefusedWithThePlace() throws {
        let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline")
        defer { try? FileSystem.removeFolder(folder) }
        let file = URL(fileURLWithPath: "\(folder)/app.yaml")
        func problems(_ sources: String) throws -> String {
            try "version: 1\nsources: [\(sources)]\nsinks: [stdout]\n"
                .write(to: file, atomically: true, encoding: .utf8)
            let error = #expect(throws: TapError.self) { try Tapline.start(configuration: file) }
            #expect(!Tapline.isRunning)
            return try #require(error).description
        }
        #expect(try problems("url_protocoll").contains("app.yaml:2:11: error: unknown source"))
        let twice = try problems("url_protocol, url_protocol")
        #expect(twice.contains("app.yaml:2:25: error: "))
        #expect(twice.contains("exactly one source; found 'url_protocol-2' beside 'url_protocol'"))
        // Also refused: a source that would mix with the app's traffic, or that is not in the app.
        try "".write(toFile: "\(folder)/shop.ndjson", atomically: true, encoding: .utf8)
        let replay = "replay: { path: shop.ndjson }"
        let mixed = try problems("{ \(replay) }, url_protocol")
        #expect(
            mixed.contains("app.yaml:2:13: error: ")
                && mixed.contains("exactly one source; found 'replay' beside 'url_protocol'\n")
        )
        let other = try problems(replay)
        #expect(other.contains("app.yaml:2:10: error: ") && other.contains("'url_protocol'\n"))
    }
}
