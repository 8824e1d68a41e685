// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineQuery
import Testing

@Suite("The text of parts of a filter")
struct FilterTextTests {
    private func filter(_ text: String) throws -> Filter {
        try Filter(text, environment: ["E": "planted"], inStore: true)
    }

    @Test(
        "means the same as the filter",
        arguments: [
            "status == 200", "status  ==  200 and ( method ==\"GET\" or not path ~ \"a b\" )",
            "not (status == 1 or not (port in [1, 2] and json \"$.a\" exists))",
            "not not status > 5", "query[\"a\"] == \"\\\"x\\\"\" or host == env[\"E\"]",
            "(status == 1 and status == 2) or status == 3",
        ]
    )
    func roundTrip(text: String) throws {
        let filter = try filter(text)
        let shown = filter.text(of: filter.tree)
        let again = try self.filter(shown)
        #expect(again.text(of: again.tree) == shown)
        #expect(again.tree.shape == filter.tree.shape)
    }

    @Test("has the comparisons as they were written")
    func written() throws {
        let filter = try filter("not(status  >=500 or path ~ \"^/a\" and port == 1)  ")
        #expect(
            filter.text(of: filter.tree) == "not (status  >=500 or path ~ \"^/a\" and port == 1)"
        )
    }

    @Test(
        "hides values that may be secrets",
        arguments: [
            (
                #"request.header["authorization"] == "planted""#,
                #"request.header["authorization"] == ***"#
            ),
            (#"json "$.pin" == 1234"#, #"json "$.pin" == ***"#),
            (#"request.cookie["s"] in ["planted", "b"]"#, #"request.cookie["s"] in ***"#),
            (#"any contains "planted""#, "any contains ***"),
            (#"response.body like "*planted*""#, "response.body like ***"),
            (#"host == env["E"]"#, "host == ***"),
            (#"tag["a\"b"] exists"#, #"tag["a\"b"] exists"#),
            (#"path ~ "^/users" and status == 500"#, #"path ~ "^/users" and status == 500"#),
        ]
    )
    func hidden(text: String, shown: String) throws {
        let filter = try filter(text)
        #expect(filter.text(of: filter.tree, hidingSecrets: true) == shown)
    }
}

extension FilterTree {
    /// How comparisons are combined, with their fields and values.
    fileprivate var shape: String {
        switch self {
        case .comparison(let comparison):
            "\(comparison.field) \(comparison.comparison) \(comparison.values)"
        case .not(let child): "not(\(child.shape))"
        case .and(let children): "and(\(children.map(\.shape).joined(separator: ",")))"
        case .or(let children): "or(\(children.map(\.shape).joined(separator: ",")))"
        }
    }
}
