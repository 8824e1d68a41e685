// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline completions")
struct CompletionsCommandTests {
    let folder: TemporaryFolder

    /// A program that lists filters as `tapline query STORE --filters` does, one with a name that
    /// is not allowed.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "a.db")
        try folder.write(
            """
            #!/bin/sh
            test "$1 $3" = "query --filters" || exit 1
            echo 'slow-1  duration > 1s'
            echo 'errors  status >= 500'
            echo '$(touch x)  status == 1'
            """,
            to: "tapline"
        )
        _ = try command("chmod", ["+x", folder("tapline")])
    }

    private static let hasFish =
        ChildProcess.find("fish", in: ProcessEnvironment.variables["PATH"]) != nil

    /// What bash offers after the words of a command line.
    private func bash(_ words: String..., breaks: String = "@:=") async throws -> [String] {
        try folder.write(await tapline("completions", "bash").output, to: "tapline.bash")
        let script = """
            cd "$1" && . ./tapline.bash && COMP_WORDBREAKS="$2" && shift 2
            COMP_WORDS=(./tapline "$@") COMP_CWORD=$#
            _tapline && printf '%s\\n' "${COMPREPLY[@]}"
            """
        let output = try await command(
            "bash",
            ["-c", script, "bash", folder.path, breaks] + words
        )
        return output.split(separator: "\n").map(String.init)
    }

    @Test("offer saved filters in bash, whether or not '@' separates words")
    func filters() async throws {
        #expect(try await bash("query", "a.db", "@") == ["slow-1", "errors"])
        #expect(try await bash("query", "a.db", "@", "s") == ["slow-1"])
        #expect(try await bash("query", "a.db", "@", breaks: "=") == ["@slow-1", "@errors"])
        #expect(try await bash("note", "a.db", "@e", breaks: "=") == ["@errors"])
        #expect(try await bash("query", "none.db", "@", "s") == [])
        #expect(try await bash("store", "info", "@", "e") == [])
    }

    @Test("offer files, options, their values and actions in bash")
    func words() async throws {
        #expect(try await bash("query", "a") == ["a.db"])
        #expect(try await bash("query", "a.db", "--filt") == ["--filters"])
        #expect(try await bash("query", "a.db", "--format", "nd") == ["ndjson"])
        #expect(try await bash("store", "ver") == ["verify"])
        #expect(try await bash("mark", "a.db", "last", "pur") == ["purple"])
    }

    @Test("offer saved filters in fish", .enabled(if: Self.hasFish, "needs fish"))
    func fish() async throws {
        try folder.write(await tapline("completions", "fish").output, to: "tapline.fish")
        let script = """
            cd \(folder.path); set -x PATH . $PATH; source tapline.fish
            complete -C 'tapline query a.db @'
            """
        let output = try await command("fish", ["--no-config", "-c", script])
        let lines = output.split(separator: "\n").map(String.init)
        #expect(lines.sorted() == ["@errors\tstatus >= 500", "@slow-1\tduration > 1s"])
    }
}
