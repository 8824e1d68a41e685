// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineOperations
import TaplinePlugin
import TaplineStatistics
import TaplineSystem
import Testing

@testable import TaplineControl

@Suite("The metrics of a pipeline")
struct PipelineMetricsTests {
    @Test("have each series once, even if a component has two metrics of one name")
    func series() {
        let pipeline = ControlledPipeline.running()
        var times = Distribution()
        times.add(2_000_000)
        pipeline.set { status in
            status.components[1].metrics = [
                Metric("hits", of: "a", count: 3), Metric("hits", of: "b", count: 1),
                Metric("hits", of: "a", value: 5), Metric("hits", of: "a", value: 4),
                Metric("hits", of: "a", count: 4), Metric("hits", of: "a", durations: times),
                Metric("hits", of: "a", durations: times),
            ]
        }
        let metrics = PipelineMetrics(
            status: pipeline.status,
            reloads: nil,
            process: ProcessFigures()
        )
        let text = String(decoding: metrics.text(.prometheus), as: UTF8.self)
        let labels = "{kind=\"stage\",id=\"redact\",name=\"hits\",subject="
        let counts = text.split(separator: "\n")
            .filter { $0.hasPrefix("tapline_component_events_total") }
        #expect(
            counts == [
                "tapline_component_events_total\(labels)\"a\"} 7",
                "tapline_component_events_total\(labels)\"b\"} 1",
            ]
        )
        let name = "tapline_component_event_duration_seconds_count"
        let values = text.split(separator: "\n")
            .filter { $0.hasPrefix("tapline_component_value{") }
        #expect(values == ["tapline_component_value{\(labels.dropFirst())\"a\"} 9"])
        let timed = text.split(separator: "\n").filter { $0.hasPrefix(name) }
        #expect(timed == ["\(name)\(labels)\"a\"} 2"])
    }
}
