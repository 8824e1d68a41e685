// SPDX-License-Identifier: MIT

internal import Synchronization
public import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineRuntime

/// A server that answers requests as a recording did, for tests.
///
/// ```swift
/// let payments = MockServer("payments.har")
/// try await payments.start()
/// let shop = Shop(payments: payments.url)
/// …
/// let report = await payments.stop()
/// #expect(report.misses.isEmpty)
/// ```
/// A request without a recording gets `404` and an explanation: the nearest recorded requests and
/// the parts that differ. It listens on a free port of 127.0.0.1. A server that is released stops.
///
/// **Isolation**: any thread.
public final class MockServer: Sendable {
    /// How a server answers.
    public struct Options: Sendable {
        /// Which recorded exchanges answer, in the filter language; all by default.
        public var filter: String?
        /// The parts of a request that must equal the recorded one, such as `header:Accept`; by
        /// default those of the source `server_replay`.
        public var match: [String]?
        /// JSON paths, query items and form fields that are ignored, such as `$.time` or
        /// `query:ts`.
        public var ignored: [String]
        /// What has a sequence of answers of its own, such as `cookie sid`; by default the address of
        /// the client.
        public var session: String?
        /// Whether answers repeat ids and other values of the request where the recorded ones
        /// repeated those of theirs.
        public var hasTemplates: Bool
        /// Whether responses take as long as the recorded ones.
        public var keepsLatency: Bool
        /// Rules that change answers, or answer themselves; none by default.
        public var rules: Rules?
        /// How many exchanges the report keeps.
        public var maxExchanges: Int

        /// Creates options.
        public init(
            filter: String? = nil,
            match: [String]? = nil,
            ignoring ignored: [String] = [],
            session: String? = nil,
            hasTemplates: Bool = false,
            keepsLatency: Bool = false,
            rules: Rules? = nil,
            maxExchanges: Int = 10_000
        ) {
            self.filter = filter
            self.match = match
            self.ignored = ignored
            self.session = session
            self.hasTemplates = hasTemplates
            self.keepsLatency = keepsLatency
            self.rules = rules
            self.maxExchanges = maxExchanges
        }
    }

    /// Rules of the stage `rules`, as YAML: what they do, and with which requests.
    public struct Rules: Sendable {
        enum Origin {
            case file(String)
            case text(String)
        }

        let origin: Origin

        /// The rules of a file; when it changes, the new rules replace the old ones.
        public static func file(_ path: String) -> Rules { Rules(origin: .file(path)) }

        /// The rules of a text, as they would be in a file.
        ///
        /// Files that they answer with need absolute paths.
        public static func text(_ yaml: String) -> Rules { Rules(origin: .text(yaml)) }
    }

    /// What a server has answered.
    public struct Report: Sendable {
        /// How many requests a recording answered.
        public let hits: Int
        /// The explanations of the last requests that had no recording, at most 100.
        public let misses: [String]
        /// Method and URL of recordings that answered no request, at most 100.
        public let unused: [String]
        /// The exchanges, up to `maxExchanges`, in the order in which they ended.
        public let exchanges: [Exchange]
    }

    private enum State {
        case new
        case starting
        case running(Pipeline, Task<RunReport, Never>, url: String)
        case ended
    }

    /// How many misses and unused recordings a report lists.
    private static let listed = 100

    private let recordings: [String]
    private let options: Options
    private let kept: KeptExchanges
    private let answers = Mutex<(any AnsweringSource)?>(nil)
    /// The file of the rules; `nil` without rules and before the start.
    private let ruleFile = Mutex<RuleFile?>(nil)
    private let state = Mutex(State.new)

    /// Creates a server that does not listen yet.
    ///
    /// - Parameters:
    ///   - recordings: Databases, NDJSON or HAR, also compressed, or patterns of paths.
    ///   - options: How it answers.
    public init(_ recordings: String..., options: Options = Options()) {
        self.recordings = recordings
        self.options = options
        kept = KeptExchanges(limit: options.maxExchanges)
    }

    deinit {
        if case .running(let pipeline, _, _) = state.withLock({ $0 }) { pipeline.stop() }
    }

    /// The URL of the server, such as `http://127.0.0.1:40123`; empty unless it runs.
    public var url: String {
        if case .running(_, _, let url) = state.withLock({ $0 }) { url } else { "" }
    }

    /// Reads the recordings and listens.
    ///
    /// - Returns: The URL of the server.
    /// - Throws: `ReplayError` if a recording cannot be read, or if the server was started before.
    @discardableResult
    public func start() async throws -> String {
        let isNew = state.withLock { state in
            guard case .new = state else { return false }
            state = .starting
            return true
        }
        guard isNew else { throw ReplayError(["the server was started before"]) }
        do {
            return try await open()
        } catch {
            state.withLock { $0 = .ended }
            ruleFile.withLock { $0 = nil }
            throw error
        }
    }

    private func open() async throws -> String {
        let rules = try options.rules.map(RuleFile.init)
        let topology = try Topology.test(
            "server_replay",
            settings,
            rules: rules?.path,
            keeping: kept
        )
        ruleFile.withLock { $0 = rules }
        answers.withLock { [source = topology.sources.first?.source] answers in
            answers = source as? any AnsweringSource
        }
        let opening = Opening()
        let pipeline = Pipeline(
            topology,
            listening: { _, point in opening.opened(point.addresses.first) },
            now: { .now }
        )
        let task = Task {
            let report = await pipeline.run()
            opening.ended(report.failures)
            return report
        }
        let url = try await opening.url()
        let isWanted = state.withLock { state in
            guard case .starting = state else { return false }
            state = .running(pipeline, task, url: url)
            return true
        }
        guard isWanted else {
            pipeline.stop()
            throw ReplayError(["the server was stopped while it started"])
        }
        return url
    }

    /// Stops the server, after the exchanges that are in progress.
    ///
    /// - Returns: What it has answered.
    @discardableResult
    public func stop() async -> Report {
        let former = state.withLock { state in
            defer { state = .ended }
            return state
        }
        if case .running(let pipeline, let task, _) = former {
            pipeline.stop()
            _ = await task.value
        }
        ruleFile.withLock { $0 = nil }
        let answered = answers.withLock { $0 }?.report(limit: Self.listed)
        return Report(
            hits: answered?.hits ?? 0,
            misses: answered?.lastMisses ?? [],
            unused: answered?.firstUnused ?? [],
            exchanges: kept.exchanges
        )
    }

    private var settings: [(StaticString, OptionValue)] {
        var settings: [(StaticString, OptionValue)] = [
            ("path", .list(recordings)), ("listen", .text("127.0.0.1:0")),
            ("latency", .text(options.keepsLatency ? "recorded" : "none")),
        ]
        if let filter = options.filter { settings.append(("filter", .text(filter))) }
        if let session = options.session { settings.append(("session", .text(session))) }
        if options.hasTemplates { settings.append(("templates", .flag(true))) }
        if let match = options.match { settings.append(("match", .list(match))) }
        if !options.ignored.isEmpty { settings.append(("ignore", .list(options.ignored))) }
        return settings
    }
}

/// Waits until a server listens, or has failed to.
private final class Opening: Sendable {
    private enum State {
        case opening
        case awaited(CheckedContinuation<String, any Error>)
        case known(Result<String, any Error>)
    }

    private let state = Mutex(State.opening)

    /// Notes the address that the server listens on.
    func opened(_ address: String?) {
        resolve(address.map { .success("http://\($0)") } ?? .failure(ReplayError([])))
    }

    /// Notes that the server has ended; ignored if it listened before.
    func ended(_ failures: [String]) { resolve(.failure(ReplayError(failures))) }

    /// Waits for the URL of the server.
    func url() async throws -> String {
        try await withCheckedThrowingContinuation { continuation in
            let known = state.withLock { state -> Result<String, any Error>? in
                if case .known(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let known { continuation.resume(with: known) }
        }
    }

    private func resolve(_ result: Result<String, any Error>) {
        let waiting = state.withLock { state -> CheckedContinuation<String, any Error>? in
            switch state {
            case .opening:
                state = .known(result)
                return nil
            case .awaited(let continuation):
                state = .known(result)
                return continuation
            case .known: return nil
            }
        }
        waiting?.resume(with: result)
    }
}
