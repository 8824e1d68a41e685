// SPDX-License-Identifier: MIT

internal import TaplineModel

/// Hosts in which no stage of a pipeline finds a secret.
///
/// Stages check a host as they check a line of the log. Results are cached, since hosts repeat.
///
/// **Isolation**: one lane.
struct HostFilter {
    /// The number of cached results; the cache is cleared when it is full.
    static let capacity = 1024

    private let stages: [Topology.Stage]
    private var answers: [ByteString: Bool] = [:]

    init(_ stages: [Topology.Stage]) { self.stages = stages }

    /// Returns whether no stage removes anything from a host.
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
