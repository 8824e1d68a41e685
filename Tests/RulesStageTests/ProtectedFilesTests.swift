// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineSystem
import TestSupport
import Testing

@testable import RulesStage

@Suite("Files of keys") struct ProtectedFilesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder(["key.pem": "key", "other.txt": "text"])
    }

    @Test("are not sent by rules, also by another name")
    func names() throws {
        try FileSystem.makeFolder(folder("ca"))
        try folder.write("key", to: "ca/authority.pem")
        let protected = ProtectedFiles([folder("key.pem"), folder("ca"), folder("none")])
        for name in ["key.pem", "./key.pem", "ca/../key.pem", "ca/authority.pem", "missing"] {
            #expect(protected.contains(folder(name)), "\(name)")
        }
        #expect(!protected.contains(folder("other.txt")))
        #expect(!ProtectedFiles([]).contains(folder("key.pem")))
    }

    @Test("are recognized by their content, too")
    func content() throws {
        try folder.write("-----BEGIN EC PRIVATE KEY-----\nx\n", to: "copy.txt")
        var file = RuleFileContent(path: folder("copy.txt"), location: nil)
        var diagnostics = Diagnostics()
        var files = RuleFileContents(ProtectedFiles([]))
        file.read(&files, into: &diagnostics)
        #expect(file.bytes.isEmpty)
        #expect(diagnostics.rendered.contains("the file holds keys"))
    }

    @Test("are recognized by a hard link, too")
    func hardLink() throws {
        try FileSystem.makeFolder(folder("ca"))
        try folder.write("key", to: "ca/authority.pem")
        _ = try runShell("ln '\(folder("ca/authority.pem"))' '\(folder("linked.txt"))'")
        var files = RuleFileContents(ProtectedFiles([folder("ca")]))
        #expect(throws: RuleFileContents.Refusal.self) {
            try files.content(of: folder("linked.txt"))
        }
        let other = try files.content(of: folder("other.txt"))
        #expect(other == Array("text".utf8))
    }

    @Test("that are not on disk are an error, without waiting")
    func pipe() throws {
        _ = try runShell("mkfifo '\(folder("pipe"))'")
        var files = RuleFileContents(ProtectedFiles([]))
        #expect(throws: RuleFileContents.Refusal.self) { try files.content(of: folder("pipe")) }
    }

    @Test("are limited to a folder, but for exceptions")
    func limits() throws {
        try FileSystem.makeFolder(folder("rules"))
        try folder.write("in", to: "rules/in.txt")
        _ = try runShell("ln -s ../key.pem '\(folder("rules/link.txt"))'")
        let limited = ProtectedFiles([])
            .limited(toFolderOf: folder("rules/rules.yaml"), besides: [folder("other.txt")])
        for name in ["rules/in.txt", "rules/missing.txt", "other.txt"] {
            #expect(limited.permits(folder(name)), "\(name)")
        }
        for name in ["key.pem", "rules/../key.pem", "rules/link.txt", "missing.txt", "no/x"] {
            #expect(!limited.permits(folder(name)), "\(name)")
        }
    }

    @Test("are read once, and have a limit together")
    func total() throws {
        try folder.write("12345", to: "more.txt")
        var files = RuleFileContents(ProtectedFiles([]), limit: 8)
        for _ in 0..<9 { _ = try files.content(of: folder("other.txt")) }
        #expect(throws: RuleFileContents.Refusal.self) { try files.content(of: folder("more.txt")) }
    }

    @Test("are reported in the file of rules")
    func report() throws {
        try folder.write(
            "version: 1\nrules: [{ actions: [respond: { file: key.pem }] }]",
            to: "rules.yaml"
        )
        let loader = RuleFileLoader(
            path: folder("rules.yaml"),
            environment: Environment(),
            protected: ProtectedFiles([folder("key.pem")])
        )
        var diagnostics = Diagnostics()
        #expect(try loader.load(into: &diagnostics).set == nil)
        #expect(diagnostics.rendered.contains(":2:38: error: the file holds keys"))
    }
}
