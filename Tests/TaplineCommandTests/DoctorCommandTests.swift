// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineConfig
import TaplineJSON
import TaplineNet
import TaplinePlugin
import TaplineProxy
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline doctor")
struct DoctorCommandTests {
    /// The text of a pipeline with a proxy and a sink in the folder `out`.
    private static func text(port: UInt16, options: String = "", runtime: String = "") -> String {
        """
        version: 1
        sources:
          - proxy: { listen: "127.0.0.1:\(port)"\(options) }
        stages: [redact]
        sinks:
          - ndjson: { path: out/a.ndjson }
        \(runtime)
        """
    }

    /// A port that nothing listens on.
    private static func freePort() throws -> UInt16 {
        try BoundAddress(SocketAddress(.loopbackV4, port: 0)).address.port
    }

    private static func run(_ folder: TemporaryFolder, _ words: String...) async -> Outcome {
        await tapline(
            words: ["doctor", folder("p.yaml")] + words,
            plugins: .proxy,
            environment: ["HOME": folder.path]
        )
    }

    /// The line of a subject, and the help after it if there is one.
    private static func line(_ subject: String, in outcome: Outcome) -> String? {
        let lines = outcome.output.split(separator: "\n").map(String.init)
        guard let index = lines.firstIndex(where: { $0.dropFirst(6).hasPrefix(subject) }) else {
            return nil
        }
        let next =
            index + 1 < lines.count && lines[index + 1].hasPrefix(" ") ? lines[index + 1] : ""
        return lines[index] + next
    }

    @Test("a machine is looked at without a pipeline")
    func machine() async {
        let outcome = await tapline("doctor", environment: ["HOME": "/nonexistent"])
        for subject in ["descriptors", "clock", "memory", "folder "] {
            #expect(Self.line(subject, in: outcome) != nil, "\(outcome.output)")
        }
        #expect(Self.line("port", in: outcome) == nil)
        #expect(outcome.errors.isEmpty)
    }

    @Test("a free port, a folder that is writable and a missing authority are reported")
    func fine() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        let port = try Self.freePort()
        try folder.write(Self.text(port: port, options: ", intercept: true"), to: "p.yaml")
        let outcome = await Self.run(folder)
        let free = try #require(Self.line("port 127.0.0.1:\(port)", in: outcome))
        #expect(free.hasPrefix("ok "))
        #expect(free.hasSuffix("free, for source 'proxy'"))
        let out = try #require(Self.line("folder \(folder("out"))", in: outcome))
        #expect(!out.hasPrefix("fail") || out.contains("free, for"), "\(out)")
        let authority = "authority \(folder.path)/.local/share/tapline/ca"
        let missing = try #require(Self.line(authority, in: outcome), "\(outcome.output)")
        #expect(missing.hasPrefix("warn") && missing.contains("tapline ca trust"))
        #expect(try FileSystem.status(of: "\(folder.path)/.local") == nil)
        #expect(!outcome.errors.contains("error"), "\(outcome.errors)")
    }

    @Test("an authority is looked at only if HTTPS is read")
    func authority() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        for (options, isShown) in [
            ("", false), (", intercept: false", false), (", intercept: [\"*.test\"]", true),
        ] {
            try folder.write(Self.text(port: try Self.freePort(), options: options), to: "p.yaml")
            let outcome = await Self.run(folder)
            #expect((Self.line("authority", in: outcome) != nil) == isShown, "\(outcome.output)")
        }
    }

    @Test("an authority of a relative folder that the run creates is not a missing key")
    func relativeAuthority() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        let options = ", intercept: true, ca: ca"
        try folder.write(Self.text(port: try Self.freePort(), options: options), to: "p.yaml")
        // A path from this folder, whatever it is: further '..' at the root stay there.
        let path = String(repeating: "../", count: 64) + folder("p.yaml").dropFirst()
        let outcome = await tapline(
            words: ["doctor", path],
            plugins: .proxy,
            environment: ["HOME": folder.path]
        )
        #expect(Self.line("key ", in: outcome) == nil, "\(outcome.output)")
        let missing = try #require(Self.line("authority /", in: outcome), "\(outcome.output)")
        #expect(missing.hasPrefix("warn"))
        #expect(missing.contains("run 'tapline ca trust --ca /"))
        #expect(missing.contains("\(folder.path)/ca'"))
    }

    @Test("a port that is taken fails, with the process and the remedy")
    func failing() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        let listener = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        let port = listener.address.port
        try folder.write(Self.text(port: port), to: "p.yaml")
        let outcome = await Self.run(folder)
        #expect(outcome.code == .failure)
        let taken = try #require(Self.line("port 127.0.0.1:\(port)", in: outcome))
        #expect(taken.hasPrefix("fail"))
        #expect(taken.contains("taken by "))
        #expect(taken.contains("help: stop that program, or name another port"))
        withExtendedLifetime(listener) {}
    }

    @Test(
        "a folder that its user may not write to fails",
        .enabled(if: UserAccount.current != UserAccount.root, "root may write to all folders")
    )
    func notWritable() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        try folder.write(Self.text(port: try Self.freePort()), to: "p.yaml")
        _ = try ChildProcess.run(["/bin/chmod", "500", folder("out")], environment: [:])
        let outcome = await Self.run(folder)
        #expect(outcome.code == .failure)
        let line = try #require(Self.line("folder \(folder("out"))", in: outcome))
        #expect(line.contains("not writable, permission denied"))
    }

    @Test("the options of the file and of --set count")
    func options() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        let port = try Self.freePort()
        try folder.write(
            Self.text(port: port, options: ", max_connections: 400000"),
            to: "p.yaml"
        )
        let outcome = await Self.run(folder, "--set", "proxy.max_connections=450000")
        let line = try #require(Self.line("descriptors", in: outcome))
        let isEnough = line.hasPrefix("ok")
        #expect(isEnough || line.contains("max_connections 450000 needs 900064"), "\(line)")
    }

    @Test("a token file that others may read fails")
    func keys() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        try folder.write("0123456789abcdef0123456789abcdef", to: "token")
        _ = try ChildProcess.run(["/bin/chmod", "644", folder("token")], environment: [:])
        let port = try Self.freePort()
        let runtime = "runtime: { control: \"127.0.0.1:0\", control_token_file: token }"
        try folder.write(Self.text(port: port, runtime: runtime), to: "p.yaml")
        let outcome = await Self.run(folder)
        #expect(outcome.code == .failure)
        let line = try #require(Self.line("key \(folder("token"))", in: outcome))
        #expect(line.hasPrefix("fail") && line.contains("mode 644, others may use it"))
    }

    @Test("prints one JSON object")
    func json() async throws {
        let folder = try TemporaryFolder()
        try FileSystem.makeFolder(folder("out"))
        let listener = try BoundAddress(SocketAddress(.loopbackV4, port: 0))
        try folder.write(Self.text(port: listener.address.port), to: "p.yaml")
        let outcome = await Self.run(folder, "--json")
        #expect(outcome.output.hasPrefix("{\"fails\":true,\"findings\":[{\"status\":"))
        var parser = JSONParser()
        let bytes = Array(outcome.output.utf8)
        let document = try parser.parse(bytes.span)
        let hasFindings = document.root.member("findings") != nil
        #expect(hasFindings)
        withExtendedLifetime(listener) {}
    }

    @Test("wrong files and command lines have the usual exit codes")
    func wrong() async throws {
        let folder = try TemporaryFolder()
        try folder.write("version: 2\n", to: "p.yaml")
        #expect(await Self.run(folder).code == .configuration)
        #expect(await tapline("doctor", folder("none.yaml")).code == .configuration)
        #expect(await tapline("doctor", "a", "b").code == .usage)
        #expect(await tapline("doctor", "--set", "a.b=1").code == .usage)
    }

    @Test(
        "finds secrets that a file holds itself",
        arguments: [
            ("{ password: a }", ["password"]), ("{ password: \"${A}\" }", []),
            ("[{ a: { api_key: x, Authorization: y } }]", ["api_key", "Authorization"]),
            ("{ key: host, key_file: a.pem, tokens: 3 }", []), ("{ secret: false }", []),
            ("{ token: { env: A } }", []), ("a", []),
        ]
    )
    func secrets(text: String, names: [String]) throws {
        var diagnostics = Diagnostics()
        let source = ConfigSource(name: "a", text: text)
        let root = try #require(ConfigReader().read(source, into: &diagnostics))
        #expect(DoctorSecrets.literals(in: root) == names)
    }
}
