// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("Large files without lines")
struct WindowScanTests {
    private static let windowBytes = 1 << 17

    /// Scans the bytes as a whole by `TextScan`.
    private func whole(_ bytes: [UInt8], _ scanners: UnitScanners) throws -> [String] {
        let scanner = try scanners.make()
        var found: [StreamHit] = []
        let scan = TextScan(isBinary: true, scanner, windowBytes: 1 << 30) { found.append($0) }
        scan.append(bytes.span)
        scan.finish()
        return described(found, scanner)
    }

    private func windows(
        _ path: String,
        _ scanners: UnitScanners,
        threads: Int
    ) throws -> [String] {
        var found: [StreamHit] = []
        let scan = try WindowScan(File(path, for: .read), windowBytes: Self.windowBytes)
        let metLimit = try scan.run(scanners, threads: threads) { found.append($0) }
        #expect(!metLimit)
        return described(found, try scanners.make())
    }

    @Test("Each hit is found once, in order, by one thread or several", arguments: [1, 3])
    func boundaries(threads: Int) throws {
        let scanners = UnitScanners(ValueIndex(try values(secret, "other-value")), nil)
        var random = Random(seed: 5)
        var bytes = (0..<6 * Self.windowBytes + 999).map { _ in UInt8(random.below(256)) }
        let utf16 = Array("other-value".utf16).flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
        let packed = try coded(Array("x \(secret) \(secret)".utf8), .gzip)
        for window in 1...6 {
            let border = window * Self.windowBytes
            // Before the border, across it, after it, and at both ends of what windows share.
            for (number, offset) in [-33_000, -32_768, -7, 20, 32_750].enumerated() {
                let part = [Array(secret.utf8), utf16, packed][(window + number) % 3]
                let start = border + offset + (window % 2)
                guard start + part.count <= bytes.count else { continue }
                bytes.replaceSubrange(start..<start + part.count, with: part)
            }
        }
        bytes.replaceSubrange(bytes.count - secret.utf8.count..<bytes.count, with: secret.utf8)
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "a")
        let expected = try whole(bytes, scanners)
        #expect(expected.count > 25)
        #expect(try windows(path, scanners, threads: threads) == expected)
    }

    @Test("Small files, texts and compressed files are scanned as streams")
    func kinds() throws {
        let folder = try TemporaryFolder()
        func kind(_ head: String, _ size: Int) throws -> ContentKind? {
            let bytes = Array(head.utf8) + [UInt8](repeating: 0x20, count: size)
            let path = try folder.write(bytes, to: "a")
            return try WindowScan.kind(of: File(path, for: .read), named: path)
        }
        let large = 9 << 20
        #expect(try kind("SQLite format 3\0", large) == .database)
        #expect(try kind("a\0b", large) == .binary)
        #expect(try kind("a\0b", 1 << 20) == nil)
        #expect(try kind("a text", large) == nil)
        #expect(try kind("\u{1F}", 0) == nil)
    }

    @Test("A file that became shorter is noticed, and one that became longer if it is no database")
    func changes() throws {
        let folder = try TemporaryFolder()
        let size = 2 * Self.windowBytes
        let path = try folder.write([UInt8](repeating: 0, count: size), to: "a")
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        let scan = try WindowScan(File(path, for: .read), windowBytes: Self.windowBytes)
        _ = try scan.run(scanners, threads: 1) { _ in }
        #expect(try !scan.missesBytes(isDatabase: false))
        let file = try File(path, for: .append)
        try file.truncate(to: size + 10)
        #expect(try scan.missesBytes(isDatabase: false))
        #expect(try !scan.missesBytes(isDatabase: true))
        try file.truncate(to: 10)
        #expect(try scan.missesBytes(isDatabase: true))
        _ = try scan.run(scanners, threads: 1) { _ in }
        try file.truncate(to: size)
        #expect(try scan.missesBytes(isDatabase: true))
    }

    @Test("A large file is scanned, and its totals are counted")
    func files() throws {
        let folder = try TemporaryFolder()
        var bytes = [UInt8](repeating: 0, count: 9 << 20)
        for place in [5, 1 << 20, 9 << 20 - 20] {
            bytes.replaceSubrange(place..<place + secret.utf8.count, with: secret.utf8)
        }
        let path = try folder.write(bytes, to: "large-\(secret.prefix(3))")
        var offsets: [Int?] = []
        let scan = try LeakScan(for: try values(secret), detectors: nil) { event in
            if case .leak(let leak) = event { offsets.append(leak.place.offset) }
        }
        scan.scan(path)
        #expect(offsets == [5, 1 << 20, 9 << 20 - 20])
        #expect(scan.totals.bytes == bytes.count)
        #expect(scan.totals.files == 1)
        #expect(scan.totals.leaks == 3)
        #expect(scan.totals.unread == 0)
    }
}
