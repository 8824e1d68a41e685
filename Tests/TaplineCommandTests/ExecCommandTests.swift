// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import Testing

@testable import TaplineCommand

/// What can be seen without a process; the rest is in Tests/Integration.
@Suite("tapline exec")
struct ExecCommandTests {
    @Test("says which product is missing where there is no proxy")
    func noProxy() async {
        let outcome = await tapline("exec", "true")
        #expect(outcome.code == .configuration)
        #expect(outcome.errors.contains("needs the product 'TaplineProxy'"))
    }

    @Test("leaves all words behind the command to it")
    func words() throws {
        var invocation = Invocation(
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

    @Test("explains itself, unless it is the command that is asked")
    func help() async {
        #expect(await tapline("exec", "--help").output.contains("usage: tapline exec [options]"))
        #expect(await tapline("exec", "curl", "--help").output.isEmpty)
    }

    @Test("leads programs by the variables that they look at")
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
        #expect(variables["NODE_EXTRA_CA_CERTS"] == "/ca/root.pem")
    }
}
