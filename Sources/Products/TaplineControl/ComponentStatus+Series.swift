// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplinePlugin
internal import TaplineStatistics

extension ComponentStatus {
    /// The labels of a component's own metric.
    private struct Series: Hashable {
        let name: String
        let subject: String
        /// Counts and durations are written as different metrics.
        let isTimed: Bool
    }

    /// The component's own metrics, those with the same name and subject added up.
    ///
    /// Prometheus refuses a text that has a series twice as a whole.
    var ownSeries: [Metric] {
        var positions: [Series: Int] = [:]
        var series: [Metric] = []
        for metric in metrics {
            let key = Series(
                name: metric.name,
                subject: metric.subject,
                isTimed: metric.durations != nil
            )
            if let position = positions[key] {
                series[position] = series[position].adding(metric)
            } else {
                positions[key] = series.count
                series.append(metric)
            }
        }
        return series
    }
}

extension Metric {
    /// Returns the sum with a metric of the same name and subject.
    fileprivate func adding(_ other: Metric) -> Metric {
        if let durations, let others = other.durations {
            return Metric(name, of: subject, durations: durations + others)
        }
        return Metric(name, of: subject, count: count.addingClamped(other.count))
    }
}
