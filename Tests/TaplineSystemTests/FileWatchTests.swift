// SPDX-License-Identifier: MIT

import Synchronization
import TestSupport
import Testing

@testable import TaplineSystem

@Suite("A watch of files") struct FileWatchTests {
    private let folder: TemporaryFolder
    private var path: String { folder("main.txt") }

    init() throws { folder = try TemporaryFolder(["main.txt": "one", "part.txt": "1"]) }

    /// Reads the main file and a part beside it; a file with `!` cannot be used.
    private func read(_ reads: Counter) -> FileWatch<String>.Version {
        reads.add()
        let files = [folder("part.txt")]
        guard let text = try? TestFiles.text(of: path), !text.contains("!"),
            let part = try? TestFiles.text(of: files[0])
        else { return FileWatch.Version(nil, files: files) }
        return FileWatch.Version(text + part, files: files)
    }

    private final class Counter: Sendable {
        private let number = Atomic<Int>(0)
        func add() { number.add(1, ordering: .relaxed) }
        var count: Int { number.load(ordering: .relaxed) }
    }

    private func start(_ reads: Counter) throws -> FileWatch<String> {
        let watch = FileWatch(path, "start", files: [folder("part.txt")])
        try watch.start(every: nil) { read(reads) }
        return watch
    }

    @Test("takes over the main file and its parts after a change, and reads nothing before")
    func changes() throws {
        let reads = Counter()
        let watch = try start(reads)
        watch.checkNow()
        #expect(reads.count == 0)
        #expect(watch.value == "start")
        try folder.write("second", to: "main.txt")
        watch.checkNow()
        #expect(watch.value == "second1")
        try folder.write("22", to: "part.txt")
        watch.checkNow()
        watch.checkNow()
        #expect(watch.value == "second22")
        #expect(watch.number == 2)
        #expect(reads.count == 2)
        #expect(watch.counts == (2, 0))
    }

    @Test("detects a change since the file was read for the first value")
    func early() throws {
        let reads = Counter()
        let stamps = FileStamps([path])
        try folder.write("second", to: "main.txt")
        let watch = FileWatch(path, "start", files: [folder("part.txt")], stamps: stamps)
        try watch.start(every: nil) { read(reads) }
        watch.checkNow()
        watch.checkNow()
        #expect(watch.value == "second1")
        #expect(reads.count == 1)
    }

    @Test("keeps the value if a change cannot be used, and tries once per change")
    func refusals() throws {
        let reads = Counter()
        let watch = try start(reads)
        try folder.write("wrong!", to: "main.txt")
        for _ in 0..<3 { watch.checkNow() }
        #expect(watch.value == "start")
        #expect(watch.counts == (0, 1))
        #expect(reads.count == 1)
    }

    @Test("tries again once a missing part appears")
    func missingPart() throws {
        let watch = try start(Counter())
        try FileSystem.remove(folder("part.txt"))
        watch.checkNow()
        #expect(watch.counts == (0, 1))
        try folder.write("3", to: "part.txt")
        watch.checkNow()
        #expect(watch.value == "one3")
    }

    @Test("waits while the main file is missing")
    func missingMain() throws {
        let reads = Counter()
        let watch = try start(reads)
        try FileSystem.remove(path)
        watch.checkNow()
        #expect(reads.count == 0)
        try folder.write("back", to: "main.txt")
        watch.checkNow()
        #expect(watch.value == "back1")
    }

    @Test("notices a change by itself, and ends its thread")
    func thread() async throws {
        let reads = Counter()
        let watch = FileWatch(path, "start", files: [])
        try watch.start(every: .milliseconds(5)) { read(reads) }
        try folder.write("changed", to: "main.txt")
        blockingWait(for: "the change") { watch.value == "changed1" }
        watch.stop()
        let count = reads.count
        try folder.write("later!", to: "main.txt")
        watch.stop()
        #expect(reads.count == count)
    }
}
