// SPDX-License-Identifier: MIT

import Dispatch
import Glibc
import TaplineSystem
import TestSupport
import Testing

@Suite struct FileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func createsFilesReadableByTheirOwnerOnly() throws {
        let file = try File(folder("a"), for: .append)
        let status = try file.status()
        #expect(status.permissions == 0o600)
        #expect(status.kind == .regular)
        #expect(status.size == 0)
    }

    @Test func theUmaskDecidesWhoReadsASharedFile() throws {
        let file = try File(folder("a"), for: .createShared)
        #expect(try file.status().permissions & 0o644 == 0o644)
        #expect(throws: FileError.self) {
            _ = try File(folder("a"), for: .createShared).status()
        }
    }

    @Test func appendsToExistingFiles() throws {
        try folder.write("one\n", to: "a")
        let file = try File(folder("a"), for: .append)
        try file.write("two\n".utf8.span)
        #expect(try folder.read("a") == "one\ntwo\n")
        var head = [UInt8](repeating: 0, count: 3)
        var span = head.mutableSpan
        #expect(try file.read(into: &span, at: 1) == 3)
        #expect(head == Array("ne\n".utf8))
    }

    @Test func doesNotCreateAnExistingFile() throws {
        try folder.write("one\n", to: "a")
        let error = #expect(throws: FileError.self) {
            _ = try File(folder("a"), for: .create).status()
        }
        #expect(error?.isExisting == true)
        #expect(try folder.read("a") == "one\n")
    }

    @Test func reportsWhyAFileCannotBeOpened() throws {
        let error = #expect(throws: FileError.self) {
            _ = try File("/nowhere/at/all", for: .append).status()
        }
        #expect(error?.isMissing == true)
        #expect(error?.description == "cannot open '/nowhere/at/all'; no such file or directory")
    }

    @Test func readsToTheEnd() throws {
        try folder.write("0123456789", to: "a")
        let file = try File(folder("a"), for: .read)
        var buffer = [UInt8](repeating: 0, count: 4)
        var span = buffer.mutableSpan
        #expect(try file.read(into: &span) == 4)
        #expect(buffer == Array("0123".utf8))
        var rest: [UInt8] = Array("x".utf8)
        #expect(try file.read(appendingTo: &rest, atMost: 5) == 5)
        #expect(rest == Array("x45678".utf8))
        #expect(try file.read(appendingTo: &rest, atMost: 5) == 1)
        #expect(try file.read(appendingTo: &rest, atMost: 5) == 0)
        #expect(try file.read(appendingTo: &rest, atMost: 0) == 0)
        try file.seek(to: 8)
        #expect(try file.read(appendingTo: &rest, atMost: 5) == 2)
        #expect(rest == Array("x45678989".utf8))
    }

    @Test func truncatesAFile() throws {
        let file = try File(folder("a"), for: .append)
        try file.write("one\ntwo\n".utf8.span)
        try file.truncate(to: 4)
        try file.write("three\n".utf8.span)
        try file.syncData()
        #expect(try folder.read("a") == "one\nthree\n")
    }

    @Test func locksExclusively() throws {
        let first = try File(folder("a"), for: .append)
        #expect(try first.lock())
        let second = try File(folder("a"), for: .append)
        #expect(try second.lock() == false)
        try first.close()
        #expect(try second.lock())
    }

    @Test func reportsAClosedPipe() throws {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        let made = unsafe pipe(&ends)
        try #require(made == 0)
        let writer = File(owning: ends[1], named: "pipe")
        #expect(try writer.status().kind == .pipe)
        try writer.write("heard".utf8.span)
        close(ends[0])
        let error = #expect(throws: FileError.self) { try writer.write("unheard".utf8.span) }
        #expect(error?.isClosed == true)
    }

    @Test func reportsTheWrittenBytesWhenTheDiskIsFull() throws {
        let full = try File("/dev/full", for: .append)
        var position = 0
        let error = #expect(throws: FileError.self) {
            try full.write("lost".utf8.span, from: &position)
        }
        #expect(error?.isFull == true)
        #expect(position == 0)
    }

    @Test func waitsForANonBlockingPipe() throws {
        var ends: [Int32] = [-1, -1]
        let made = unsafe pipe(&ends)
        try #require(made == 0)
        _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
        let reader = File(owning: ends[0], named: "pipe")
        let descriptor = ends[1]
        // More than a pipe's capacity, so the writer has to wait for the reader.
        let size = 1_000_000
        // On a separate thread: a task would wait for a pool thread that this and other tests block.
        DispatchQueue(label: "writer").async {
            let writer = File(owning: descriptor, named: "pipe")
            try? writer.write([UInt8](repeating: 7, count: size).span)
        }
        var bytes: [UInt8] = []
        while try reader.read(appendingTo: &bytes, atMost: 65_536) > 0 {}
        #expect(bytes.count == size)
        #expect(bytes.allSatisfy { $0 == 7 })
    }

    @Test func aFileIsNoTerminal() throws {
        let file = try File(folder("a"), for: .append)
        let isTerminal = file.isTerminal
        let width = file.terminalWidth
        #expect(!isTerminal)
        #expect(width == nil)
    }

    /// Containers without a mounted `devpts` have none.
    private static let hasPseudoTerminals: Bool = {
        let descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }()

    @Test(.enabled(if: hasPseudoTerminals, "/dev/ptmx cannot be opened on this machine"))
    func aTerminalHasAWidth() throws {
        let primary = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(primary >= 0)
        let terminal = File(owning: primary, named: "terminal")
        let isOne = terminal.isTerminal
        #expect(isOne)
        var size = winsize(ws_row: 24, ws_col: 97, ws_xpixel: 0, ws_ypixel: 0)
        let status = unsafe ioctl(primary, UInt(TIOCSWINSZ), &size)
        try #require(status == 0)
        let columns = terminal.terminalWidth
        #expect(columns == 97)
        let rows = terminal.terminalHeight
        #expect(rows == 24)
    }
}

@Suite struct UnnamedFileTests {
    @Test func anUnnamedFileIsReadableButHasNoPath() throws {
        let folder = try TemporaryFolder()
        let file = try File(unnamedIn: folder.path)
        #expect(try FileSystem.names(in: folder.path).isEmpty)
        let status = try file.status()
        #expect(status.permissions == 0o600 && status.isRemoved)
        let bytes = Array("hello".utf8)
        try file.write(bytes.span)
        var back = [UInt8](repeating: 0, count: 8)
        var space = back.mutableSpan
        let count = try file.read(into: &space, at: 1)
        #expect(count == 4 && Array(back[..<4]) == Array("ello".utf8))
    }

    @Test func aMissingFolderIsAnError() throws {
        #expect(throws: FileError.self) { _ = try File(unnamedIn: "/nowhere/at/all") }
    }
}
