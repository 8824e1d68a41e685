// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplinePlugin
import TaplineProcessPlugin
import TaplineSystem
import TestSupport
import Testing

@Suite("The options of a plugin's process")
struct ProcessSettingsTests {
    private static func read(_ text: String, folder: String = ".") -> ProcessSettings? {
        var diagnostics = Diagnostics()
        let environment = Environment(["PATH": "/usr/bin:/bin"])
        let node = ConfigReader().read(Array(text.utf8), name: "p.yaml", into: &diagnostics)
        let options = node.flatMap {
            ProcessKeys.schema().decode(
                $0,
                owner: "process",
                into: &diagnostics,
                environment: environment
            )
        }
        var context = BuildContext(id: "p", folder: folder, environment: environment)
        context.isForOtherProgram = true
        return options.flatMap { ProcessKeys.read($0, &context) }
    }

    @Test("times are at least a millisecond and at most a year")
    func limitedTimes() throws {
        let year: Int64 = 365 * 86_400_000_000
        let long = try #require(
            Self.read(
                """
                { command: [cat], timeout: 106751991d, stop_timeout: 106751991d,
                  restart: { initial: 106751991d, max_interval: 106751991d } }
                """
            )
        )
        let times = long.limits.times
        #expect(times.timeout == year && times.hello == year && times.stop == year)
        #expect(times.restart == year && times.maxRestart == year)
        let short = try #require(Self.read("{ command: [cat], timeout: 0ms, stop_timeout: 0ms }"))
        #expect(short.limits.times.timeout == 1000 && short.limits.times.stop == 1000)
    }

    @Test("the words that are files in the folder of the file belong to the configuration")
    func files() throws {
        let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
        for name in ["run.sh", "s.py"] { try folder.write("#!/bin/sh\n", to: name) }
        try other.write("{}", to: "rules.json")
        func files(_ words: String, _ more: String = "") -> [String]? {
            Self.read("{ command: [\(words)]\(more) }", folder: folder.path)?.files
        }
        #expect(files("cat, s.py, missing.py, --strict, .") == [folder("s.py")])
        #expect(files("\(folder("run.sh")), \(other("rules.json"))") == [folder("run.sh")])
        // Arguments are relative to the working folder.
        #expect(files("cat, s.py, \(folder("s.py"))", ", folder: /usr") == [folder("s.py")])
        #expect(files("cat") == [])
    }

    @Test(
        "a program with a slash is relative to the file's folder, in any working folder",
        arguments: [".", "sub", "/etc"]
    )
    func relativePrograms(folder: String) throws {
        let settings = try #require(Self.read("{ command: [./none.sh] }", folder: folder))
        let path = try #require(settings.words.first)
        let place = FileSystem.absolute(folder == "." ? "none.sh" : "\(folder)/none.sh")
        #expect(path == place && path.hasPrefix("/"))
    }
}
