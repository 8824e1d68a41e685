// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import NDJSONSink

@Suite struct UnfinishedLineTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func repaired(_ text: String) throws -> (text: String, log: [String]) {
        try folder.write(text, to: "a")
        let file = try File(folder("a"), for: .append)
        var log: [String] = []
        let size = try UnfinishedLine.repair(file, size: text.utf8.count) { log.append($0) }
        let rest = try folder.read("a")
        #expect(rest.utf8.count == size)
        return (rest, log)
    }

    @Test(arguments: [
        ("", ""), ("{}\n", "{}\n"), ("{}\n{\"a\":", "{}\n"), ("{\"a\"", ""),
        ("{}\n{}\n\0\0\0", "{}\n{}\n"), ("\0\0\0\0", ""), ("{}\n\n", "{}\n\n"),
    ])
    func removesAnUnfinishedLine(text: String, rest: String) throws {
        let result = try repaired(text)
        #expect(result.text == rest)
        let cut = text.utf8.count - rest.utf8.count
        let line = "removed an unfinished line of \(cut) bytes from '\(folder("a"))'"
        #expect(result.log == (cut == 0 ? [] : [line]))
    }

    @Test func findsTheLastLineFeedInAnEarlierChunk() throws {
        let whole = "{}\n"
        let long = whole + "{" + String(repeating: "x", count: 200_000)
        #expect(try repaired(long).text == whole)
        // A line feed at each position around a chunk boundary.
        for length in 65_530...65_540 {
            #expect(try repaired(whole + "{" + String(repeating: "x", count: length)).text == whole)
        }
    }

    @Test(arguments: ["version: 1\n", "text", "{}\nnot a record", "\0\0text"])
    func rejectsOtherFiles(text: String) throws {
        let error = #expect(throws: NDJSONError.self) { _ = try repaired(text) }
        #expect(error?.description.hasPrefix("cannot append to '\(folder("a"))'; it") == true)
        #expect(try folder.read("a") == text)
    }
}
