// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
public import TaplinePlugin
internal import TaplineRuntime

extension Conformance {
    /// Checks a stage against the requirements for all stages.
    ///
    /// - Parameters:
    ///   - plugin: The plugin.
    ///   - options: Its options as YAML: `{ max_bytes: 1KiB }`, or lines.
    ///   - settings: Further settings.
    /// - Returns: The violations; empty if there are none.
    public static func violations(
        of plugin: StagePlugin,
        options: String = "",
        settings: ConformanceSettings = ConformanceSettings()
    ) async -> [Violation] {
        let subject = Subject(plugin: .stage(plugin), options: options, settings: settings)
        return await run(subject) { findings in
            await StageChecks(subject: subject, plugin: plugin).run(into: &findings)
        }
    }

    /// Runs the checks of the description and, if the component builds, those of its kind.
    static func run(
        _ subject: Subject,
        _ checks: (inout Findings) async throws -> Void
    ) async -> [Violation] {
        var findings = Findings(excluding: subject.settings.excluding)
        do {
            try DescriptionChecks(subject: subject).run(into: &findings)
            if !findings.all.contains(where: { $0.check == .builds }) {
                try await checks(&findings)
            }
        } catch {
            findings.note(.run, "a check cannot be carried out: \(error)")
        }
        return findings.all
    }
}

/// The checks of a stage, in a real pipeline.
struct StageChecks {
    let subject: Subject
    let plugin: StagePlugin

    private let plain = Exchange.examples(200)
    private let odd = EdgeCaseExchanges.all
    private static let lanes = 4

    init(subject: Subject, plugin: StagePlugin) {
        self.subject = subject
        self.plugin = plugin
    }

    func run(into findings: inout Findings) async {
        checkHooks(into: &findings)
        let plainRun = await PipelineRun(
            subject,
            LanesSource(exchanges: plain, isLive: true),
            watch
        )
        check(plainRun, "plain exchanges", into: &findings)
        let oddRun = await PipelineRun(subject, LanesSource(exchanges: odd), watch)
        check(oddRun, "odd exchanges", into: &findings)
        checkOddities(oddRun, into: &findings)
        await checkLanes(plainRun.records + oddRun.records, into: &findings)
        await checkSecrets(into: &findings)
    }

    private var watch: WireWatch { WireWatch(mayChangeWire: plugin.hasWireHooks) }

    // MARK: Hooks

    private func checkHooks(into findings: inout Findings) {
        var diagnostics = Diagnostics()
        guard let folder = try? TestFolder(subject.settings.files),
            let topology = subject.build(in: folder, into: &diagnostics),
            let factory = topology.stages.last?.factory
        else { return }
        let hooks = factory.hooks
        findings.expect(!hooks.isEmpty, .hooks, "the stage has no hooks")
        findings.expect(
            plugin.hasWireHooks || hooks.isDisjoint(with: .wire),
            .hooks,
            "the stage has wire hooks, but the plugin declares none"
        )
        do {
            let stage = try factory.makeStage(StageContext(id: Subject.id))
            findings.expect(
                hooks.isDisjoint(with: .wire) || stage is any WireStage,
                .hooks,
                "the stage declares wire hooks, but is not a wire stage"
            )
            findings.expect(
                !hooks.contains(.record) || stage is any RecordStage,
                .hooks,
                "the stage declares a record hook, but is not a record stage"
            )
        } catch {
            findings.note(.run, "the stage of a lane cannot be created: \(error)")
        }
    }

    // MARK: Runs

    private func check(_ run: PipelineRun, _ what: String, into findings: inout Findings) {
        run.check(with: what, into: &findings)
        guard let report = run.report, let counters = report.stages.last?.counters else { return }
        let ids = run.records.map(\.id)
        let given = run.given.map(\.id)
        findings.expect(
            ids == ids.sorted(),
            .order,
            "with \(what), records leave in another order than they arrived"
        )
        findings.expect(
            Set(ids).count == ids.count && Set(ids).isSubset(of: given),
            .oneEnd,
            "with \(what), a record has the id of another exchange, or an unknown id"
        )
        findings.expect(
            ids.count + counters.dropped + counters.errors == given.count,
            .counters,
            "with \(what), \(given.count) arrived, \(ids.count) left, \(counters.dropped) "
                + "were dropped and \(counters.errors) were errors"
        )
        findings.expect(
            counters.errors == 0 && counters.hookErrors == 0,
            what == "odd exchanges" ? .oddInput : .run,
            "with \(what), hooks throw: \(run.lastError)"
        )
    }

    /// Records which unusual exchanges make a hook throw.
    private func checkOddities(_ run: PipelineRun, into findings: inout Findings) {
        guard let counters = run.report?.stages.last?.counters,
            counters.errors + counters.hookErrors > 0
        else { return }
        let records = Dictionary(run.records.map { ($0.id, $0) }) { first, _ in first }
        for (position, exchange) in odd.enumerated() {
            let record = records[exchange.id]
            if record?.tags["tapline.error"] != nil
                || (record == nil && counters.dropped == 0)
            {
                findings.note(
                    .oddInput,
                    "a hook throws on: \(EdgeCaseExchanges.name(at: position))"
                )
            }
        }
    }

    /// Checks that the same exchanges give the same results in several lanes at once, interleaved.
    private func checkLanes(_ expected: [Exchange], into findings: inout Findings) async {
        let source = LanesSource(
            exchanges: plain + odd,
            lanes: StageChecks.lanes,
            interleaves: true
        )
        let run = await PipelineRun(subject, source, watch)
        run.check(with: "\(StageChecks.lanes) lanes", into: &findings)
        let reference = Dictionary(expected.map { ($0.id, $0) }) { first, _ in first }
        let found = Dictionary(grouping: run.records, by: \.id)
        for id in Set(reference.keys).union(found.keys) {
            let results = found[id] ?? []
            let isSame =
                results.count == (reference[id] == nil ? 0 : StageChecks.lanes)
                && results.allSatisfy { $0 == reference[id] }
            if isSame { continue }
            findings.note(
                .lanes,
                "an exchange gives another result alone than when \(StageChecks.lanes) lanes "
                    + "run and exchanges interleave"
            )
        }
    }

    // MARK: Secrets

    private func checkSecrets(into findings: inout Findings) async {
        let planted = PlantedSecrets()
        let exchanges = (0..<40).map { planted.exchange($0) }
        for options in [subject.options] + subject.settings.failing {
            let plant = ScriptedStage(request: { _, context in
                context.vars["conformance"] = planted("variable")
                return .proceed
            })
            let run = await PipelineRun(
                subject,
                LanesSource(exchanges: exchanges),
                watch,
                options: options,
                before: [plant]
            )
            run.transcript.search(
                for: planted,
                and: subject.settings.secrets,
                while: "running with '\(options)'",
                into: &findings
            )
            let counters = run.report?.stages.last?.counters ?? StageCounters()
            let hasFailed = run.report == nil || counters.errors + counters.hookErrors > 0
            findings.expect(
                options == subject.options || hasFailed || !run.transcript.entries.isEmpty,
                .run,
                "it is declared to fail with '\(options)', but does not"
            )
        }
    }
}
