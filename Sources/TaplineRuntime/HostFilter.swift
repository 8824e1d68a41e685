// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The hosts that the stages of a pipeline let pass: no detector finds a secret in them.
///
/// Stages are asked as for a line of the log. Answers are kept, since hosts repeat.
///
/// **Isolation**: one lane.
struct HostFilter {
    /// How many answers are kept; when there are more, all are forgotten.
    static let capacity = 1024

    private let stages: [Topology.Stage]
    private var answers: [ByteString: Bool] = [:]

    init(_ stages: [Topology.Stage]) { self.stages = stages }

    /// Returns whether no stage takes anything out of a host.
    mutating func passes(_ host: ByteString) -> Bool {
        if stages.isEmpty { return true }
        if let answer = answers[host] { return answer }
        let text = host.description
        let answer = stages.cleaned(text) == text
        if answers.count >= HostFilter.capacity { answers.removeAll(keepingCapacity: true) }
        answers[host] = answer
        return answer
    }
}
