// SPDX-License-Identifier: MIT

internal import TaplineJSON
internal import TaplineModel

/// Parses the steps of a provenance from JSON.
enum ProvenanceDecoding {
    /// Parses the value of `provenance`.
    static func steps(_ value: JSONValue) throws(RecordError) -> [ProvenanceStep] {
        try value.requireArray("provenance")
        var result: [ProvenanceStep] = []
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("provenance")
            result.append(try step(element))
        }
        return result
    }

    private static func step(_ value: JSONValue) throws(RecordError) -> ProvenanceStep {
        var step = ProvenanceStep(
            stage: try ExtraDecoding.text("stage", of: value),
            hook: try ExtraDecoding.text("hook", of: value),
            verdict: try ExtraDecoding.text("verdict", of: value),
            decision: try ExtraDecoding.text("decision", of: value),
            skipped: try ExtraDecoding.text("skipped", of: value)
        )
        if let failed = value.member("failed"), !failed.isNull {
            step.isFailed = try failed.requireBool("failed")
        }
        step.calls = try count("calls", of: value) ?? 1
        step.at = try time("at_ms", of: value)
        step.duration = try time("took_ms", of: value)
        step.delay = try time("delay_ms", of: value)
        step.waited = try time("waited_ms", of: value)
        step.changes = try changes(value)
        step.details = try details(value)
        return step
    }

    private static func changes(_ step: JSONValue) throws(RecordError) -> [ProvenanceChange] {
        guard let value = step.member("changes"), !value.isNull else { return [] }
        try value.requireArray("changes")
        var result: [ProvenanceChange] = []
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("changes")
            result.append(
                ProvenanceChange(
                    part: try ExtraDecoding.text("part", of: element),
                    name: try ExtraDecoding.text("name", of: element),
                    kind: try ExtraDecoding.text("kind", of: element),
                    count: try count("count", of: element) ?? 1,
                    before: try count("before", of: element),
                    after: try count("after", of: element)
                )
            )
        }
        return result
    }

    private static func details(_ step: JSONValue) throws(RecordError) -> [ProvenanceDetail] {
        guard let value = step.member("details"), !value.isNull else { return [] }
        try value.requireArray("details")
        var result: [ProvenanceDetail] = []
        var elements = value.elements
        while let element = elements.next() {
            try element.requireObject("details")
            result.append(
                ProvenanceDetail(
                    name: try ExtraDecoding.text("name", of: element),
                    value: try ExtraDecoding.text("value", of: element)
                )
            )
        }
        return result
    }

    private static func count(
        _ name: StaticString,
        of object: JSONValue
    ) throws(RecordError) -> Int? {
        guard let value = object.member(name), !value.isNull else { return nil }
        return try value.requireCount(name)
    }

    private static func time(
        _ name: StaticString,
        of object: JSONValue
    ) throws(RecordError) -> Microseconds? {
        guard let value = object.member(name), !value.isNull else { return nil }
        return try value.requireMilliseconds(name)
    }
}
