// SPDX-License-Identifier: MIT

internal import TaplineInspector
internal import TaplineJSON
internal import TaplineMatching
internal import TaplineModel
internal import TaplineSystem

/// The report of a comparison as one HTML file: the page of `tapline share` with the exchanges that
/// differ, and a screen of the differences.
///
/// **Limits**: 500 routes with 100 parts each, and 4 MiB of differences.
enum ComparisonPage {
    private static let maxRoutes = 500
    private static let maxParts = 100
    private static let maxBytes = 4 << 20

    static func bytes(_ output: ComparisonOutput) throws -> [UInt8] {
        guard var document = ShareDocument(maxBytes: ShareDocument.sizeLimit) else { return [] }
        let exchanges = output.exchanges?.all ?? []
        let newestFirst = exchanges.sorted { ($1.started, $1.id) < ($0.started, $0.id) }
        for (number, exchange) in newestFirst.enumerated() {
            try document.add(exchange, number: Int64(newestFirst.count - number))
        }
        let about = ShareDocument.About(
            title: "\(output.names.recorded) and \(output.names.found)",
            redaction: output.redaction,
            made: Timestamp(microseconds: WallClock.microseconds),
            differences: differences(output)
        )
        let parts = try document.finish(about, passphrase: nil) ?? []
        return parts.flatMap(\.self)
    }

    static func differences(_ output: ComparisonOutput) -> [UInt8] {
        let routes = output.report.routes
        var json = JSONWriter()
        json.object { json in
            json.member("recorded", output.names.recorded)
            json.member("found", output.names.found)
            json.member("summary", output.summary)
            json.member("pairs", output.report.differing)
            json.member("shown", output.exchanges?.pairs ?? 0)
            var shown = 0
            json.key("routes")
            json.array { json in
                for route in routes.prefix(maxRoutes) where json.bytes.count < maxBytes {
                    json.object { write(route, output, to: &$0) }
                    shown += 1
                }
            }
            if routes.count > shown { json.member("more_routes", routes.count - shown) }
        }
        return Array(copying: json.bytes)
    }

    private static func write(
        _ route: ComparisonReport.Route,
        _ output: ComparisonOutput,
        to json: inout JSONWriter
    ) {
        json.member("name", route.name)
        json.member("counts", ComparisonOutput.counts(route))
        if let shift = ComparisonOutput.shift(route) { json.member("shift", shift) }
        json.member("pairs", route.pairs)
        json.member("differing", route.differing)
        json.member("missing", route.missing)
        json.member("extra", route.extra)
        json.member("noise", route.noise)
        json.key("parts")
        json.array { json in
            for part in route.parts.prefix(maxParts) {
                json.object { write(part, output, to: &$0) }
            }
        }
        if route.parts.count > maxParts { json.member("more_parts", route.parts.count - maxParts) }
        json.key("missing_examples")
        write(route.missingExamples, to: &json) { output.exchanges?.recordedID($0) }
        json.key("extra_examples")
        write(route.extraExamples, to: &json) { output.exchanges?.foundID($0) }
    }

    private static func write(
        _ part: ComparisonReport.Part,
        _ output: ComparisonOutput,
        to json: inout JSONWriter
    ) {
        json.member("path", part.path)
        json.member("change", part.change)
        json.member("count", part.count)
        json.key("examples")
        json.array { json in
            for example in part.examples {
                json.object { json in
                    json.member("target", example.target)
                    if example.place != part.path { json.member("place", example.place) }
                    json.member("recorded", example.recorded)
                    json.member("found", example.found)
                    if let id = output.exchanges?.recordedID(example.recordedID) {
                        json.member("a", id.description)
                    }
                    if let id = output.exchanges?.foundID(example.foundID) {
                        json.member("b", id.description)
                    }
                }
            }
        }
    }

    private static func write(
        _ examples: [ComparisonReport.Single],
        to json: inout JSONWriter,
        id: (ExchangeID) -> ExchangeID?
    ) {
        json.array { json in
            for example in examples {
                json.object { json in
                    json.member("target", example.target)
                    if let id = id(example.id) { json.member("id", id.description) }
                }
            }
        }
    }
}
