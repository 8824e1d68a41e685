// SPDX-License-Identifier: MIT

internal import TaplineCapture
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// One run of a recorded test, from reading the environment to reporting the problems.
struct RecordedRun: Sendable {
    let recording: Recording
    private let fixture: Fixture
    private let options: RecordedOptions
    private let ended: EndedExchanges
    private let player: CassettePlayer?
    private let secrets: FixtureSecrets
    private let recordingFailures = RecordingFailures()
    /// Whether there was no fixture, and nobody asked for a recording.
    private let isFirst: Bool
    private static let sink = "recording"

    /// Whether the run has to wait for its turn.
    var needsTurn: Bool { recording.tap != nil && options.capturesShared }

    /// Prepares a run.
    ///
    /// **Throws**: `RecordedError` if the test cannot run in the mode that the environment sets.
    init(
        _ name: String,
        of test: String,
        besides source: String,
        _ options: RecordedOptions,
        _ variables: [String: String] = ProcessEnvironment.variables
    ) throws {
        if let outer = Recording.running {
            throw RecordedError(
                "'\(name)' is recorded within '\(outer.name)'; record only one of them"
            )
        }
        if name.isEmpty || name.hasPrefix("/") || name.split(separator: "/").contains("..") {
            throw RecordedError(
                "'\(name)' is not a valid fixture name; the file must be in "
                    + "'\(options.folder)' or a subfolder"
            )
        }
        self.options = options
        fixture = Fixture(name, besides: source, options)
        ended = EndedExchanges()
        let asked = try options.mode ?? RecordedMode.asked(by: variables)
        let mode = asked ?? (fixture.exists ? .replay : .record)
        isFirst = asked == nil && mode == .record
        if !fixture.exists, mode == .replay || (asked == nil && isSet(variables["CI"])) {
            throw RecordedError(
                "there is no fixture '\(fixture.path)'; run the test once with access to the "
                    + "network, with \(RecordedMode.variable)=record, and commit the file"
            )
        }
        if mode != .off {
            try FixtureOwners.shared.note(test, of: fixture.path, mode, isChosen: asked != nil)
        }
        let sinks = [Topology.Sink(id: RecordedRun.sink, ended)]
        secrets = try FixtureSecrets(mode == .off ? [] : options.stages)
        player =
            mode == .replay
            ? CassettePlayer(try fixture.read(), of: name, options, masks: secrets.masks) : nil
        var stages = secrets.stages
        if let player { stages.insert(ReplayStage(player: player, secrets: secrets).placed, at: 0) }
        let tap = Tap(
            stages: stages,
            sinks: sinks,
            maxBodySize: options.maxBodySize,
            capturesShared: options.capturesShared,
            isOffline: mode == .replay,
            log: recordingFailures.log
        )
        recording = Recording(fixture, named: name, mode, mode == .off ? nil : tap)
    }

    /// Begins: requests of the test are recorded or answered from now on.
    func start() throws { try recording.tap?.start(for: options.capturesShared ? .test : .itself) }

    /// Ends the run.
    ///
    /// The fixture of a recording is written unless the test has failed or its
    /// recording is incomplete.
    ///
    /// - Parameter hasFailed: Whether the test has thrown an error, or an expectation of it failed.
    /// - Returns: The problems, as readable text.
    func finish(hasFailed: Bool) -> [String] {
        recording.tap?.stop()
        switch recording.mode {
        case .off: return []
        case .record where hasFailed: return isFirst ? unreachable.map { [$0] } ?? [] : []
        case .record: return losses.map { [$0] } ?? write()
        case .replay: return failures + (losses.map { [$0] } ?? unused(hasFailed: hasFailed))
        }
    }

    /// Reports exchanges that were lost, although no stage dropped them.
    private var losses: String? {
        guard let report = recording.tap?.report else { return nil }
        var lost = report.sources.reduce(0) { $0 + $1.counters.dropped }
        lost += report.stages.reduce(0) { $0 + $1.counters.errors }
        for sink in report.sinks where sink.id == RecordedRun.sink {
            lost += sink.counters.dropped + sink.counters.errors
        }
        guard lost > 0 else { return nil }
        let reasons = recordingFailures.lines.map { "\n  \($0)" }.joined()
        return "\(lost) of the test's requests were not recorded:\(reasons)"
    }

    // MARK: Recording

    private func write() -> [String] {
        do {
            let replacer = SecretReplacer(secrets)
            let all = try ended.all.map { try replacer.clean($0) }
            let problems = all.compactMap(problem)
            // An incomplete exchange would be replayed as if it were complete.
            guard problems.isEmpty else { return problems }
            // An empty fixture would hide that the requests of the test go to the network.
            guard !all.isEmpty else { return [nothing] }
            try fixture.write(all, without: secrets.tokens)
        } catch {
            return ["\(error)"]
        }
        return []
    }

    /// The problem with a test whose requests, if any, were not captured.
    private var nothing: String {
        let other = options.capturesShared ? "" : ", which 'capturesShared: true' captures"
        return "'\(recording.name)': nothing was recorded, so no fixture is written; send through "
            + "recording.session, a TapSession, a session with a tapped() configuration or "
            + "URLSession.shared\(other), or do not record a test that sends no requests"
    }

    /// Why a test without a fixture may have failed: its first requests to the network did.
    private var unreachable: String? {
        let failed = ended.all.first { $0.state == .failed && $0.response == nil }
        guard let failed, let error = failed.error else { return nil }
        return "there is no fixture '\(fixture.path)', so the test used the network, where "
            + "\(failed.request.method) \(failed.request.url) failed (\(error.code)); run the test "
            + "once with access to the server"
    }

    /// Returns why an exchange cannot be replayed faithfully.
    private func problem(_ exchange: Exchange) -> String? {
        let name = "\(exchange.request.method) \(exchange.request.url)"
        if exchange.error?.code == "stopped" {
            return "\(name) had not ended when the test ended and is not recorded; wait for it"
        }
        let sent = exchange.request.body
        if options.matching.parts.contains(.body), sent.isTruncated, sent.bytes.isEmpty {
            return "the body of the request \(name) is not visible and cannot be compared; send it "
                + "through a TapSession"
        }
        guard let body = exchange.response?.body, body.isTruncated, exchange.state == .completed
        else { return nil }
        return body.bytes.isEmpty
            ? "the body of \(name) is not visible and not recorded; "
                + "use a TapSession, and no download"
            : "the body of \(name) is larger than 'maxBodySize', \(options.maxBodySize) bytes; "
                + "raise that"
    }

    // MARK: Replaying

    /// The requests that had no recording, or that could not be answered; each text once.
    private var failures: [String] {
        var texts: Set<String> = []
        return ended.all.compactMap(failure).filter { texts.insert($0).inserted }
    }

    private func failure(_ exchange: Exchange) -> String? {
        guard let error = exchange.error, error.code == "no_recording" else { return nil }
        if let text = player?.explanation(of: exchange.id) { return text }
        guard error.message.hasPrefix("URLSession") else { return error.message }
        return "\(exchange.request.method) \(exchange.request.url) is a download, which "
            + "cannot be answered by a recording; fetch it with data(for:)"
    }

    private func unused(hasFailed: Bool) -> [String] {
        guard options.isStrict, !hasFailed, let unused = player?.unused, !unused.isEmpty else {
            return []
        }
        let list = unused.map { "\n  \($0)" }.joined()
        return ["no request used these recordings of '\(recording.name)':\(list)"]
    }
}

/// Returns whether an environment variable is set to a true value.
private func isSet(_ value: String?) -> Bool {
    guard let value else { return false }
    return !["", "0", "false"].contains(value)
}
