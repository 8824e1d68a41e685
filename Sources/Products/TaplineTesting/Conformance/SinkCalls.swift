// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineModel
internal import TaplinePlugin
internal import TaplineRuntime

/// Calls a sink step by step through its lifetime, in the same way as its thread.
struct SinkCalls: Sendable {
    let subject: Subject
    let outage: Outage?
    let stored: Conformance.ReadBack?

    func run(into findings: inout Findings) {
        do {
            try checkLife(into: &findings)
            try checkOutage(into: &findings)
        } catch {
            findings.note(.run, "a call to the sink fails: \(error)")
        }
    }

    // MARK: Checks

    /// Opens, writes, reopens the files and closes; then does the same again.
    private func checkLife(into findings: inout Findings) throws {
        let folder = try TestFolder(subject.settings.files)
        let transcript = Transcript()
        var expected: [ExchangeID] = []
        for life in 0..<2 {
            let sink = try open(in: folder, transcript)
            let first = Exchange.examples(50, from: life * 1000)
            let second = Exchange.examples(50, from: life * 1000 + 500)
            try write(first, to: sink, into: &findings)
            expected += first.map(\.id)
            compare(folder, expected, .acknowledged, "after write returned", into: &findings)
            _ = try sink.write([])
            try sink.flush()
            try sink.reopen()
            try write(second, to: sink, into: &findings)
            expected += second.map(\.id)
            try sink.flush()
            compare(folder, expected, .reopening, "after files were reopened", into: &findings)
            try sink.close()
            compare(folder, expected, .acknowledged, "after close", into: &findings)
        }
    }

    /// Writes a batch that fails, and retries it when the outage is over.
    private func checkOutage(into findings: inout Findings) throws {
        guard let outage else { return }
        let folder = try TestFolder(subject.settings.files)
        let transcript = Transcript()
        let planted = PlantedSecrets()
        let sink = try open(in: folder, transcript)
        let before = Exchange.examples(50)
        let batch = (1000..<1200).map { planted.exchange($0) }
        try write(before, to: sink, into: &findings)
        try outage.begin(folder.path)
        do {
            _ = try sink.write(records(batch))
            findings.note(.batches, "a write succeeds during the outage")
        } catch {
            transcript.add("\(error)")
            transcript.add(String(reflecting: error))
        }
        try outage.end(folder.path)
        let first = before.map(\.id)
        compare(folder, first, .batches, "after a write that failed", into: &findings)
        try write(batch, to: sink, into: &findings)
        compare(
            folder,
            first + batch.map(\.id),
            .batches,
            "after the write was retried",
            into: &findings
        )
        try sink.flush()
        try sink.close()
        transcript.search(
            for: planted,
            and: subject.settings.secrets,
            while: "writing during an outage",
            into: &findings
        )
    }

    // MARK: Calls

    private func open(in folder: TestFolder, _ transcript: Transcript) throws -> any Sink {
        var diagnostics = Diagnostics()
        guard let factory = subject.build(in: folder, into: &diagnostics)?.sinks.first?.factory
        else { throw diagnostics }
        let context = SinkContext(id: Subject.id, log: transcript.log, now: PipelineRun.clock)
        return try factory.open(context)
    }

    private func write(
        _ exchanges: [Exchange],
        to sink: any Sink,
        into findings: inout Findings
    ) throws {
        let result = try sink.write(records(exchanges))
        findings.expect(
            result.duplicates == 0,
            .counters,
            "\(result.duplicates) of \(exchanges.count) new records count as duplicates"
        )
    }

    private func records(_ exchanges: [Exchange]) -> [Record] {
        var chain = RecordChain(digests: true)
        return exchanges.compactMap {
            if case .sealed(let record) = chain.seal($0) { record } else { nil }
        }
    }

    private func compare(
        _ folder: TestFolder,
        _ expected: [ExchangeID],
        _ check: Violation.Check,
        _ moment: @autoclosure () -> String,
        into findings: inout Findings
    ) {
        guard let stored else { return }
        StoredIDs(expected, stored, folder).compare(check, moment(), into: &findings)
    }
}

extension Exchange {
    /// Returns a number of plain exchanges, numbered from a start.
    static func examples(_ count: Int, from first: Int) -> [Exchange] {
        (first..<first + count).map { example($0) }
    }
}
