// SPDX-License-Identifier: MIT

internal import Synchronization
internal import TaplineModel
internal import TaplinePlugin

/// The figures of the partitions, which any thread may read.
final class KafkaFigures: Sendable {
    private struct Figure {
        let partition: String
        let lag: Int?
        let unconfirmed: Int
    }

    private struct State {
        var partitions: [Figure] = []
        var group = ""
        var rebalances = 0
        var failedCommits = 0
    }

    private let state = Mutex(State())

    /// Counts a change of the partitions.
    func countRebalance(in group: String) {
        state.withLock {
            $0.group = group
            $0.rebalances += 1
        }
    }

    /// Counts a commit that failed; it is tried again.
    func countFailedCommit(in group: String) {
        state.withLock {
            $0.group = group
            $0.failedCommits += 1
        }
    }

    /// Replaces the figures of the partitions; returns the sum of their lags.
    func set(_ partitions: [AssignedPartition], _ lag: (AssignedPartition) -> Int?) -> Int {
        let figures = partitions.map { partition in
            Figure(
                partition: "\(partition.name)",
                lag: lag(partition),
                unconfirmed: partition.unconfirmed
            )
        }
        state.withLock { $0.partitions = figures }
        return figures.reduce(0) { $0.addingClamped($1.lag ?? 0) }
    }

    var metrics: [Metric] {
        let state = self.state.withLock { $0 }
        if state.group.isEmpty { return [] }
        var metrics = [
            Metric("rebalances", of: state.group, count: state.rebalances),
            Metric("failed commits", of: state.group, count: state.failedCommits),
        ]
        for figure in state.partitions {
            if let lag = figure.lag {
                metrics.append(Metric("lag messages", of: figure.partition, value: lag))
            }
            metrics.append(
                Metric("unconfirmed batches", of: figure.partition, value: figure.unconfirmed)
            )
        }
        return metrics
    }
}
