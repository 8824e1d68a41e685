// SPDX-License-Identifier: MIT

import TaplineCommandLine
import TaplineModel
import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("tapline completions")
struct CompletionsCommandTests {
    let folder: TemporaryFolder

    /// A program that lists filters as `tapline query STORE --filters` does, one with a name that
    /// is not allowed, and values as `tapline completions` does.
    init() throws {
        folder = try TemporaryFolder()
        try folder.write("", to: "a.db")
        try folder.write(
            """
            #!/bin/sh
            if [ "$1 $4" = "completions --prefix" ]; then
                for value in "$2-1" "$2-2" "other"; do
                    case "$value" in "$5"*) printf '%s\\tabout %s\\n' "$value" "$3" ;; esac
                done
                exit
            fi
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

    @Test("offer ids of the stores in bash")
    func ids() async throws {
        let all = ["ids-1", "ids-2", "other"]
        #expect(try await bash("show", "a.db", "") == all)
        #expect(try await bash("explain", "a.db", "") == all)
        #expect(try await bash("note", "a.db", "") == all)
        #expect(try await bash("show", "a.db", "abc") == [])
        #expect(try await bash("show", "none.db", "") == bash("show", ""))
        #expect(try await bash("show", "a.db", "--ra") == ["--raw"])
        #expect(try await !bash("query", "a.db", "").contains("ids-1"))
    }

    @Test("offer hosts, routes and ids in filters in bash")
    func filterValues() async throws {
        func offered(_ word: String) async throws -> [String] {
            try await bash("query", "a.db", word)
        }
        #expect(
            try await offered(#"'host == ""#)
                == [#"'host == "hosts-1""#, #"'host == "hosts-2""#, #"'host == "other""#]
        )
        #expect(
            try await offered(#"status > 1 and route!="routes-2"#)
                == [#"status > 1 and route!="routes-2""#]
        )
        #expect(
            try await offered(#"id in ["x", "o"#) == [#"id in ["x", "other""#]
        )
        #expect(try await offered(#"host == \"oth"#) == [#"host == "other""#])
        #expect(try await offered(#"path == "o"#) == [])
        #expect(try await bash("show", "a.db", #"host == "o"#) == [])
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

    @Test("offer values of stores in fish", .enabled(if: Self.hasFish, "needs fish"))
    func fishValues() async throws {
        try folder.write(await tapline("completions", "fish").output, to: "tapline.fish")
        func offered(_ line: String) async throws -> [String] {
            try folder.write(line, to: "line")
            let script = """
                cd \(folder.path); set -x PATH . $PATH; source tapline.fish
                complete -C (cat line)
                """
            let output = try await command("fish", ["--no-config", "-c", script])
            return output.split(separator: "\n").map(String.init)
        }
        let ids = try await offered("tapline show a.db ")
        #expect(ids.contains("ids-1\tabout a.db") && ids.contains("other\tabout a.db"))
        #expect(
            try await offered(#"tapline query a.db 'host == "h"#)
                == [#"host == "hosts-1""#, #"host == "hosts-2""#]
        )
        #expect(
            try await offered(#"tapline stats a.db "route in [\"x\", \"o"#)
                == [#"route in ["x", "other""#]
        )
    }

    @Test("are the values of stores, with what they stand for")
    func values() async throws {
        var exchanges = [Exchange.example(1), .example(2), .example(3), .example(4)]
        exchanges[1].request.authority = "api.test:8080"
        exchanges[1].request.target = "/a/b?key=secret"
        exchanges[2].request.authority = "a'$(x).test"
        exchanges[3].response = nil
        exchanges[3].state = .failed
        let stored = try await StoredTraffic(exchanges)
        for store in [stored.database, stored.recording] {
            let hosts = await tapline("completions", "hosts", store)
            #expect(hosts.output == "api.test\nshop.test\n")
            #expect(
                await tapline("completions", "routes", store, "--prefix", "/i").output
                    == "/items/{id}\n"
            )
            let start = exchanges[0].id.description.prefix(9)
            let ids = await tapline("completions", "ids", store, "--prefix", "\(start)")
            let lines = ids.output.split(separator: "\n").map(String.init)
            #expect(
                Set(lines).isSuperset(of: [
                    "\(exchanges[0].id)\tGET shop.test/items/1 200",
                    "\(exchanges[1].id)\tGET api.test/a/b 200",
                    "\(exchanges[3].id)\tGET shop.test/items/4 failed",
                ])
            )
            #expect(await tapline("completions", "ids", store, "--prefix", "x").output == "")
        }
        let both = await tapline("completions", "hosts", stored.database, stored.recording)
        #expect(both.output == "api.test\nshop.test\n")
        #expect(await tapline("completions", "hosts").code == .usage)
        #expect(await tapline("completions", "bash", stored.database).code == .usage)
        #expect(await tapline("completions", "hosts", "none.db").code == .failure)
    }
}
