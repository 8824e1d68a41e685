// SPDX-License-Identifier: MIT

internal import TaplineModel
internal import TaplineOperations
internal import TaplinePlugin
internal import TaplineStatistics

extension ComponentStatus {
    /// The labels of a component's own metric.
    private struct Series: Hashable {
        let name: String
        let subject: String
        /// Each kind is written as a metric of its own.
        let kind: Metric.Kind
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
                kind: metric.kind
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
        let sum = count.addingClamped(other.count)
        return kind == .gauge
            ? Metric(name, of: subject, value: sum) : Metric(name, of: subject, count: sum)
    }
}
