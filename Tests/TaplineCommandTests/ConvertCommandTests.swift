// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineCommandLine
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

private let line = """
    {"v":1,"id":"01931234-5678-7abc-8def-0123456789ab","state":"completed",\
    "started":"2026-11-20T14:03:00.123456Z","request":{"method":"GET","url":"https://shop.test/",\
    "headers":[["Host","shop.test"]]},"response":{"status":200,"interim":[{"status":103}],\
    "headers":[]},"tags":{"team":"checkout"}}
    """

private func write(_ text: String, to path: String) throws {
    try File(path, for: .create).write(Array(text.utf8).span)
}

@Suite("tapline convert")
struct ConvertCommandTests {
    @Test("converts to HAR and back, and reports what was lost", arguments: ["", ".gz", ".zst"])
    func thereAndBack(suffix: String) async throws {
        try await withTemporaryFolder { folder in
            try write(line + "\n", to: "\(folder)/in.ndjson")
            let har = "\(folder)/a.har\(suffix)"
            let there = await tapline("convert", "\(folder)/in.ndjson", har)
            #expect(there.code == .success, "\(there.errors)")
            #expect(there.errors.contains("1 exchange written to \(har)"))
            #expect(there.errors.contains("response.interim  1 time"))
            let back = await tapline("convert", har, "\(folder)/b.ndjson")
            #expect(back.code == .success, "\(back.errors)")
            let text = try TestFiles.text(of: "\(folder)/b.ndjson")
            #expect(text.contains("\"id\":\"01931234-5678-7abc-8def-0123456789ab\""))
            #expect(text.contains("\"tags\":{\"team\":\"checkout\"}"))
            #expect(text.contains("\"started\":\"2026-11-20T14:03:00.123456Z\""))
        }
    }

    @Test("keeps the hashes of bodies, and updates them when bodies are redacted")
    func hashes() async throws {
        try await withTemporaryFolder { folder in
            // printf '{"password":"hunter2"}' | sha256sum, and the same of the redacted body.
            let before = "7881d759c44f0e45f22a9ec1075a2b26a80da5dea5e08eb791d84468c4388222"
            let after = "ff4685a2957f66793a0966dd4371f5f984d68eca69b62c6c429c9e3f19eed9b7"
            let bodies = [#","sha256":"\#(before)""#, ""].map {
                #""headers":[["Content-Type","application/json"]],"#
                    + #""body":{"text":"{\"password\":\"hunter2\"}","size":22\#($0)}"#
            }
            let line =
                #"{"v":1,"id":"01931234-5678-7abc-8def-0123456789ab","state":"completed","#
                + #""request":{"method":"GET","url":"https://shop.test/","target":"/","#
                + bodies[0] + #"},"response":{"status":200,"# + bodies[1] + "}}"
            try write(line + "\n", to: "\(folder)/in.ndjson")
            let copy = await tapline("convert", "\(folder)/in.ndjson", "\(folder)/copy.ndjson")
            #expect(copy.errors.contains("everything was carried over"), "\(copy.errors)")
            let text = try TestFiles.text(of: "\(folder)/copy.ndjson")
            #expect(text.contains(#""size":22,"sha256":"\#(before)"}},"response""#))
            #expect(text.split(separator: "sha256").count == 2)
            let clean = await tapline(
                "convert",
                "--redact=standard",
                "\(folder)/in.ndjson",
                "\(folder)/clean.ndjson"
            )
            #expect(clean.code == .success, "\(clean.errors)")
            let redacted = try TestFiles.text(of: "\(folder)/clean.ndjson")
            #expect(redacted.contains(#""sha256":"\#(after)""#))
            #expect(!redacted.contains(before))
            let har = await tapline("convert", "\(folder)/in.ndjson", "\(folder)/out.har")
            #expect(har.errors.contains("request.body.sha256  1 time"), "\(har.errors)")
        }
    }

    @Test("leaves no file if it fails, and replaces a file only with --force")
    func failure() async throws {
        try await withTemporaryFolder { folder in
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

    @Test("converts the complete records of a truncated file", arguments: ["har", "ndjson", "gz"])
    func cutOff(kind: String) async throws {
        try await withTemporaryFolder { folder in
            let entry = #"{"request":{"method":"GET","url":"http://h/"}}"#
            var bytes = Array(#"{"log":{"entries":[\#(entry),\#(entry)"#.utf8)
            if kind == "ndjson" { bytes = Array("\(line)\n\(line)\n\(line.dropLast(9))".utf8) }
            if kind == "gz" {
                var coded: [UInt8] = []
                let encoder = try ContentEncoder(.gzip)
                try encoder.encode(bytes.span, appendingTo: &coded)
                try encoder.flush(appendingTo: &coded)
                bytes = coded
            }
            try File("\(folder)/in", for: .create).write(bytes.span)
            let outcome = await tapline("convert", "\(folder)/in", "\(folder)/out.ndjson")
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(outcome.errors.contains("2 exchanges written"))
            #expect(outcome.errors.contains("the rest was not converted"))
            #expect(outcome.errors.contains("the recording could not be read to the end"))
            #expect(!outcome.errors.contains("everything was carried over"))
        }
    }

    @Test("ends where a file becomes unreadable, if bad records are skipped")
    func brokenFile() async throws {
        try await withTemporaryFolder { folder in
            let entry = #"{"request":{"method":"GET","url":"http://h/"}}"#
            try write(#"{"log":{"entries":[\#(entry)]]}}"#, to: "\(folder)/in")
            let stopped = await tapline("convert", "\(folder)/in", "\(folder)/out.ndjson")
            #expect(stopped.code == .failure)
            let skipped = await tapline(
                "convert",
                "--bad-records=skip",
                "\(folder)/in",
                "\(folder)/out.ndjson"
            )
            #expect(skipped.code == .success, "\(skipped.errors)")
            #expect(skipped.errors.contains("1 exchange written"))
            #expect(!skipped.errors.contains("everything was carried over"))
        }
    }

    @Test("accepts sizes with a unit", arguments: [("0B", 0), ("20", 0), ("1KiB", 1)])
    func maxExtra(size: String, kept: Int) async throws {
        try await withTemporaryFolder { folder in
            let entry = #"{"request":{"method":"GET","url":"http://h/"},"_tool":"0123456789"}"#
            try write(#"{"log":{"entries":[\#(entry)]}}"#, to: "\(folder)/in")
            let out = "\(folder)/out.ndjson"
            let outcome = await tapline("convert", "--max-extra=\(size)", "\(folder)/in", out)
            #expect(outcome.code == .success, "\(outcome.errors)")
            #expect(try TestFiles.text(of: out).contains("_tool") == (kept == 1))
        }
    }

    @Test("rejects an unknown suffix")
    func suffix() async {
        let outcome = await tapline("convert", "a.har", "b.txt")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("unknown format of 'b.txt'"))
    }
}
