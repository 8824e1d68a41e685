// SPDX-License-Identifier: MIT

/// Test results in JUnit's XML format, as read by build servers.
///
/// **Source**: the common part of the schemas of Ant's and Jenkins' JUnit tasks.
package struct JUnitReport: Sendable {
    private var suites: [String] = []
    private let time: String
    private let report = TestReport()

    /// Creates a report without results.
    ///
    /// - Parameter time: When the tests ran, in RFC 3339; the schemas allow no fraction and no time
    ///   zone.
    package init(time: String) { self.time = String(time.prefix(19)) }

    /// Adds the results of one file.
    package mutating func add(file: String, _ results: [TestResult]) {
        let failures = results.count { !$0.isPassed }
        let elapsed = results.reduce(Duration.zero) { $0 + $1.elapsed }
        let name = JUnitReport.attribute(file)
        var lines = [
            "  <testsuite name=\"\(name)\" package=\"\(name)\" id=\"\(suites.count)\""
                + " hostname=\"localhost\" timestamp=\"\(time)\" tests=\"\(results.count)\""
                + " failures=\"\(failures)\" errors=\"0\" time=\"\(seconds(elapsed))\">",
            "    <properties/>",
        ]
        for result in results { lines += element(result, name) }
        lines += ["    <system-out/>", "    <system-err/>", "  </testsuite>"]
        suites.append(lines.joined(separator: "\n") + "\n")
    }

    /// Adds a file that could not be run, so that its tests are not overlooked.
    package mutating func add(file: String, error: String) {
        let name = JUnitReport.attribute(file)
        suites.append(
            """
              <testsuite name="\(name)" package="\(name)" id="\(suites.count)" hostname="localhost" \
            timestamp="\(time)" tests="1" failures="0" errors="1" time="0.000">
                <properties/>
                <testcase name="\(name)" classname="\(name)" time="0.000">
                  <error type="configuration" message="the file is wrong">\
            \(JUnitReport.escaped(error))</error>
                </testcase>
                <system-out/>
                <system-err/>
              </testsuite>

            """
        )
    }

    /// The text of the file.
    package var text: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n" + suites.joined()
            + "</testsuites>\n"
    }

    private func element(_ result: TestResult, _ file: String) -> [String] {
        let opening =
            "    <testcase name=\"\(JUnitReport.attribute(result.name))\" classname=\"\(file)\""
            + " time=\"\(seconds(result.elapsed))\""
        guard let first = result.mismatches.first else { return ["\(opening)/>"] }
        let message = JUnitReport.attribute(first.message)
        return [
            "\(opening)>",
            "      <failure type=\"expectation\" message=\"\(message)\">"
                + "\(JUnitReport.escaped(report.details(result)))</failure>",
            "    </testcase>",
        ]
    }

    private func seconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let thousandths = String(1000 + attoseconds / 1_000_000_000_000_000).dropFirst()
        return "\(seconds).\(thousandths)"
    }

    package static func attribute(_ text: String) -> String {
        var result = ""
        for scalar in escaped(text).unicodeScalars {
            switch scalar {
            case "\n": result += "&#10;"
            case "\t": result += "&#9;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Escapes text for XML; characters that XML 1.0 §2.2 does not allow become U+FFFD.
    package static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            case "\r": result += "&#13;"
            default:
                switch scalar.value {
                case 0..<0x20, 0xFFFE, 0xFFFF: result += "\u{FFFD}"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }
}
