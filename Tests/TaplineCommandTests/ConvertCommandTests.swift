// SPDX-License-Identifier: MIT

import TaplineFiles
import Testing

@testable import TaplineCommand

private let line = """
    {"v":1,"id":"01931234-5678-7abc-8def-0123456789ab","state":"completed",\
    "started":"2026-11-20T14:03:00.123456Z","request":{"method":"GET","url":"https://shop.test/",\
    "headers":[["Host","shop.test"]]},"response":{"status":200,"interim":[{"status":103}],\
    "headers":[]},"tags":{"team":"checkout"}}
    """

/// Calls with a folder that is gone afterwards.
private func withFolder<Result>(_ body: (String) async throws -> Result) async throws -> Result {
    let folder = try FileSystem.makeTemporaryFolder(prefix: "tapline-convert")
    defer { try? FileSystem.removeFolder(folder) }
    return try await body(folder)
}

private func write(_ text: String, to path: String) throws {
    try File(path, for: .create).write(Array(text.utf8).span)
}

@Suite("tapline convert")
struct ConvertCommandTests {
    @Test("goes to HAR and back, and tells what was lost", arguments: ["", ".gz", ".zst"])
    func thereAndBack(suffix: String) async throws {
        try await withFolder { folder in
            try write(line + "\n", to: "\(folder)/in.ndjson")
            let har = "\(folder)/a.har\(suffix)"
            let there = await tapline("convert", "\(folder)/in.ndjson", har)
            #expect(there.code == .success, "\(there.errors)")
            #expect(there.errors.contains("1 exchange written to \(har)"))
            #expect(there.errors.contains("response.interim  1 record"))
            let back = await tapline("convert", har, "\(folder)/b.ndjson")
            #expect(back.code == .success, "\(back.errors)")
            let text = try Repository.text(of: "\(folder)/b.ndjson")
            #expect(text.contains("\"id\":\"01931234-5678-7abc-8def-0123456789ab\""))
            #expect(text.contains("\"tags\":{\"team\":\"checkout\"}"))
            #expect(text.contains("\"started\":\"2026-11-20T14:03:00.123456Z\""))
        }
    }

    @Test("leaves no file where it fails, and replaces none unasked")
    func failure() async throws {
        try await withFolder { folder in
            try write("\(line)\n{\"v\":1,\n\(line)\n", to: "\(folder)/in.ndjson")
            let stopped = await tapline("convert", "\(folder)/in.ndjson", "\(folder)/out.har")
            #expect(stopped.code == .failure)
            #expect(stopped.errors.contains("in.ndjson:2: "))
            #expect(try FileSystem.names(in: folder) == ["in.ndjson"])
            let skipped = await tapline(
                "convert",
                "\(folder)/in.ndjson",
                "\(folder)/out.har",
                "--bad-records=skip"
            )
            #expect(skipped.code == .success)
            #expect(skipped.errors.contains("1 broken record skipped"))
            let again = await tapline("convert", "\(folder)/in.ndjson", "\(folder)/out.har")
            #expect(again.code == .usage)
            #expect(again.errors.contains("--force replaces it"))
        }
    }

    @Test("wants a suffix that it knows")
    func suffix() async {
        let outcome = await tapline("convert", "a.har", "b.txt")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("unknown format of 'b.txt'"))
    }
}
