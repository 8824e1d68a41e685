// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineModel
import TaplinePlugin
import TaplineRuntime
import TaplineSystem
import TaplineTesting
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

/// A source with counts of its own.
private struct CountingSource: Source {
    var metrics: [Metric] {
        [
            Metric("refused datagrams", of: "HTTP/3", count: 3),
            Metric("other things", of: "HTTP/3", count: 0),
        ]
    }

    func run(_ intake: any Intake) async throws {}
}

/// Tests what needs no process; the rest is tested in Tests/Integration.
@Suite("tapline exec")
struct ExecCommandTests {
    @Test("names the missing product if there is no proxy")
    func noProxy() async {
        let outcome = await tapline("exec", "true")
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.contains("needs the product 'TaplineProxy'"))
    }

    @Test("passes all words after the command to the command")
    func words() throws {
        var invocation = Invocation(
            program: TaplineCommand.program,
            registry: .init(),
            environment: .init(),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
        let parser = CommandParser(command: Commands.exec)
        try parser.parse(
            ["--config", "a.yaml", "curl", "--config", "-x", "--", "y"],
            into: &invocation
        )
        #expect(invocation.values("config") == ["a.yaml"])
        #expect(invocation.operands == ["curl", "--config", "-x", "--", "y"])
        #expect(Commands.exec.usage == "exec [options] -- COMMAND...")
    }

    @Test("shows its own help, but leaves '--help' after the command to the command")
    func help() async {
        #expect(await tapline("exec", "--help").output.contains("usage: tapline exec [options]"))
        #expect(await tapline("exec", "curl", "--help").output.isEmpty)
    }

    @Test("ends with the counts of exchanges, since the sinks of a file need not show them")
    func outcome() async {
        let topology = Topology(
            sources: [.init(id: "proxy", ScriptedSource(Exchange.examples(2)))],
            sinks: [.init(id: "all", RecordingSink()), .init(id: "other", RecordingSink())]
        )
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        #expect(
            ExecCommand.outcome(of: report) == "tapline: 2 exchanges; 2 in 'all', 2 in 'other'"
        )
        #expect(ExecCommand.figures(of: report).isEmpty)
    }

    @Test("has a note for each count of a source")
    func figures() async {
        let topology = Topology(
            sources: [.init(id: "proxy", CountingSource())],
            sinks: [.init(id: "all", RecordingSink())]
        )
        let report = await Pipeline(topology, now: { Timestamp(microseconds: 0) }).run()
        #expect(ExecCommand.figures(of: report) == ["note: refused datagrams of HTTP/3: 3"])
    }

    @Test("sets the variables that programs read")
    func variables() {
        var variables = ["no_proxy": "localhost", "ALL_PROXY": "x", "JAVA_TOOL_OPTIONS": "-Xmx1g"]
        ExecVariables.set(proxy: "127.0.0.1:8080", in: &variables)
        ExecVariables.set(
            root: "/ca/root.pem",
            bundle: "/ca/bundle.pem",
            java: "-Dx=y",
            in: &variables
        )
        #expect(variables["http_proxy"] == "http://127.0.0.1:8080")
        #expect(variables["HTTPS_PROXY"] == "http://127.0.0.1:8080")
        #expect(variables["no_proxy"] == nil)
        #expect(variables["ALL_PROXY"] == nil)
        #expect(
            variables["JAVA_TOOL_OPTIONS"]?.hasPrefix("-Xmx1g -Dhttp.proxyHost=127.0.0.1 ") == true
        )
        #expect(variables["JAVA_TOOL_OPTIONS"]?.hasSuffix(" -Dhttp.nonProxyHosts= -Dx=y") == true)
        #expect(variables["CURL_CA_BUNDLE"] == "/ca/bundle.pem")
        #expect(variables["GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"] == "/ca/bundle.pem")
        #expect(variables["NODE_EXTRA_CA_CERTS"] == "/ca/root.pem")
    }
}
