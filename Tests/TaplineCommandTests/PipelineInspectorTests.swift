// SPDX-License-Identifier: MIT

import TaplineSystem
import TaplineTesting
import TestSupport
import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Suite("A pipeline is shown while it runs", .timeLimit(.minutes(2)))
struct PipelineInspectorTests {
    /// The command, which the build puts next to the tests.
    private static let program: String? = {
        let folder = (CommandLine.arguments.first ?? "").split(separator: "/").dropLast()
        let path = "/" + folder.joined(separator: "/") + "/tapline"
        return ChildProcess.find(path, in: nil)
    }()

    /// Runs a script with the command `$tapline`, and the functions `shown FILE`, which waits for the
    /// address of the page and logs in, `api PATH`, and `row`, which waits for an exchange.
    private func run(_ script: String) throws -> String {
        let program = try #require(Self.program)
        let folder = try TemporaryFolder()
        return try runShell(
            """
            cd "\(folder.path)"
            export TMPDIR=$PWD
            export XDG_DATA_HOME=$PWD
            tapline="env --default-signal=INT \(program)"
            cat >live.yaml <<'YAML'
            version: 1
            sources: [{ proxy: { listen: "127.0.0.1:0" } }]
            stages: [{ redact: { preset: standard } }]
            sinks: [{ ndjson: { path: traffic.ndjson } }]
            YAML
            shown() {
              until grep -q '#token=' "$1"; do sleep 0.05; done
              url=$(grep -o 'http://[^ ]*#token=[^ ]*' "$1")
              base=${url%%/#*}
              login=$(curl -s --noproxy '*' -c jar -H 'Content-Type: application/json' \
                -d "{\\"token\\":\\"${url##*token=}\\"}" "$base/api/login")
              key=${login#*:\\"}
            }
            api() { curl -s --noproxy '*' -b jar -H "Tapline-Key: ${key%%\\"*}" "$base/api/$@"; }
            row() { until api rows | grep -o '"path":"/seen[^"]*"'; do sleep 0.05; done; }
            \(script)
            """
        ).output
    }

    @Test(
        "by 'run --inspect', with a private database that is removed at the end",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func runs() throws {
        let output = try run(
            """
            $tapline run live.yaml --inspect --inspect-listen localhost:0 2>notes &
            shown notes
            until grep -q 'listening on' notes; do sleep 0.05; done
            proxy=$(grep -o 'listening on .*' notes | head -1 | cut -d' ' -f3)
            stat -c 'mode %a' tapline-inspect-*
            curl -s -o /dev/null -x "http://$proxy" http://127.0.0.1:1/seen
            row
            api resend -H 'Content-Type: application/json' \
              -d '{"request":{"method":"GET","url":"http://127.0.0.1:1/again"}}' | cut -c1-7
            api runs -H 'Content-Type: application/json' \
              -d '{"kind":"replay","to":"http://127.0.0.1:1","speed":"max"}'
            until stat -c 'replays %a' tapline-replays-* 2>/dev/null; do sleep 0.05; done
            until ls tapline-replays-*/replays.db >/dev/null 2>&1; do sleep 0.05; done
            kill -INT $!
            wait $!
            echo "exit $?"
            ls -d tapline-inspect-* tapline-replays-* 2>/dev/null || echo removed
            wc -l <traffic.ndjson
            cat notes
            """
        )
        #expect(output.contains("mode 700\n"), "\(output)")
        #expect(output.contains("replays 700\n"), "\(output)")
        #expect(output.contains("\"path\":\"/seen\""), "\(output)")
        #expect(output.contains("{\"id\":\""), "\(output)")
        #expect(output.contains("exit 0\nremoved\n2\n"), "\(output)")
        #expect(output.contains("a database that is removed at the end"), "\(output)")
    }

    @Test(
        "by 'inspect', which distinguishes pipelines from stores",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func inspects() throws {
        let output = try run(
            """
            sed 's|ndjson: { path: traffic.ndjson }|sqlite: { path: own.db }|' live.yaml >own.yaml
            $tapline inspect own.yaml --port 0 2>notes &
            shown notes
            until api info | grep -o '"resend":true'; do sleep 0.05; done
            kill -INT $!
            wait $!
            echo "exit $?"
            ls -d tapline-inspect-* 2>/dev/null || echo none
            cat notes
            $tapline inspect own.yaml own.db 2>&1
            echo "exit $?"
            """
        )
        #expect(output.contains("\"resend\":true\nexit 0\nnone\n"), "\(output)")
        #expect(output.contains("own.db' of the sink 'sqlite'"), "\(output)")
        #expect(output.contains("is a pipeline, which is inspected alone"), "\(output)")
        #expect(output.contains("exit 64\n"), "\(output)")
    }

    @Test(
        "by 'exec --inspect', which ends with its command if there is no terminal",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func executes() throws {
        let output = try run(
            """
            cat >child <<'SH'
            curl -s -o /dev/null http://127.0.0.1:1/seen
            touch asked
            until [ -e checked ]; do sleep 0.05; done
            exit 7
            SH
            $tapline exec --inspect --inspect-listen 127.0.0.1:0 --inspect-store kept.db \
              -- sh child 2>notes &
            shown notes
            until [ -e asked ]; do sleep 0.05; done
            row
            touch checked
            wait $!
            echo "exit $?"
            ls kept.db
            $tapline query kept.db --count
            """
        )
        #expect(output.contains("\"path\":\"/seen\""), "\(output)")
        #expect(output.contains("exit 7\nkept.db\n1\n"), "\(output)")
    }

    @Test(
        "by TLS and with a password, which the command of 'exec' does not get",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func remote() throws {
        let output = try run(
            """
            export TAPLINE_INSPECT_PASSWORD='correct horse battery'
            cat >child <<'SH'
            env >variables
            curl -s -o /dev/null http://127.0.0.1:1/seen
            touch asked
            until [ -e checked ]; do sleep 0.05; done
            SH
            $tapline exec --inspect --inspect-listen 127.0.0.1:0 --inspect-tls -- sh child 2>notes &
            until [ -e asked ]; do sleep 0.05; done
            base=$(grep -o 'https://127[^ ]*' notes | sed 's|/$||')
            login=$(curl -s --noproxy '*' --cacert tapline/ca/root.pem -c jar \
              -H 'Content-Type: application/json' -d '{"password":"correct horse battery"}' \
              "$base/api/login")
            key=${login#*:\\"}
            api() {
              curl -s --noproxy '*' --cacert tapline/ca/root.pem -b jar \
                -H "Tapline-Key: ${key%%\\"*}" "$base/api/$@"
            }
            row
            touch checked
            wait $!
            echo "exit $?"
            grep -c http_proxy variables
            grep -c -e horse -e TAPLINE_INSPECT variables
            cat notes
            """
        )
        #expect(output.contains("\"path\":\"/seen\""), "\(output)")
        #expect(output.contains("exit 0\n1\n0\n"), "\(output)")
        #expect(!output.contains("#token"), "\(output)")
    }

    @Test(
        "or not, if the page cannot be served: the pipeline runs all the same",
        .enabled(if: program != nil, "the command is not built next to the tests")
    )
    func fails() throws {
        let output = try run(
            """
            $tapline inspect missing.db --port 0 >url 2>/dev/null &
            until [ -s url ]; do sleep 0.05; done
            port=$(sed 's|.*127.0.0.1:||; s|/.*||' url)
            $tapline exec --inspect --inspect-listen 127.0.0.1:$port -- true 2>&1
            echo "exit $?"
            echo '{"v":1,"request":{"method":"GET","url":"http://a.test/"}}' >one.ndjson
            cat >one.yaml <<'YAML'
            version: 1
            sources: [{ replay: { path: one.ndjson } }]
            sinks: [stdout]
            YAML
            $tapline run one.yaml --inspect --inspect-listen 127.0.0.1:$port 2>&1
            echo "exit $?; $(ls -d tapline-inspect* 2>/dev/null)"
            kill -INT $!
            wait $!
            """
        )
        #expect(output.contains("warning: [inspector] the pipeline is not shown:"), "\(output)")
        #expect(output.contains("exit 0\n"), "\(output)")
        // No database that nobody would see.
        #expect(!output.contains("sqlite"), "\(output)")
        #expect(output.contains("exit 0; \n"), "\(output)")
    }

    @Test(
        "rejects wrong arguments",
        arguments: [
            (["--open"], "'--open' needs '--inspect'"),
            (["--inspect-listen", "127.0.0.1:1"], "'--inspect-listen' needs '--inspect'"),
            (["--inspect", "--inspect-listen", "127.0.0.1"], "an address with a port"),
            (["--inspect", "--inspect-listen", "0.0.0.0:1"], "anyone who reaches the page"),
            (
                ["--inspect", "--inspect-listen", "192.0.2.1:1", "--inspect-tls"],
                "'--inspect-passw"
            ),
            (["--inspect-tls"], "'--inspect-tls' needs '--inspect'"),
            (["--inspect-actions"], "'--inspect-actions' needs '--inspect'"),
            (["--inspect-password-file", "p"], "'--inspect-password-file' needs '--inspect'"),
            (["--inspect", "--inspect-tls"], "needs a password"),
            (["--inspect", "--inspect-store", "-"], "standard output"),
        ] as [([String], String)]
    )
    func usage(_ words: [String], _ message: String) async {
        let outcome = await tapline(words: ["run", "missing.yaml"] + words)
        #expect(outcome.code == .usage)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("A pipeline is distinguished from a store by its lines")
    func tells() {
        #expect(PipelineText.hasSources(Array("version: 1\nsources:\n  - proxy\n".utf8)))
        #expect(PipelineText.hasSources(Array("sources: [proxy]".utf8)))
        #expect(!PipelineText.hasSources(Array("{\"sources\": []}".utf8)))
        #expect(!PipelineText.hasSources(Array("{\"id\":\"1\"}\n{\"id\":\"2\"}\n".utf8)))
        #expect(!PipelineText.hasSources(Array("SQLite format 3\u{0}\nsources:\n".utf8)))
        #expect(!PipelineText.hasSources([]))
    }
}
