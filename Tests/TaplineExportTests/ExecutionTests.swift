// SPDX-License-Identifier: MIT

import TaplineModel
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineExport

/// Runs what is exported, and compares the requests that arrive at a server with the recorded ones.
@Suite("Tools send what was recorded", .serialized)
struct ExecutionTests {
    @Test("there are enough requests, half of them unusual")
    func cases() {
        let requests = ExportCases.all(port: 1)
        #expect(requests.count >= 150)
        let unusual =
            requests.filter { $0.target.description.contains("nasty") }.count
            + ExportCases.targets.count
        #expect(unusual * 2 >= requests.count)
    }

    @Test("curl in bash", .enabled(if: Tool.isInstalled("curl"), "curl is not installed"))
    func curl() throws {
        let run = try ToolRun(CurlWriter())
        let script = try run.folder.write(run.text, to: "requests.sh")
        let output = try Tool.run(["bash", script], home: run.folder.path)
        try run.compare(added: [], leastWhole: 250, output: output)
    }

    @Test(
        "curl in fish",
        .enabled(if: Tool.isInstalled("curl") && Tool.isInstalled("fish"), "fish is not installed")
    )
    func curlInFish() throws {
        let run = try ToolRun(CurlWriter(shell: .fish))
        let script = try run.folder.write(run.text, to: "requests.fish")
        let output = try Tool.run(["fish", "--no-config", script], home: run.folder.path)
        try run.compare(added: [], leastWhole: 250, output: output)
    }

    @Test("wget in bash", .enabled(if: Tool.isInstalled("wget"), "wget is not installed"))
    func wget() throws {
        let run = try ToolRun(WgetWriter())
        let script = try run.folder.write(run.text, to: "requests.sh")
        let output = try Tool.run(["bash", script], home: run.folder.path)
        let added: Set = ["accept", "accept-encoding"]
        try run.compare(added: added, leastWhole: 200, output: output)
    }

    /// bash passes the arguments to a function that stores them; one process of Python then runs
    /// HTTPie with each list, since starting it takes half a second.
    @Test(
        "HTTPie in bash",
        .enabled(if: Tool.python("import httpie") != nil, "HTTPie is not installed")
    )
    func httpie() throws {
        let run = try ToolRun(HTTPieWriter())
        let folder = run.folder
        let head = """
            http() {
              local file=$(mktemp -p '\(folder.path)' XXXXXXXX.args)
              printf '%s\\0' "$@" > "$file"
              case "$2" in --ignore-stdin) ;; *) cat > "$file.stdin" ;; esac
            }

            """
        let script = try folder.write(Array(head.utf8) + run.text, to: "requests.sh")
        var output = try Tool.run(["bash", script], home: folder.path)
        let program = TestFiles.fixture("httpie_calls.py")
        output += try Tool.run(
            [Tool.python("import httpie") ?? "", program, folder.path],
            home: folder.path
        )
        // HTTPie on an older urllib3 adds these even if they are unset.
        let added: Set = ["accept-encoding", "user-agent"]
        try run.compare(added: added, leastWhole: 230, output: output)
    }

    @Test(
        "requests",
        .enabled(if: Tool.python("import requests") != nil, "requests is not installed")
    )
    func python() throws {
        let run = try ToolRun(PythonWriter())
        let program = try run.folder.write(run.text, to: "requests_of_test.py")
        let output = try Tool.run(
            [Tool.python("import requests") ?? "", "-B", program],
            home: run.folder.path
        )
        try run.compare(added: [], leastWhole: 230, output: output)
    }

    @Test("fetch of Node.js", .enabled(if: Tool.isInstalled("node"), "node is not installed"))
    func fetch() throws {
        let run = try ToolRun(FetchWriter())
        let program = try run.folder.write(run.text, to: "requests.js")
        let output = try Tool.run(["node", program], home: run.folder.path)
        let added: Set = [
            "accept", "accept-encoding", "accept-language", "sec-fetch-mode", "user-agent",
        ]
        try run.compare(added: added, leastWhole: 220, output: output)
    }

    /// Modules with the names of those of k6 send what the script asks for.
    @Test(
        "k6, as Node.js reads it",
        .enabled(if: Tool.isInstalled("node"), "node is not installed")
    )
    func k6() throws {
        let run = try ToolRun(K6Writer())
        let folder = run.folder.path
        try FileSystem.makeFolder("\(folder)/node_modules")
        try FileSystem.makeFolder("\(folder)/node_modules/k6")
        for name in ["package.json", "index.js", "http.js", "encoding.js"] {
            let text = try TestFiles.text(of: TestFiles.fixture("k6/\(name)"))
            try run.folder.write(text, to: "node_modules/k6/\(name)")
        }
        try run.folder.write(run.text, to: "script.mjs")
        let call =
            "import s from './script.mjs'; s(); import { sent } from 'k6/http'; await sent();"
        let program = try run.folder.write(call, to: "main.mjs")
        let output = try Tool.run(["node", program], home: folder)
        try run.compare(added: [], leastWhole: 220, output: output)
    }

    @Test("URLSession", .enabled(if: Tool.isInstalled("swiftc"), "swiftc is not installed"))
    func urlSession() throws {
        let run = try ToolRun(SwiftWriter())
        try run.folder.write(run.text, to: "main.swift")
        let program = run.folder("program")
        let words = ["swiftc", "-Onone", run.folder("main.swift"), "-o", program]
        var output = try Tool.run(words, home: run.folder.path, seconds: 300)
        output += try Tool.run([program], home: run.folder.path)
        let added: Set = [
            "accept", "accept-encoding", "accept-language", "user-agent", "content-type",
        ]
        try run.compare(added: added, leastWhole: 200, output: output)
    }

    /// mitmproxy reads the flows, and the server gets what it would replay.
    @Test(
        "mitmproxy",
        .enabled(if: Tool.mitmproxyPython != nil, "mitmproxy is not installed")
    )
    func mitmproxy() throws {
        let run = try ToolRun(MitmproxyWriter())
        let flows = try run.folder.write(run.text, to: "flows")
        let program = TestFiles.fixture("replay_flows.py")
        let output = try Tool.run(
            [Tool.mitmproxyPython ?? "", program, flows],
            home: run.folder.path
        )
        try run.compare(added: [], leastWhole: 200, output: output)
    }
}
