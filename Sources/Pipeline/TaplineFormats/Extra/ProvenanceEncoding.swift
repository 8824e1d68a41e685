// SPDX-License-Identifier: MIT

package import TaplineJSON
package import TaplineModel

/// Writes the steps of a provenance as JSON.
package enum ProvenanceEncoding {
    /// Writes a step.
    ///
    /// - Parameters:
    ///   - step: The step.
    ///   - json: The output.
    ///   - value: Returns the present value of what was changed, for a member `value`.
    package static func step(
        _ step: ProvenanceStep,
        to json: inout JSONWriter,
        value: (ProvenanceChange) -> String? = { _ in nil }
    ) {
        json.beginObject()
        json.text("stage", step.stage)
        json.text("hook", step.hook)
        json.text("verdict", step.verdict)
        json.text("decision", step.decision)
        json.text("skipped", step.skipped)
        if step.isFailed {
            json.key("failed")
            json.bool(true)
        }
        if step.calls != 1 { json.count("calls", step.calls) }
        json.milliseconds("at_ms", step.at)
        json.milliseconds("took_ms", step.duration)
        json.milliseconds("delay_ms", step.delay)
        json.milliseconds("waited_ms", step.waited)
        if !step.changes.isEmpty {
            json.key("changes")
            json.beginArray()
            for change in step.changes { self.change(change, to: &json, value: value(change)) }
            json.endArray()
        }
        if !step.details.isEmpty {
            json.key("details")
            json.beginArray()
            for detail in step.details {
                json.beginObject()
                json.text("name", detail.name)
                json.text("value", detail.value)
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }

    private static func change(
        _ change: ProvenanceChange,
        to json: inout JSONWriter,
        value: String?
    ) {
        json.beginObject()
        json.text("part", change.part)
        json.text("name", change.name)
        json.text("kind", change.kind)
        if change.count != 1 { json.count("count", change.count) }
        json.count("before", change.before)
        json.count("after", change.after)
        if let value {
            json.key("value")
            json.string(value)
        }
        json.endObject()
    }
}
