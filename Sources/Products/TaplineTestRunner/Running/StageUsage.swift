// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplinePlugin
internal import TaplineRuntime

/// Counts which scripts, rules and stages the tests used, over all tests of a pipeline.
package struct StageUsage: Sendable {
    /// The stages of one pipeline file.
    package struct Pipeline: Sendable {
        /// The file.
        package let file: String
        /// The ids of stages whose `when` matched in no test.
        package fileprivate(set) var neverSelected: [String] = []
        /// The totals of the stages' counters, in the order in which the stages first occurred.
        package fileprivate(set) var counts: [Count] = []
        fileprivate var selected: Set<String> = []
    }

    /// A stage's counter for one subject.
    package struct Count: Sendable, Equatable {
        /// The stage.
        package let stage: String
        /// The name of the counter, such as `redactions`.
        package let name: String
        /// The subject that is counted, such as a rule.
        package let subject: String
        /// The value of the counter.
        package fileprivate(set) var count: Int
    }

    /// The usage by pipeline, in the order in which the pipelines first occurred.
    package private(set) var pipelines: [Pipeline] = []
    /// The lines of scripts that can run, with how often they ran; sorted by script.
    package private(set) var scripts: [ScriptCoverage] = []

    /// Creates an empty usage.
    package init() {}

    /// Adds the usage of another run.
    package mutating func add(_ other: StageUsage) {
        for script in other.scripts { add(script) }
        for pipeline in other.pipelines {
            edit(pipeline.file) { own in
                own.selected.formUnion(pipeline.selected)
                own.neverSelected += pipeline.neverSelected
                own.forgetSelected()
                for count in pipeline.counts { own.add(count) }
            }
        }
    }

    /// Adds the usage of one test.
    mutating func add(_ trial: StageRunner, of file: String) {
        for script in trial.coverage { add(script) }
        edit(file) { pipeline in
            pipeline.selected.formUnion(trial.selectedStages)
            pipeline.neverSelected += trial.neverSelected
            pipeline.forgetSelected()
            for (stage, hooks, metrics) in trial.metrics {
                for metric in metrics where metric.isAbout(hooks) {
                    pipeline.add(
                        Count(
                            stage: stage,
                            name: metric.name,
                            subject: metric.subject,
                            count: metric.count
                        )
                    )
                }
            }
        }
    }

    /// Leaves out lines that only close a block: `end`, `}`, `)`.
    ///
    /// Lua reports them as lines that can run, because it adds a return after one that was already
    /// taken.
    ///
    /// - Parameter read: Returns the text of a script, or `nil` if it cannot be read.
    package mutating func leaveOutClosingLines(_ read: (_ file: String) -> [UInt8]?) {
        for index in scripts.indices {
            guard let text = read(scripts[index].file) else { continue }
            let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
            scripts[index].lines = scripts[index].lines.filter { line, count in
                count > 0 || !lines.indices.contains(line - 1) || !lines[line - 1].onlyCloses
            }
        }
    }

    private mutating func add(_ script: ScriptCoverage) {
        guard let index = scripts.firstIndex(where: { $0.file == script.file }) else {
            scripts.append(script)
            scripts.sort { $0.file < $1.file }
            return
        }
        scripts[index].lines.merge(script.lines) { $0 + $1 }
    }

    private mutating func edit(_ file: String, _ change: (inout Pipeline) -> Void) {
        let index = pipelines.firstIndex { $0.file == file } ?? pipelines.count
        if index == pipelines.count { pipelines.append(Pipeline(file: file)) }
        change(&pipelines[index])
    }
}

extension StageUsage.Pipeline {
    fileprivate mutating func forgetSelected() {
        var seen = selected
        neverSelected.removeAll { !seen.insert($0).inserted }
    }

    fileprivate mutating func add(_ count: StageUsage.Count) {
        let index = counts.firstIndex {
            $0.stage == count.stage && $0.name == count.name && $0.subject == count.subject
        }
        guard let index else {
            counts.append(count)
            return
        }
        counts[index].count += count.count
    }
}

extension Metric {
    /// Whether the counter does not count calls, or counts calls of a hook that the stage has.
    fileprivate func isAbout(_ hooks: Hooks) -> Bool {
        guard name == "calls", count == 0 else { return true }
        switch subject.split(separator: " ").last {
        case "request": return hooks.contains(.request)
        case "response": return hooks.contains(.response)
        case "record": return hooks.contains(.record)
        case "message": return hooks.contains(.message)
        default: return false
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether a line of a script contains only brackets, `end`, and punctuation after them.
    fileprivate var onlyCloses: Bool {
        let words = split { byte in
            switch byte {
            case 0x09, 0x0D, 0x20, UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"),
                UInt8(ascii: ","), UInt8(ascii: ";"):
                true
            default: false
            }
        }
        return words.allSatisfy { $0.elementsEqual("end".utf8) }
    }
}
