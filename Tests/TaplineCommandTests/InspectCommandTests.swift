// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("tapline inspect", .timeLimit(.minutes(2)))
struct InspectCommandTests {
    /// The command, which the build puts next to the tests.
    private static let program: String? = {
        let folder = (CommandLine.arguments.first ?? "").split(separator: "/").dropLast()
        let path = "/" + folder.joined(separator: "/") + "/tapline"
        return ChildProcess.find(path, in: nil)
    }()

    @Test(
        "rejects wrong arguments",
        arguments: [
            ([], "STORE"), (["-"], "standard input cannot be inspected"),
            (["a.db", "--port", "x"], "--port"),
            (["a.db", "--rules", "/nonexistent/r.yaml"], "the rules cannot be read"),
            (["a.db", "--port", "65536"], "expected 0 to 65535"),
            (["a.db", "--listen", "0.0.0.0"], "anyone who reaches the page"),
            (["a.db", "--listen", "::"], "anyone who reaches the page"),
            (["a.db", "--listen", "192.168.1.1"], "anyone who reaches the page"),
            (["a.db", "--listen", "shop.test"], "expected an address"),
            (["a.db", "--listen", "localhost1"], "expected an address"),
            (["a.db", "--listen", "0.0.0.0:1", "--port", "2"], "'--port' excludes"),
            (["a.db", "--listen", "0.0.0.0"], "without TLS, a password and a name"),
            (["a.db", "--listen", "192.0.2.1"], "without TLS and a password, since"),
            (["a.db", "--listen", "192.0.2.1:8443", "--tls"], "without a password, since"),
            (["a.db", "--listen", "192.0.2.1"], "add '--tls', or '--tls-cert' and '--tls-key'; "),
            (["a.db", "--tls"], "needs a password"), (["a.db", "--host", "box.test"], "needs TLS"),
            (["a.db", "--password-file", "/nonexistent/p"], "cannot read the password"),
            (["a.db", "--tls-cert", "c.pem"], "'--tls-cert' needs '--tls-key'"),
            (["a.db", "--tls-key", "k.pem"], "'--tls-key' needs '--tls-cert'"),
            (
                ["a.db", "--tls", "--tls-cert", "c.pem", "--tls-key", "k.pem"],
                "'--tls' excludes '--tls-cert'"
            ),
            (["a.db", "--tls-cert", "/nonexistent/c", "--tls-key", "k"], "cannot read '/nonexist"),
        ] as [([String], String)]
    )
    func usage(_ words: [String], _ message: String) async {
        let outcome = await tapline(words: ["inspect"] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test(
        "prints an address that shows the store, until it is interrupted",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func serves() throws {
        let program = try #require(Self.program)
        let folder = try TemporaryFolder()
        let store = TestFiles.repository + "/Examples/recordings/chromium.har"
        let output = try runShell(
            """
            cd "\(folder.path)"
            env --default-signal=INT "\(program)" inspect "\(store)" --port 0 >url 2>notes &
            until [ -s url ]; do sleep 0.05; done
            url=$(cat url)
            base=${url%%/#*}
            curl -s -c jar -H 'Content-Type: application/json' \
              -d "{\\"token\\":\\"${url##*token=}\\"}" "$base/api/login" >key
            key=$(sed 's/.*:"//; s/".*//' key)
            curl -s -b jar -H "Tapline-Key: $key" "$base/api/rows?count=1"
            echo
            curl -s "$base/api/rows"
            echo
            kill -INT $!
            wait $!
            echo "exit $?"
            cat notes
            """
        ).output
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains("\"total\":38") == true, "\(output)")
        #expect(lines.dropFirst().first?.contains("\"code\":\"cookie\"") == true, "\(output)")
        #expect(output.contains("exit 0\n"), "\(output)")
        #expect(output.contains("showing '\(store)'"), "\(output)")
    }

    @Test("takes a password from a file that only its owner can read, and of some length")
    func passwords() async throws {
        let folder = try TemporaryFolder()
        try folder.write("correct horse battery\n", to: "wide")
        _ = try runShell("chmod 640 \(folder("wide"))")
        try folder.write("short\n", to: "short")
        try folder.write("", to: "empty")
        try folder.write(String(repeating: "x", count: 3000), to: "long")
        for (name, message) in [
            ("wide", "found mode 640, expected 600"), ("short", "expected at least 12"),
            ("empty", "expected at least 12"), ("long", "more than 1024 bytes"),
        ] {
            let outcome = await tapline(
                words: ["inspect", "a.db", "--tls", "--password-file", folder(name)]
            )
            #expect(outcome.code == .usage)
            #expect(outcome.errors.contains(message), "\(outcome.errors)")
            #expect(!outcome.errors.contains("horse"))
        }
    }

    @Test("refuses a key of the certificate that everyone can read, but not one of a group")
    func keyMode() async throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "key")
        for (mode, isRefused) in [("644", true), ("604", true), ("640", false)] {
            _ = try runShell("chmod \(mode) \(folder("key"))")
            let outcome = await tapline(
                words: ["inspect", "a.db", "--tls-cert", "/dev/null", "--tls-key", folder("key")]
            )
            #expect(outcome.code == .usage)
            #expect(
                outcome.errors.contains("found mode \(mode), expected 600 or 640") == isRefused,
                "\(outcome.errors)"
            )
        }
    }

    @Test("keeps the password out of the variables that programs get")
    func variables() {
        let invocation = Invocation(
            program: TaplineCommand.program,
            registry: PluginRegistry(),
            environment: Environment(["TAPLINE_INSPECT_PASSWORD": "secret", "A": "b"]),
            console: Console(isTerminal: false, output: { _ in }, errors: { _ in })
        )
        #expect(invocation.environment.variables == ["A": "b"])
        #expect(invocation.inspectPassword == "secret")
    }

    @Test(
        "serves the page by TLS with a certificate of 'tapline ca', and asks for the password",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func remote() throws {
        let program = try #require(Self.program)
        let folder = try TemporaryFolder()
        let store = TestFiles.repository + "/Examples/recordings/chromium.har"
        let output = try runShell(
            """
            cd "\(folder.path)"
            export XDG_DATA_HOME=$PWD TAPLINE_INSPECT_PASSWORD='correct horse battery'
            env --default-signal=INT "\(program)" inspect "\(store)" --listen 127.0.0.1:0 --tls \
              --host box.test >url 2>notes &
            until [ -s url ]; do sleep 0.05; done
            port=$(sed 's|.*test:||; s|/||' url)
            ask() {
              curl -s --noproxy '*' --cacert tapline/ca/root.pem -b jar -c jar \
                --resolve "box.test:$port:127.0.0.1" "$@"
              echo
            }
            url=https://box.test:$port
            ask $url/api/rows
            json='Content-Type: application/json'
            ask $url/api/login -H "$json" -d '{"password":"wrong horse battery"}'
            ask $url/api/login -H "$json" -d '{"password":"correct horse battery"}' >key
            key=$(sed 's/.*:"//; s/".*//' key)
            ask -H "Tapline-Key: $key" "$url/api/rows?count=1"
            until grep 'a wrong password from' notes; do sleep 0.05; done
            kill -INT $!
            wait $!
            echo "exit $?"
            cat url notes
            """
        ).output
        #expect(output.contains("\"code\":\"cookie\""), "\(output)")
        #expect(output.contains("the password is wrong"), "\(output)")
        #expect(output.contains("\"total\":38"), "\(output)")
        #expect(output.contains("a wrong password from 127.0.0.1; 1 so far\n"), "\(output)")
        #expect(output.contains("exit 0\nhttps://box.test:"), "\(output)")
        #expect(output.contains("which 'tapline ca export' writes"), "\(output)")
        #expect(!output.contains("horse") && !output.contains("#token"), "\(output)")
    }

    @Test(
        "opens the page by a file that only its owner can read, and removes it",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func opens() throws {
        let program = try #require(Self.program)
        let folder = try TemporaryFolder()
        let browser = """
            #!/bin/sh
            file=${1#file://}
            stat -c %a "$file" "${file%/*}" >modes
            cp "$file" page
            printf '%s\\n' "$@" >arguments
            mv arguments opened

            """
        try folder.write(browser, to: "browser")
        let output = try runShell(
            """
            cd "\(folder.path)"
            chmod +x browser
            BROWSER="$PWD/browser" env --default-signal=INT \
              "\(program)" inspect missing.db --port 0 --open >url 2>notes &
            for try in $(seq 1000); do [ -s opened ] && break; sleep 0.05; done
            file=$(sed 's|^file://||' opened)
            [ -e "$file" ] && echo there
            kill -INT $!
            wait $!
            [ -e "${file%/*}" ] || echo removed
            grep -cF "url=$(cat url)" page
            grep -c token opened
            cat modes opened notes
            """
        ).output
        #expect(output.hasPrefix("there\nremoved\n1\n0\n600\n700\nfile:///"), "\(output)")
    }

    @Test(
        "uses a free port if another inspector has the usual one, but not instead of a given one",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func ports() throws {
        let program = try #require(Self.program)
        let folder = try TemporaryFolder()
        let output = try runShell(
            """
            cd "\(folder.path)"
            start() {
              env --default-signal=INT "\(program)" inspect missing.db >"$1" 2>"$1.notes" &
              until [ -s "$1" ]; do sleep 0.05; done
            }
            start first
            first=$!
            start second
            second=$!
            port=$(sed 's|.*127.0.0.1:||; s|/.*||' first)
            "\(program)" inspect missing.db --port "$port" 2>&1
            echo "exit $?"
            cmp -s first second || echo different
            kill -INT $first $second
            wait
            cat first.notes
            """
        ).output
        #expect(output.contains("port"), "\(output)")
        #expect(output.contains("is in use"), "\(output)")
        #expect(output.contains("exit 1\n"), "\(output)")
        #expect(output.contains("different\n"), "\(output)")
        #expect(output.contains("'missing.db' does not exist yet"), "\(output)")
    }
}
