// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import TestSupport
import Testing

/// Compares the reference page with the behavior of the module.
@Suite struct ReferencePageTests {
    private static let lines: [String] = {
        let path = "\(TestFiles.repository)/Sources/Pipeline/TaplineQuery/README.md"
        return ((try? TestFiles.text(of: path)) ?? "")
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }()

    /// The lines of all blocks that contain filters.
    private static var examples: [String] {
        var result: [String] = []
        var isInside = false
        for line in lines {
            if line.hasPrefix("```") {
                isInside = line == "```filter"
            } else if isInside {
                result.append(line)
            }
        }
        return result
    }

    @Test func everyExampleIsAFilter() throws {
        #expect(Self.examples.count > 15)
        for example in Self.examples {
            do throws(FilterError) {
                let filter = try Filter(
                    example,
                    environment: ["WANTED_STATUS": "404"],
                    now: Timestamp(microseconds: 0),
                    inStore: true
                )
                _ = filter.matches(Samples.full())
            } catch {
                Issue.record("\(example): \(error)")
            }
        }
    }

    @Test func theTableListsEveryFieldAndItsMoment() throws {
        let fields = Self.lines.drop { $0 != "## Fields" }
        let rows = fields.filter { $0.hasPrefix("| `") && $0.split(separator: "|").count == 4 }
        let cells = rows.map { row in
            row.split(separator: "|").map { $0.drop { $0 == " " }.description }
        }
        let names = cells.map { $0[0].split(separator: "`")[0] }
        #expect(names.map { $0.split(separator: "[")[0].description } == Filter.fieldNames)
        for (row, name) in zip(cells, names) {
            let field = name == "any" ? "any contains \"x\"" : "\(name.replacingPath) exists"
            let moment = try Filter(field, inStore: true).knownAt
            let word = row[3].prefix { $0.isLetter }
            #expect(word == (name.hasPrefix("env") ? "always" : "\(moment)"), "\(name)")
        }
    }
}

extension Substring {
    /// A field as on the page, with a valid path instead of `path`.
    fileprivate var replacingPath: String {
        hasSuffix("[\"path\"]") ? "\(dropLast(8))[\"$.a\"]" : String(self)
    }
}
