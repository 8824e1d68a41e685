// SPDX-License-Identifier: MIT

import TaplineModel
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct NameTemplateTests {
    let moment = Timestamp(rfc3339: "2026-03-09T07:08:05Z") ?? Timestamp(microseconds: 0)

    @Test(arguments: [
        ("a.ndjson", "a.ndjson"), ("./a", "./a"), ("/a", "/a"), ("x/y/a-{n}.b", "x/y/a-000007.b"),
        ("t-%Y-%m-%d.ndjson", "t-2026-03-09.ndjson"), ("%j_%H%M%S%%", "068_070805%"),
        ("{m}{", "{m}{"),
    ])
    func makesNames(text: String, path: String) throws {
        #expect(try NameTemplate(text).path(at: moment, counter: 7) == path)
    }

    @Test(arguments: [
        ("a/", "the path has no file name; found 'a/'"),
        ("..", "the path has no file name; found '..'"),
        (
            "a%q",
            "unknown directive '%q' in the file name; expected %Y, %m, %d, %j, %H, %M, %S or %%"
        ),
        ("a%", "the file name ends with a single '%'; expected '%%'"),
        ("{n}{n}", "the file name has two counters; expected at most one '{n}'"),
        (
            "%Y/a",
            "dates and counters are allowed only in the file name; found them in the folder"
        ),
    ])
    func rejectsInvalidTemplates(text: String, message: String) {
        #expect(throws: NameTemplate.Problem(message: message)) { try NameTemplate(text) }
    }

    @Test(arguments: [
        ("x/a.ndjson", "x/a.000003.ndjson"), ("a", "a.000003"), (".a", ".a.000003"),
        ("a.b.c", "a.b.000003.c"),
    ])
    func namesFinishedFiles(path: String, archive: String) throws {
        let template = try NameTemplate(path)
        #expect(template.archive(of: path, counter: 3) == archive)
        let match = try #require(template.match(String(archive.split(separator: "/").last ?? "")))
        #expect(match.counter == 3)
        #expect(match.isArchive)
    }

    @Test(arguments: ["a.ndjson", "a-%Y-%m-%d.x", "a{n}b", "%Y%j-{n}", "%H%M%S"])
    func matchesItsOwnNames(text: String) throws {
        let template = try NameTemplate(text)
        for counter in [1, 999_999, 1_000_000] {
            let name = template.path(at: moment, counter: counter)
            let match = try #require(template.match(name))
            #expect(!match.isArchive)
            #expect(match.counter == (template.hasCounter ? counter : nil))
        }
    }

    @Test(arguments: [
        ("a.ndjson", "b.ndjson"), ("a.ndjson", "a.ndjson.gz"), ("a.ndjson", "a.12345.ndjson"),
        ("a.ndjson", "a.0012345.ndjson"), ("a.ndjson", "a.00001x.ndjson"), ("a.ndjson", ""),
        ("a-%Y.x", "a-20x6.x"), ("a-%Y.x", "a-2026.y"), ("a-%Y.x", "a-20261.x"),
        ("a-{n}.x", "a-1.x"), ("a-{n}.x", "a-.x"), ("a-{n}.x", "a-000001.000001.x"),
        ("a", "a.99999999999999999999"),
    ])
    func doesNotMatchOtherNames(text: String, name: String) throws {
        #expect(try NameTemplate(text).match(name) == nil)
    }

    @Test func sortsByDateThenByNumber() throws {
        let template = try NameTemplate("%d-%m-%Y.x")
        let names = [
            "30-01-2025.x", "01-02-2025.000002.x", "01-02-2025.000010.x", "01-02-2025.x",
            "01-01-2026.000001.x",
        ]
        var random = Random(seed: 78)
        let sorted = try names.shuffled(using: &random)
            .map { ($0, try #require(template.match($0))) }
            .sorted { $0.1 < $1.1 }
            .map { $0.0 }
        #expect(sorted == names)
    }
}
