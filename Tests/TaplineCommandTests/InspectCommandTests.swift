// SPDX-License-Identifier: MIT

import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

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
