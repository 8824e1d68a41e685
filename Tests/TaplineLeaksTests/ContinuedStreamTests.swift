// SPDX-License-Identifier: MIT

import TaplineCodings
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineLeaks

@Suite("Compressed streams that are longer than a window")
struct ContinuedStreamTests {
    private static let windowBytes = 1 << 16

    /// Letters that no coding makes shorter than about five eighths.
    private static func noise(_ count: Int, seed: UInt64 = 7) -> [UInt8] {
        var random = Random(seed: seed)
        return (0..<count).map { _ in 0x41 + UInt8(truncatingIfNeeded: random.next() % 32) }
    }

    /// Scans bytes in windows as `TextScan` does, and returns the offsets and codings of hits.
    private func text(_ bytes: [UInt8], _ scanner: UnitScanner) -> [String] {
        var found: [String] = []
        let scan = TextScan(isBinary: true, scanner, windowBytes: Self.windowBytes) { hit, place in
            found.append("\(place.offset ?? -1) \(hit.codings.joined(separator: " "))")
        }
        for start in stride(from: 0, to: bytes.count, by: 10_007) {
            scan.append(bytes.span.extracting(start..<min(start + 10_007, bytes.count)))
        }
        scan.finish()
        return found
    }

    /// The same in a file, with several threads.
    private func windows(
        _ bytes: [UInt8],
        _ scanners: UnitScanners,
        threads: Int = 3
    ) throws -> (found: [String], metLimit: Bool) {
        let folder = try TemporaryFolder()
        let path = try folder.write(bytes, to: "a")
        var found: [String] = []
        let scan = try WindowScan(File(path, for: .read), windowBytes: Self.windowBytes)
        let metLimit = try scan.run(scanners, threads: threads) { hit, place in
            found.append("\(place.offset ?? -1) \(hit.codings.joined(separator: " "))")
        }
        return (found, metLimit)
    }

    @Test(
        "A value at the start, in the midst and at the end of a long stream is found",
        arguments: [ContentCoding.gzip, .deflate, .zstd]
    )
    func longStreams(coding: ContentCoding) throws {
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        let noise = Self.noise(600_000)
        for position in [0, 300_000, 590_000] {
            var content = noise
            content.replaceSubrange(position..<position + secret.utf8.count, with: secret.utf8)
            let packed = try coded(content, coding)
            #expect(packed.count > 4 * Self.windowBytes)
            for offset in [1, 40_001] {
                let bytes =
                    [UInt8](repeating: 0, count: offset) + packed
                    + [UInt8](repeating: 1, count: 100_000)
                let scanner = try scanners.make()
                let expected = ["\(offset) \(coding.name)"]
                #expect(text(bytes, scanner) == expected, "\(position), \(offset)")
                #expect(!scanner.takeMetLimit())
                let found = try windows(bytes, scanners)
                #expect(found.found == expected, "\(position), \(offset)")
                #expect(!found.metLimit)
            }
        }
    }

    @Test("A value is found wherever the decoded bytes are divided")
    func boundaries() throws {
        let list = (10..<90).map { "\(secret)-\($0)" }
        let index = ValueIndex(try list.map { try #require(LeakValue(Array($0.utf8), name: $0)) })
        let scanners = UnitScanners(index, nil)
        var content = Self.noise(3 << 20)
        for (number, text) in list.enumerated() {
            // Around each boundary of 128 KiB, one byte further each time.
            let border = (number / 4 + 1) << 17
            let start = border - 25 * (number % 4) - number / 4
            content.replaceSubrange(start..<start + text.utf8.count, with: text.utf8)
        }
        let bytes = [0, 0] + (try coded(content, .gzip)) + [0]
        let scanner = try scanners.make()
        #expect(text(bytes, scanner).count == list.count)
        #expect(try windows(bytes, scanners).found.count == list.count)
        #expect(!scanner.takeMetLimit())
    }

    @Test("Streams within long streams are decoded too")
    func nested() throws {
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        var bytes = Self.noise(1_300_000) + Array(secret.utf8)
        for seed in [11, 12] as [UInt64] {
            bytes = Self.noise(1_300_000, seed: seed) + (try coded(bytes, .gzip))
        }
        bytes = [0, 0, 0] + (try coded(bytes, .zstd))
        let expected = ["3 zstd gzip gzip"]
        #expect(text(bytes, try scanners.make()) == expected)
        #expect(try windows(bytes, scanners).found == expected)
    }

    @Test("Several members of a long gzip stream are decoded")
    func members() throws {
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        let first = try coded(Self.noise(200_000), .gzip)
        let second = try coded(Self.noise(200_000) + Array(secret.utf8), .gzip)
        let bytes = [0] + first + second + [0, 1]
        let expected = ["\(1 + first.count) gzip"]
        #expect(text(bytes, try scanners.make()) == expected)
        #expect(try windows(bytes, scanners).found == expected)
    }

    @Test("What a long stream has before damage is found, and so is what follows the damage")
    func damaged() throws {
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        let tail = Self.noise(200_000)
        let packed = try coded(tail + Array(secret.utf8) + tail, .gzip)
        var bytes = [0, 0] + packed
        bytes.replaceSubrange(packed.count - 30_000..<packed.count - 28_000, with: Self.noise(2000))
        let next = bytes.count
        bytes += try coded(Array("x \(secret) y".utf8), .gzip) + [0]
        let expected = ["2 gzip", "\(next) gzip"]
        #expect(text(bytes, try scanners.make()).sorted() == expected.sorted())
        #expect(try windows(bytes, scanners).found == expected)
    }

    @Test("What a long stream has beyond the limits is reported as unsearched")
    func limits() throws {
        var scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        scanners.limits.maxDecodedBytes = 300_000
        let bytes = [0, 0] + (try coded(Self.noise(400_000) + Array(secret.utf8), .gzip))
        let scanner = try scanners.make()
        #expect(text(bytes, scanner) == [])
        #expect(scanner.takeMetLimit())
        let found = try windows(bytes, scanners)
        #expect(found.found == [])
        #expect(found.metLimit)
    }

    @Test("An encoded part that is longer than a window is reported if it may hide something")
    func longRuns() throws {
        let scanners = UnitScanners(ValueIndex(try values(secret)), nil)
        let packed = try coded(Self.noise(300_000) + Array(secret.utf8), .gzip)
        let bytes = [0, 0x22] + Array(base64(packed).utf8) + [0x22, 0]
        let scanner = try scanners.make()
        #expect(text(bytes, scanner) == [])
        #expect(scanner.takeMetLimit())
        #expect(try windows(bytes, scanners).metLimit)
        // A part that only touches a boundary is complete in the next window.
        let short = [UInt8](repeating: 0, count: Self.windowBytes + 32_760)
        let other = try scanners.make()
        _ = text(short + Array("\"QUJDREVGR0hJSktM\"".utf8) + short, other)
        #expect(!other.takeMetLimit())
    }

    @Test("A file with a stream of several megabytes is searched as a whole")
    func files() throws {
        let folder = try TemporaryFolder()
        let packed = try coded(Self.noise(3 << 20) + Array(secret.utf8), .gzip)
        // Up to 8 MiB, one thread scans a file.
        for size in [1 << 10, 8 << 20] {
            let bytes = [UInt8](repeating: 0, count: size) + packed
            let path = try folder.write(bytes, to: "a")
            var found: [Int?] = []
            let scan = try LeakScan(for: try values(secret), detectors: nil) { event in
                if case .leak(let leak) = event { found.append(leak.place.offset) }
            }
            scan.scan(path)
            #expect(found == [size])
            #expect(scan.totals.unread == 0)
        }
    }
}
