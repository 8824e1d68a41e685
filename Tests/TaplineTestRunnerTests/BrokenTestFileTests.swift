// SPDX-License-Identifier: MIT

import TaplineConfig
import TaplineSystem
import TestSupport
import Testing

@testable import TaplineTestRunner

/// Damages valid test files in many ways: reading always ends, and a file that is refused has a
/// diagnostic.
@Suite("A broken test file")
struct BrokenTestFileTests {
    @Test("is either read or refused", arguments: [1, 2, 3, 4] as [UInt64])
    func broken(seed: UInt64) throws {
        var numbers = Random(seed: seed)
        let folder = "\(TestFiles.repository)/Examples/recipes"
        let files = try TestFinder.files(folder).map { try FileBytes.read($0, atMost: 1 << 20) }
        #expect(files.count >= 8)
        let pieces = [
            "{", "}", "[", "]", ": ", "- ", "\"", "'", "#", "&a ", "*a", "!!str ", "~", "\t", "\0",
        ]
        .map { Array($0.utf8) }
        var refused = 0
        for _ in 0..<300 {
            guard var bytes = files.randomElement(using: &numbers) else { return }
            for _ in 0..<Int.random(in: 1...4, using: &numbers) {
                let place = Int.random(in: 0..<bytes.count, using: &numbers)
                switch UInt8.random(in: 0..<4, using: &numbers) {
                case 0: bytes.remove(at: place)
                case 1: bytes[place] = .random(in: 0...255, using: &numbers)
                case 2:
                    bytes.insert(contentsOf: pieces.randomElement(using: &numbers) ?? [], at: place)
                default: bytes.removeSubrange(place..<min(place + 20, bytes.count))
                }
                if bytes.isEmpty { bytes = [0x61] }
            }
            var diagnostics = Diagnostics()
            let file = TestFile(bytes, name: "a.test.yaml", into: &diagnostics)
            #expect((file == nil) == diagnostics.hasErrors)
            #expect(diagnostics.all.allSatisfy { !$0.rendered.isEmpty })
            if file == nil { refused += 1 }
        }
        #expect(refused > 50, "most of what is broken is noticed")
    }
}
