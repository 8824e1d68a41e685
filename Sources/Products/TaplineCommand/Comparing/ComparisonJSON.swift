// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineJSON
internal import TaplineMatching
internal import TaplineModel
internal import TaplineStatistics

/// The report of a comparison as one JSON object; its keys are in `Comparing.md`.
enum ComparisonJSON {
    /// Returns the object in one line.
    ///
    /// - Parameters:
    ///   - report: The report.
    ///   - maxRoutes: How many routes it has at most; further ones are counted in `more_routes`.
    ///   - maxParts: How many parts each route has at most; further ones are counted in
    ///     `more_parts`.
    /// - Returns: The JSON with a line feed.
    static func bytes(
        _ report: ComparisonReport,
        maxRoutes: Int = .max,
        maxParts: Int = .max
    ) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.member("pairs", report.pairs)
            json.member("differing", report.differing)
            json.member("missing", report.missing)
            json.member("extra", report.extra)
            json.member("noise", report.noise)
            json.member("incomplete", report.incomplete)
            json.key("routes")
            json.array { json in
                for route in report.routes.prefix(maxRoutes) {
                    json.object { write(route, maxParts, to: &$0) }
                }
            }
            let more = report.routes.count - report.routes.prefix(maxRoutes).count
            if more > 0 { json.member("more_routes", more) }
        }
        json.separator(0x0A)
        return Array(copying: json.bytes)
    }

    private static func write(
        _ route: ComparisonReport.Route,
        _ maxParts: Int,
        to json: inout JSONWriter
    ) {
        json.member("method", route.method)
        json.member("route", route.route)
        json.member("pairs", route.pairs)
        json.member("differing", route.differing)
        json.member("missing", route.missing)
        json.member("extra", route.extra)
        json.member("noise", route.noise)
        json.member("incomplete", route.incomplete)
        json.key("parts")
        json.array { json in
            for part in route.parts.prefix(maxParts) { json.object { write(part, to: &$0) } }
        }
        let more = route.parts.count - route.parts.prefix(maxParts).count
        if more > 0 { json.member("more_parts", more) }
        json.key("missing_examples")
        write(route.missingExamples, to: &json)
        json.key("extra_examples")
        write(route.extraExamples, to: &json)
        guard let latency = route.latency else { return }
        json.key("latency")
        json.object { json in
            json.key("recorded")
            json.milliseconds(latency.recorded)
            json.key("found")
            json.milliseconds(latency.found)
            if let shift = latency.shift {
                json.key("slower")
                json.double(shift.superiority)
                json.key("p")
                json.double(shift.probability)
            }
            json.member("shift", latency.isShift)
        }
    }

    private static func write(_ part: ComparisonReport.Part, to json: inout JSONWriter) {
        json.member("path", part.path)
        json.member("kind", part.kind.rawValue)
        json.member("count", part.count)
        json.key("examples")
        json.array { json in
            for example in part.examples {
                json.object { json in
                    json.member("recorded_id", example.recordedID.description)
                    json.member("id", example.foundID.description)
                    json.member("target", example.target)
                    json.member("place", example.place)
                    json.member("recorded", example.recorded)
                    json.member("found", example.found)
                }
            }
        }
    }

    private static func write(
        _ examples: [ComparisonReport.Single],
        to json: inout JSONWriter
    ) {
        json.array { json in
            for example in examples {
                json.object { json in
                    json.member("id", example.id.description)
                    json.member("target", example.target)
                }
            }
        }
    }
}
