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
        file.read(ProtectedFiles([]), into: &diagnostics)
        #expect(file.bytes.isEmpty)
        #expect(diagnostics.rendered.contains("the file holds keys"))
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
