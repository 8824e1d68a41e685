// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// Detectors that find the word `HUNTER`.
private struct Hunters: DetectorLibrary {
    let detectors = [DetectorDescription(name: "hunter", group: "words", summary: "A word.")]

    func build(_ choice: DetectorChoice, into diagnostics: inout Diagnostics) -> (any DetectorSet)?
    {
        if let name = choice.names.first(where: { $0.value != "hunter" }) {
            diagnostics.error(at: nil, "unknown detector '\(name.value)'; expected hunter")
            return nil
        }
        return HunterSet(isAllowed: choice.allowed.contains("HUNTER"))
    }
}

private struct HunterSet: DetectorSet {
    let isAllowed: Bool
    let kinds = ["hunter"]

    func makeScanner() -> any SecretScanner { Scanner(isAllowed) }

    final class Scanner: SecretScanner {
        let isAllowed: Bool

        init(_ isAllowed: Bool) { self.isAllowed = isAllowed }

        func scan(_ bytes: Span<UInt8>, into findings: inout [SecretFinding]) {
            let word = Array("HUNTER".utf8)
            guard !isAllowed, bytes.count >= word.count else { return }
            for start in 0...bytes.count - word.count
            where word.indices.allSatisfy({ word[$0] == bytes[start + $0] }) {
                findings.append(SecretFinding(start: start, end: start + word.count, kind: 0))
            }
        }
    }
}

@Suite("tapline leaks")
struct LeaksCommandTests {
    private static let secret = "s3cr3t-Value_0042"

    private func write(_ text: String, to path: String) throws -> String {
        try File(path, for: .replace).write(Array(text.utf8).span)
        return path
    }

    @Test("reports where a value is, and never shows the value")
    func finds() async throws {
        try await withTemporaryFolder { folder in
            let line =
                "{\"v\":1,\"id\":\"01931234-5678-7abc-8def-0123456789ab\","
                + "\"request\":{\"method\":\"GET\",\"url\":\"http://a/\",\"headers\":[[\"A\",\"\(Self.secret)\"]]}}\n"
            let file = try write("{}\n" + line, to: "\(folder)/t.ndjson")
            let values = try write("other-value\n\n\(Self.secret)\r\n", to: "\(folder)/secrets.txt")
            let found = await tapline("leaks", file, "--value-file", values)
            #expect(found.code == ExitCode(rawValue: 1))
            #expect(
                found.output
                    == "\(file):2: request.headers[0]: secrets.txt:3 (01931234-5678-7abc-8def-0123456789ab)\n"
            )
            #expect(found.errors.hasPrefix("1 found in 1 of 1 file, "))
            let environment = ["TOKEN": Self.secret]
            let json = await tapline(
                "leaks",
                file,
                "--value-env",
                "TOKEN",
                "--format",
                "json",
                environment: environment
            )
            let lines = json.output.split(separator: "\n")
            #expect(lines.count == 2)
            #expect(
                lines.first?.contains(#""line":2,"byte":115,"record":"01931234"#) == true,
                "\(lines)"
            )
            #expect(lines.first?.contains(#""path":"request.headers[0]","value":"TOKEN"}"#) == true)
            #expect(
                lines.last
                    == #"{"event":"summary","leaks":1,"shown":1,"files":1,"bytes":\#(line.utf8.count + 3),"unread":0,"skipped":0}"#
            )
            for outcome in [found, json] {
                #expect(!(outcome.output + outcome.errors).contains(Self.secret))
            }
        }
    }

    @Test("exits with 0 if nothing is found, 2 if something cannot be read, 1 if a value is found")
    func codes() async throws {
        try await withTemporaryFolder { folder in
            let values = try write(Self.secret, to: "\(folder)/values")
            let clean = try write("clean", to: "\(folder)/clean")
            let leaky = try write("x \(Self.secret) y", to: "\(folder)/leaky")
            let missing = "\(folder)/missing"
            func code(_ paths: String...) async -> Int32 {
                var words = ["leaks"] + paths
                words += ["--value-file", values]
                return await run(words).code.rawValue
            }
            #expect(await code(clean) == 0)
            #expect(await code(leaky) == 1)
            #expect(await code(missing) == 2)
            #expect(await code(clean, missing) == 2)
            #expect(await code(missing, leaky, clean) == 1)
            let outcome = await tapline("leaks", clean, missing, "--value-file", values)
            #expect(outcome.errors.contains("cannot read '\(missing)'; there is no such file"))
            #expect(
                outcome.errors.contains("nothing found in 1 file, 5 bytes; 1 could not be read")
            )
        }
    }

    private func run(_ words: [String], plugins: PluginRegistry = PluginRegistry()) async -> Outcome
    {
        switch words.count {
        case 4: await tapline(words[0], words[1], words[2], words[3], plugins: plugins)
        case 5: await tapline(words[0], words[1], words[2], words[3], words[4], plugins: plugins)
        default:
            await tapline(
                words[0],
                words[1],
                words[2],
                words[3],
                words[4],
                words[5],
                plugins: plugins
            )
        }
    }

    @Test("uses the linked detectors, and reports if there are none")
    func detectors() async throws {
        try await withTemporaryFolder { folder in
            let file = try write("a HUNTER, \(Self.secret)", to: "\(folder)/a")
            let none = await tapline("leaks", file, "--detectors", "standard")
            #expect(none.code == .usage)
            #expect(none.errors.contains("'TaplineDetectors'"))
            #expect(await tapline("leaks", file).code == .usage)
            var plugins = PluginRegistry()
            plugins.detectors = Hunters()
            #expect(
                await tapline("leaks", file, plugins: plugins).output
                    == "\(file):1: byte 2: hunter\n"
            )
            let named = await tapline("leaks", file, "--detectors", "hunter", plugins: plugins)
            #expect(named.code.rawValue == 1)
            let unknown = await tapline("leaks", file, "--detectors", "huntr", plugins: plugins)
            #expect(unknown.code == .usage)
            #expect(unknown.errors.contains("unknown detector 'huntr'"))
            let off = await tapline("leaks", file, "--detectors", "off", plugins: plugins)
            #expect(off.code == .usage)
            #expect(off.errors.contains("there is nothing to look for"))
            let allowed = try write("HUNTER\n\(Self.secret)\n", to: "\(folder)/allowed")
            let quiet = await tapline("leaks", file, "--allow-file", allowed, plugins: plugins)
            #expect(quiet.code == .success)
        }
    }

    @Test("shows at most the requested number of findings, and counts all of them")
    func limit() async throws {
        try await withTemporaryFolder { folder in
            let file = try write(String(repeating: "\(Self.secret)\n", count: 9), to: "\(folder)/a")
            let values = try write(Self.secret, to: "\(folder)/values")
            let outcome = await tapline("leaks", file, "--value-file", values, "--max", "2")
            #expect(outcome.code.rawValue == 1)
            #expect(outcome.output.split(separator: "\n").count == 2)
            #expect(outcome.errors.contains("9 found in 1 of 1 file"))
            #expect(outcome.errors.contains("7 not shown"))
            let wrong = await tapline("leaks", file, "--value-file", values, "--max", "-1")
            #expect(wrong.code == .usage)
        }
    }

    @Test("rejects values that it cannot search for, without showing them")
    func values() async throws {
        try await withTemporaryFolder { folder in
            let file = try write("x", to: "\(folder)/a")
            let short = try write("good-value\nabc\n", to: "\(folder)/short")
            let outcome = await tapline("leaks", file, "--value-file", short)
            #expect(outcome.code == .usage)
            #expect(
                outcome.errors
                    == "tapline: error: the value of 'short:2' has 3 bytes; expected 4 to 8192\n"
            )
            #expect(await tapline("leaks", file, "--value-env", "NOPE").code == .usage)
            #expect(await tapline("leaks", "-", "--value-file", "-").code == .usage)
            #expect(await tapline("leaks", file, "--value-file", "\(folder)/no").code == .usage)
            let unknown = await tapline("leaks", file, "--value", Self.secret)
            #expect(unknown.code == .usage)
            #expect(!unknown.errors.contains(Self.secret))
        }
    }
}
