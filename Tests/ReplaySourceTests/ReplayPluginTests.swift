// SPDX-License-Identifier: MIT

import Glibc
import TaplinePlugin
import TaplineSystem
import TestSupport
import Testing

@testable import ReplaySource

@Suite("The options of replay")
struct ReplayPluginTests {
    @Test(
        "reject unreadable recordings, with the position",
        arguments: [
            ("{ path: missing.har }", "p.yaml:1:9: error: there is no file '@/missing.har'"),
            ("{ path: [here, missing.har] }", "p.yaml:1:16: error: there is no file"),
            ("{ path: '*.har' }", "p.yaml:1:9: error: no file matches '@/*.har'"),
            ("{ path: folder }", "p.yaml:1:9: error: '@/folder' is a folder"),
            ("{ path: 'f*' }", "p.yaml:1:9: error: no file matches '@/f*'"),
            ("{ path: [] }", "the list is empty"),
            ("{ path: ['-', '-'] }", "'path' contains '-' twice"),
            ("{ path: '-', loop: 2 }", "'-' can be read only once"),
            ("{ path: pipe, loop: true }", "can be read only once"),
            ("{ path: here, loop: 0 }", "expected a number of passes, at least 1, or true"),
            ("{ path: here, loop: often }", "expected a number of passes"),
            ("{ path: here, speed: 2 }", "help: write '2x' if that is what you mean"),
            ("{ path: here, speed: realtme }", "help: did you mean 'realtime'?"),
            ("{ path: here, speed: 0x }", "the speed is out of range"),
            ("{ path: here, speed: .x }", "invalid speed"),
            ("{ path: here, speed: infx }", "invalid speed"),
            ("{ path: here, max_record_bytes: 0B }", "the size is too small"),
            ("{ path: here, workers: 0 }", "the number is out of range"),
            ("{ path: here, limit: 0 }", "the number is out of range"),
            ("{ speed: max }", "path"),
        ]
    )
    func refuses(options: String, message: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "here")
        try #require(unsafe mkdir(folder("folder"), 0o700) == 0)
        try #require(unsafe mkfifo(folder("pipe"), 0o600) == 0)
        let (source, messages) = build(options, folder: folder.path)
        let parts = message.split(separator: "@").map(String.init)
        let expected = parts.joined(separator: folder.path)
        #expect(messages.contains(expected), "\(messages)")
        #expect(source == nil)
    }

    @Test("report all problems at once")
    func all() throws {
        let folder = try TemporaryFolder()
        let (_, messages) = build("{ path: [a.har, b.har] }", folder: folder.path)
        #expect(messages.contains("a.har") && messages.contains("b.har"))
    }

    @Test("sort the files of a pattern by name and keep the order of lists")
    func paths() throws {
        let folder = try TemporaryFolder()
        for name in ["b.har", "a.har", "c.har", "a[1].har", "z"] { try folder.write("", to: name) }
        let (source, messages) = build("{ path: [z, '[ab].har', 'a[1].har'] }", folder: folder.path)
        let replay = try #require(source as? ReplaySource, "\(messages)")
        let names = replay.recordings.recordings.map { FileSystem.name(of: $0.path) }
        #expect(names == ["z", "a.har", "b.har", "a[1].har"])
    }

    @Test("claim standard input only for '-'")
    func claims() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "here")
        #expect(build("{ path: '-' }").0?.claims == [.standardInput])
        #expect(build("{ path: here }", folder: folder.path).0?.claims == [])
    }

    @Test("warn about workers with speeds that use one thread")
    func workers() throws {
        let folder = try TemporaryFolder()
        try folder.write("", to: "here")
        let (source, messages) = build(
            "{ path: here, speed: 2x, workers: 4 }",
            folder: folder.path
        )
        #expect(source != nil)
        #expect(messages.contains("warning: 'workers' has no effect here"), "\(messages)")
    }
}
