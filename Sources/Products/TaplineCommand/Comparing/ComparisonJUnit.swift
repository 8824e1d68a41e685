// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineMatching
internal import TaplineTestRunner

/// The report of a comparison in JUnit's XML format: a test case for each route.
enum ComparisonJUnit {
    static func bytes(_ output: ComparisonOutput) -> [UInt8] {
        let routes = output.report.routes
        let suite = JUnitReport.attribute("\(output.names.recorded) and \(output.names.found)")
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>",
            "<testsuites>",
            "  <testsuite name=\"\(suite)\" tests=\"\(routes.count)\""
                + " failures=\"\(routes.count { $0.count > 0 })\" errors=\"0\" time=\"0.000\">",
        ]
        for route in routes { lines += testCase(route, suite) }
        lines += ["  </testsuite>", "</testsuites>", ""]
        return Array(lines.joined(separator: "\n").utf8)
    }

    private static func testCase(_ route: ComparisonReport.Route, _ suite: String) -> [String] {
        let opening =
            "    <testcase name=\"\(JUnitReport.attribute(route.name))\" classname=\"\(suite)\""
            + " time=\"0.000\""
        guard route.count > 0 else { return ["\(opening)/>"] }
        var details: [String] = []
        for part in route.parts {
            details.append("\(part.path) \(part.change), \(Counted.text(part.count, "time"))")
            for example in part.examples {
                details.append("  \(example.foundID) \(example.place): \(example.values)")
            }
        }
        for example in route.missingExamples {
            details.append("missing \(example.id) \(example.target)")
        }
        for example in route.extraExamples {
            details.append("extra \(example.id) \(example.target)")
        }
        let message = JUnitReport.attribute(ComparisonOutput.counts(route))
        return [
            "\(opening)>",
            "      <failure type=\"difference\" message=\"\(message)\">"
                + "\(JUnitReport.escaped(details.joined(separator: "\n")))</failure>",
            "    </testcase>",
        ]
    }
}
