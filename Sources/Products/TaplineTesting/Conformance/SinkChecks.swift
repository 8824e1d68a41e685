// SPDX-License-Identifier: MIT

internal import TaplineConfig
public import TaplineModel
public import TaplinePlugin
internal import TaplineRuntime
internal import TaplineSystem

/// An external fault that a test can cause and repair: a full disk, a locked database.
public struct Outage: Sendable {
    /// Causes or repairs the fault, given the folder of the component.
    public typealias Step = @Sendable (_ folder: String) throws -> Void

    let begin: Step
    let end: Step

    /// Creates an outage from its two steps.
    public init(begin: @escaping Step, end: @escaping Step) {
        self.begin = begin
        self.end = end
    }
}

extension Conformance {
    /// Returns the ids of the exchanges stored in the component's folder, in the order of storing.
    public typealias ReadBack = @Sendable (_ folder: String) throws -> [ExchangeID]

    /// Checks a sink against the requirements for all sinks.
    ///
    /// - Parameters:
    ///   - plugin: The plugin.
    ///   - options: Its options as YAML, with paths relative to the folder: `path: out.ndjson`.
    ///   - settings: Further settings.
    ///   - outage: A fault that makes writing fail, if a test can cause one.
    ///   - stored: Reads back the stored ids; without it, only the runtime's view is checked.
    /// - Returns: The violations; empty if there are none.
    public static func violations(
        of plugin: SinkPlugin,
        options: String = "",
        settings: ConformanceSettings = ConformanceSettings(),
        outage: Outage? = nil,
        stored: ReadBack? = nil
    ) async -> [Violation] {
        let subject = Subject(plugin: .sink(plugin), options: options, settings: settings)
        return await run(subject) { findings in
            let checks = SinkChecks(subject: subject, outage: outage, stored: stored)
            try await checks.run(into: &findings)
        }
    }
}

/// The checks of a sink: in real pipelines, and call by call.
struct SinkChecks {
    let subject: Subject
    let outage: Outage?
    let stored: Conformance.ReadBack?

    func run(into findings: inout Findings) async throws {
        try await checkRuns(into: &findings)
        try await checkLanes(into: &findings)
        await checkSecrets(into: &findings)
        let calls = SinkCalls(subject: subject, outage: outage, stored: stored)
        let excluded = subject.settings.excluding
        let found = await withinOnThread(subject.settings.patience) {
            var findings = Findings(excluding: excluded)
            calls.run(into: &findings)
            return findings.all
        }
        guard let found else {
            findings.note(.run, "calls of the sink do not return")
            return
        }
        for violation in found { findings.note(violation.check, violation.text) }
    }

    // MARK: Pipelines

    /// Runs twice in one folder: plain exchanges, then unusual ones.
    private func checkRuns(into findings: inout Findings) async throws {
        let folder = try TestFolder(subject.settings.files)
        let plain = Exchange.examples(700)
        let first = await run(plain, in: folder, isLive: true)
        check(first, plain.count, "plain exchanges", .run, into: &findings)
        check(folder, holds: plain.map(\.id), .acknowledged, "a run", into: &findings)
        let second = await run(EdgeCaseExchanges.all, in: folder)
        check(second, EdgeCaseExchanges.all.count, "odd exchanges", .oddInput, into: &findings)
        let both = plain + EdgeCaseExchanges.all
        check(folder, holds: both.map(\.id), .reopening, "a second run", into: &findings)
        for (path, status) in try folder.contents().sorted(by: { $0.key < $1.key })
        where status.kind == .regular && status.permissions & 0o077 != 0 {
            let name = path.dropFirst(folder.path.count + 1)
            guard subject.settings.files[String(name)] == nil else { continue }
            findings.note(
                .fileModes,
                "the file '\(name)' has mode \(String(status.permissions, radix: 8)), expected 600"
            )
        }
    }

    private func checkLanes(into findings: inout Findings) async throws {
        let folder = try TestFolder(subject.settings.files)
        let exchanges = Exchange.examples(100)
        let outcome = await run(exchanges, in: folder, lanes: 4)
        check(outcome, exchanges.count * 4, "four lanes", .run, into: &findings)
        guard let stored else { return }
        let found = Set(try stored(folder.path))
        findings.expect(
            found == Set(exchanges.map(\.id)),
            .acknowledged,
            "with four lanes, \(found.count) of \(exchanges.count) exchanges are stored"
        )
    }

    private func checkSecrets(into findings: inout Findings) async {
        let planted = PlantedSecrets()
        let exchanges = (0..<40).map { planted.exchange($0) }
        for options in [subject.options] + subject.settings.failing {
            let outcome = await run(exchanges, options: options)
            outcome.transcript.search(
                for: planted,
                and: subject.settings.secrets,
                while: "running with '\(options)'",
                into: &findings
            )
            let isWell = outcome.report?.isSuccess == true && outcome.transcript.entries.isEmpty
            findings.expect(
                options == subject.options || !isWell,
                .run,
                "it is declared to fail with '\(options)', but does not"
            )
        }
    }

    private func run(
        _ exchanges: [Exchange],
        in folder: TestFolder? = nil,
        options: String? = nil,
        lanes: Int = 1,
        isLive: Bool = false
    ) async -> PipelineRun.Outcome {
        let source = LanesSource(exchanges: exchanges, lanes: lanes, isLive: isLive)
        return await PipelineRun.run(subject, in: folder) { folder, diagnostics in
            subject.build(
                in: folder,
                options: options,
                source: source,
                set: options == nil
                    ? []
                    : ["\(Subject.id).retry.max_elapsed=100ms", "runtime.drain_timeout=200ms"],
                into: &diagnostics
            )
        }
    }

    private func check(
        _ outcome: PipelineRun.Outcome,
        _ count: Int,
        _ what: String,
        _ check: Violation.Check,
        into findings: inout Findings
    ) {
        for violation in outcome.violations { findings.note(violation.check, violation.text) }
        guard let report = outcome.report, let counters = report.sinks.first?.counters else {
            findings.note(check, "with \(what), the pipeline is not built")
            return
        }
        let last = outcome.transcript.entries.last { $0.level >= .warning }?.message
        findings.expect(
            report.isSuccess,
            check,
            "with \(what), the run fails: \(last ?? "without a message")"
        )
        let isBalanced =
            report.isBalanced && counters.received == count && counters.written >= 0
            && counters.duplicates >= 0 && counters.queued == 0
        findings.expect(
            isBalanced,
            .counters,
            "with \(what), \(count) arrived, but the counters are \(counters)"
        )
    }

    private func check(
        _ folder: TestFolder,
        holds expected: [ExchangeID],
        _ check: Violation.Check,
        _ what: String,
        into findings: inout Findings
    ) {
        guard let stored else { return }
        StoredIDs(expected, stored, folder).compare(check, "after \(what)", into: &findings)
    }
}

/// Compares the expected ids with the stored ones.
struct StoredIDs {
    let expected: [ExchangeID]
    let stored: Conformance.ReadBack
    let folder: TestFolder

    init(_ expected: [ExchangeID], _ stored: @escaping Conformance.ReadBack, _ folder: TestFolder) {
        self.expected = expected
        self.stored = stored
        self.folder = folder
    }

    func compare(
        _ check: Violation.Check,
        _ moment: @autoclosure () -> String,
        into findings: inout Findings
    ) {
        let found: [ExchangeID]
        do {
            found = try stored(folder.path)
        } catch {
            findings.note(check, "\(moment()), the stored exchanges cannot be read: \(error)")
            return
        }
        if found == expected { return }
        if found.sorted() == expected.sorted() {
            findings.note(.order, "\(moment()), the exchanges are stored in another order")
            return
        }
        let missing = Set(expected).subtracting(found).count
        let strange = Set(found).subtracting(expected).count
        let twice = found.count - Set(found).count
        findings.note(
            check,
            "\(moment()), \(found.count) exchanges are stored, expected \(expected.count): "
                + "\(missing) are missing, \(strange) are unexpected, \(twice) are duplicates"
        )
    }
}
