// SPDX-License-Identifier: MIT

import Glibc
import TaplineModel
import TaplinePlugin
import TaplineSystem
import Testing

@testable import LuaStage

/// Scripts can read no private keys, regardless of their location and name.
@Suite struct KeyFileTests {
    private final class Folder {
        let path: String

        init() throws {
            path = try FileSystem.makeTemporaryFolder(prefix: "tapline-lua")
            for folder in ["ca", "ca/deep", "public"] {
                try FileSystem.makeFolder("\(path)/\(folder)")
            }
            try write(
                "ca/root.pem",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            )
            try write("ca/deep/serials", "17")
            try write("redact.key", "0123456789abcdef0123456789abcdef")
            try write("public/page.html", "<p>hello</p>")
            try write(
                "public.pem",
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
            )
        }

        deinit { try? FileSystem.removeFolder(path) }

        func write(_ name: String, _ text: String) throws {
            try File("\(path)/\(name)", for: .create).write(text.utf8.span)
        }

        var environment: LuaEnvironment {
            LuaEnvironment(
                moduleFolder: path,
                fileFolder: path,
                protectedPaths: ["\(path)/ca", "\(path)/redact.key", "\(path)/none.key"]
            )
        }

        func stage(_ code: String, protected: [String]? = nil) throws -> LuaStage {
            var setup = LuaSetup(limits: LuaLimits())
            setup.environment = environment
            if let protected { setup.environment.protectedPaths = protected }
            let stage = try LuaStage(
                LuaScript(path: "\(path)/main.lua", text: Array(code.utf8)),
                setup,
                context: StageContext(id: "lua")
            )
            try stage.start()
            return stage
        }

        func answer(_ file: String, protected: [String]? = nil) throws -> [UInt8]? {
            let stage = try stage(
                "function request(ex) return respond{file = ex.request.headers.file} end",
                protected: protected
            )
            var exchange = Exchange.sample
            exchange.request.fields = ["File": file]
            var context = ExchangeContext()
            guard case .respond(let response) = try stage.request(&exchange, &context).action else {
                return nil
            }
            return response.body.bytes
        }
    }

    @Test(arguments: [
        "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK", "ANY PRIVATE KEY",
    ])
    func filesWithAPrivateKeyAreRefused(kind: String) throws {
        let folder = try Folder()
        let key = "-----BEGIN \(kind)-----\nMIIEs3cret\n-----END \(kind)-----\n"
        let texts = [
            key, "Bag Attributes\n\(key)", "-----BEGIN CERTIFICATE-----\nAAAA\n\(key)",
            "{\"private_key\":\"\(key.replacing("\n", with: "\\n"))\"}",
            String(repeating: "x", count: 100_000) + "\n" + key,
        ]
        for (index, text) in texts.enumerated() {
            try folder.write("public/\(index).json", text)
            let error = #expect(throws: ScriptError.self) {
                try folder.answer("public/\(index).json")
            }
            #expect(error?.message == "respond: file contains a private key, which is never sent")
        }
        try folder.write("key.lua", key)
        let error = #expect(throws: ScriptError.self) { try folder.stage("require 'key'") }
        #expect(error?.description.contains("private key") == true)
        #expect(error?.debugDescription.contains("s3cret") == false)
    }

    @Test func filesWithoutAKeyAreSent() throws {
        let folder = try Folder()
        try folder.write("public/a", "a PRIVATE KEY begins with -----BEGIN")
        try folder.write("public/b", "-----BEGIN PUBLIC KEY-----\nPRIVATE KEY")
        for name in ["public/page.html", "public.pem", "public/a", "public/b"] {
            #expect(try folder.answer(name)?.isEmpty == false, "\(name)")
        }
    }

    @Test func protectedFilesAreRefused() throws {
        let folder = try Folder()
        func link(_ name: String, _ target: String) throws {
            try #require(unsafe symlink(target, "\(folder.path)/\(name)") == 0)
        }
        func hardLink(_ name: String, _ target: String) throws {
            try #require(
                unsafe Glibc.link("\(folder.path)/\(target)", "\(folder.path)/\(name)") == 0
            )
        }
        try link("public/linked.txt", "../redact.key")
        try link("public/folder", "../ca")
        try hardLink("public/hard.txt", "redact.key")
        try hardLink("public/serials", "ca/deep/serials")
        for name in [
            "redact.key", "ca/root.pem", "ca/deep/serials", "public/linked.txt",
            "public/folder/root.pem", "public/hard.txt", "public/serials",
        ] {
            let error = #expect(throws: ScriptError.self, "\(name)") { try folder.answer(name) }
            let message = "respond: file is a key file of this pipeline, which is never sent"
            #expect(error?.message == message, "\(name)")
        }
        #expect(try folder.answer("public/page.html") != nil)
        // A link to the folder.
        try link("other", "ca")
        let other = ["\(folder.path)/other/", "\(folder.path)/public/../redact.key"]
        for name in ["ca/root.pem", "redact.key", "public/hard.txt"] {
            #expect(throws: ScriptError.self, "\(name)") {
                try folder.answer(name, protected: other)
            }
        }
    }

    @Test func protectedModulesAreRefused() throws {
        let folder = try Folder()
        try folder.write("ca/module.lua", "return 's3cret'")
        let error = #expect(throws: ScriptError.self) { try folder.stage("require 'ca.module'") }
        #expect(error?.description.contains("key file of this pipeline") == true)
    }

    /// A file that becomes a key after it was sent is checked again.
    @Test func sentFilesAreCheckedAgain() throws {
        let folder = try Folder()
        let stage = try folder.stage(
            "function request(ex) return respond{file = 'public/page.html'} end"
        )
        func run() throws {
            var exchange = Exchange.sample
            var context = ExchangeContext()
            _ = try stage.request(&exchange, &context)
        }
        try run()
        try folder.write("public/new", "-----BEGIN PRIVATE KEY-----\n")
        try FileSystem.move("\(folder.path)/public/new", to: "\(folder.path)/public/page.html")
        #expect(throws: ScriptError.self) { try run() }
    }
}
