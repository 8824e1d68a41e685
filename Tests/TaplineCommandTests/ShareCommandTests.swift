// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineConfig
import TaplineJSON
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline share")
struct ShareCommandTests {
    private static let secret = "s3cr3t-Value_0042"

    let folder: TemporaryFolder
    let store: String
    let out: String

    init() throws {
        folder = try TemporaryFolder()
        let lines = (0..<20).map { number in
            #"{"v":1,"id":"01931234-5678-7abc-8def-0000000000\#(10 + number)","#
                + #""started":"2026-11-20T14:03:\#(10 + number)Z","request":{"method":"GET","#
                + #""url":"https://shop.test/items/\#(number)?token=\#(Self.secret)","#
                + #""headers":[["Authorization","Bearer \#(Self.secret)"]]},"#
                + #""response":{"status":\#(number % 10 == 7 ? 500 : 200),"#
                + #""headers":[["Content-Type","application/json"]],"#
                + #""body":{"text":"{\"name\":\"</script><script>alert(1)//\"}"}}}"#
        }
        store = folder("traffic.ndjson")
        out = folder("traffic.html")
        try folder.write(lines.joined(separator: "\n") + "\n", to: "traffic.ndjson")
    }

    /// Runs `share`, without detectors unless the words name some.
    private func share(_ words: String...) async -> Outcome {
        let detectors = words.contains { $0.hasPrefix("--detectors") } ? [] : ["--detectors=off"]
        return await tapline(words: ["share", store, "--out", out] + words + detectors)
    }

    /// What the page reads from the file.
    private func opened(_ passphrase: String? = nil) async throws -> String {
        let page = "\(TestFiles.repository)/Sources/Products/TaplineInspector/Page"
        let fixture = "\(TestFiles.repository)/Tests/TaplineCommandTests/Fixtures/shared.mjs"
        return try await command("node", [fixture, page, out] + (passphrase.map { [$0] } ?? []))
    }

    @Test("writes a page that the modules of the page open, newest first and redacted")
    func writes() async throws {
        let outcome = await share()
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("20 exchanges written to \(out), "))
        #expect(try FileSystem.status(of: out)?.permissions == 0o600)
        let page = try folder.read("traffic.html")
        #expect(page.contains("default-src 'none'; script-src 'sha256-"))
        let opened = try await opened()
        #expect(opened.contains(#""title":"traffic.ndjson","redaction":"strict""#))
        #expect(opened.contains(#""count":20"#))
        #expect(!opened.contains(Self.secret))
        let newest = try #require(
            opened.firstRange(of: "\"id\":\"01931234-5678-7abc-8def-000000000029\"")
        )
        let oldest = try #require(
            opened.firstRange(of: "\"id\":\"01931234-5678-7abc-8def-000000000010\"")
        )
        #expect(newest.lowerBound < oldest.lowerBound)
    }

    @Test("writes the exchanges of a filter")
    func filters() async throws {
        let outcome = await tapline(
            "share",
            store,
            "status == 500",
            "--out",
            out,
            "--detectors=off"
        )
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains("2 exchanges written"))
        #expect(try await opened().contains(#""route":"/items/{id}""#))
    }

    @Test("recorded text cannot leave the element of the data")
    func breakout() async throws {
        #expect(await share("--preset=none").code == .success)
        let page = try folder.read("traffic.html")
        #expect(page.split(separator: "<script").count == 3)
        #expect(!page.contains("alert(1)"))
        #expect(try await opened().contains("</script><script>alert(1)//"))
    }

    @Test("refuses to write a value that the redaction has left, and shows only where it is")
    func leaks() async throws {
        let values = try folder.write(Array(Self.secret.utf8), to: "values")
        let refused = await share("--preset=none", "--value-file", values)
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("secrets would be in the file"))
        #expect(refused.output.contains("request.headers[0]: values:1"))
        #expect(!(refused.output + refused.errors).contains(Self.secret))
        #expect(try FileSystem.status(of: out) == nil)
        let clean = await share("--value-file", values)
        #expect(clean.code == .success, "\(clean.output)\(clean.errors)")
    }

    @Test("refuses a secret in the name of a store")
    func names() async throws {
        let values = try folder.write(Array("traffic.ndjson".utf8), to: "values")
        let refused = await share("--value-file", values)
        #expect(refused.code == .failure)
        #expect(try FileSystem.status(of: out) == nil)
    }

    @Test("does not write without a search unless it is asked to")
    func needsDetectors() async throws {
        let outcome = await share("--detectors=standard")
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains("'TaplineDetectors'"))
        #expect(await share().errors.contains("warning: the exchanges were not searched"))
        let none = await share("--preset=none", "--force")
        #expect(none.errors.contains("warning: the exchanges were not redacted"))
    }

    @Test("refuses what cannot be searched")
    func unsearched() async throws {
        let body = "504b0304140001000800" + String(repeating: "ab", count: 60)
        let bytes = stride(from: 0, to: body.count, by: 2).compactMap { start -> UInt8? in
            let from = body.index(body.startIndex, offsetBy: start)
            return UInt8(body[from..<body.index(from, offsetBy: 2)], radix: 16)
        }
        var base64: [UInt8] = []
        Base64.encode(bytes.span, into: &base64)
        let line =
            #"{"v":1,"request":{"method":"GET","url":"http://a.test/"},"response":{"status":200,"#
            + #""headers":[],"body":{"base64":"\#(String(decoding: base64, as: UTF8.self))"}}}"#
        let path = try folder.write(line, to: "zip.ndjson")
        let values = try folder.write(Array(Self.secret.utf8), to: "values")
        let outcome = await tapline(
            words: [
                "share", path, "--out", out, "--preset=none", "--detectors=off", "--value-file",
                values,
            ]
        )
        #expect(outcome.code == .failure)
        #expect(outcome.errors.contains("1 part could not be searched for secrets"))
        #expect(try FileSystem.status(of: out) == nil)
    }

    @Test("writes the newest exchanges that fit, and reports it")
    func limit() async throws {
        #expect(await share("--max-bytes=1KiB").code == .usage)
        #expect(await share("--max-bytes=x").code == .usage)
        #expect(await share().code == .success)
        let whole = try #require(try FileSystem.status(of: out)?.size)
        // The page, room for its head, and a few exchanges, which compress well.
        let lines = (0..<2000).map { number in
            let noise = (0..<40).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
            return #"{"v":1,"started":"2026-11-20T14:03:10.\#(100_000 + number)Z","request":"#
                + #"{"method":"GET","url":"http://a.test/\#(number)"},"response":{"status":200,"#
                + #""headers":[],"body":{"text":"\#(noise.joined())"}}}"#
        }
        let path = try folder.write(lines.joined(separator: "\n"), to: "large.ndjson")
        let limit = whole + 200_000
        let words = [
            "share", path, "--out", out, "--force", "--detectors=off", "--preset=none",
            "--max-bytes=\(limit)",
        ]
        let strict = await tapline(words: words + ["--strict"])
        #expect(strict.code == .failure)
        #expect(try FileSystem.status(of: out)?.size == whole)
        let outcome = await tapline(words: words)
        #expect(outcome.code == .success)
        #expect(outcome.errors.contains("warning: only the newest "))
        #expect(outcome.errors.contains(" of 2000 exchanges fit into "))
        let size = try #require(try FileSystem.status(of: out)?.size)
        #expect(size <= limit && size > limit - 60_000)
        let opened = try await opened()
        #expect(opened.contains("http://a.test/1999") && !opened.contains("http://a.test/0\""))
        #expect(opened.contains(#""cut":true"#))
    }

    @Test("ignores secrets of exchanges that do not fit, and fails if not even the newest fits")
    func newest() async throws {
        #expect(await share().code == .success)
        let whole = try #require(try FileSystem.status(of: out)?.size)
        let noise = (0..<40_000).map { _ in String(UInt64.random(in: 0 ... .max), radix: 36) }
        func line(_ second: Int, _ body: String) -> String {
            #"{"v":1,"started":"2026-11-20T14:03:\#(second)Z","request":{"method":"GET","#
                + #""url":"http://a.test/"},"response":{"status":200,"headers":[],"#
                + #""body":{"text":"\#(body)"}}}"# + "\n"
        }
        let values = try folder.write(Array(Self.secret.utf8), to: "values")
        let large = line(10, Self.secret + " " + noise.joined())
        let options = [
            "--out", out, "--force", "--detectors=off", "--preset=none", "--value-file", values,
            "--max-bytes=\(whole + 100_000)",
        ]
        let one = try folder.write(large, to: "one.ndjson")
        let refused = await tapline(words: ["share", one] + options)
        #expect(refused.code == .failure)
        #expect(refused.errors.contains("not even the newest exchange fits into "))
        #expect(try FileSystem.status(of: out)?.size == whole)
        let two = try folder.write(large + line(20, "small"), to: "two.ndjson")
        let outcome = await tapline(words: ["share", two] + options)
        #expect(outcome.code == .success, "\(outcome.output)\(outcome.errors)")
        #expect(outcome.errors.contains("only the newest 1 of 2 exchanges"))
    }

    @Test("encrypts everything with a passphrase of a file")
    func encrypts() async throws {
        let file = try folder.write(Array("correct horse\r\nsecond line".utf8), to: "passphrase")
        let outcome = await share("--preset=none", "--passphrase-file", file)
        #expect(outcome.code == .success, "\(outcome.errors)")
        #expect(outcome.errors.contains(", encrypted"))
        let page = try folder.read("traffic.html")
        for text in ["traffic.ndjson", "shop.test", Self.secret, "H4sI", "correct horse"] {
            #expect(!page.contains(text))
        }
        let opened = try await opened("correct horse")
        #expect(opened.contains(Self.secret) && opened.contains(#""count":20"#))
        #expect(opened.contains(#""rounds":"600000""#))
        #expect(try await self.opened("wrong horse").isEmpty)
        #expect(await share("--force", "--passphrase-file", file).code == .success)
        #expect(try folder.read("traffic.html") != page)
    }

    @Test("refuses a passphrase that is short, missing, or given twice")
    func passphrases() async throws {
        let short = try folder.write(Array("seven77\n".utf8), to: "short")
        let refused = await share("--passphrase-file", short)
        #expect(refused.code == .usage)
        #expect(refused.errors.contains("the passphrase has 7 bytes; expected at least 8"))
        #expect(await share("--passphrase-file", folder("none")).code == .usage)
        #expect(await share("--passphrase", "--passphrase-file", short).code == .usage)
        #expect(await share("--passphrase=correct-horse").code == .usage)
        let wrong = try folder.write([0xFF] + Array("12345678".utf8), to: "wrong")
        #expect(await share("--passphrase-file", wrong).code == .usage)
        for mark in ["\u{FEFF}", "\t", "\u{0}", "\u{7F}", "\u{2028}"] {
            let text = "\(mark)correct horse"
            let file = try folder.write(Array("\(text)\n".utf8), to: "untypeable")
            let outcome = await share("--passphrase-file", file)
            #expect(outcome.code == .usage)
            #expect(outcome.errors.contains("which nobody can type"))
        }
        #expect(try FileSystem.status(of: out) == nil)
    }

    @Test("does not replace a file by itself, and needs a name")
    func output() async throws {
        #expect(await share().code == .success)
        let again = await share()
        #expect(again.code == .usage)
        #expect(again.errors.contains("exists; --force replaces it"))
        #expect(await share("--force").code == .success)
        #expect(await tapline("share", store).code == .usage)
        #expect(await tapline("share", store, "--out", "-").code == .usage)
    }
}
