// SPDX-License-Identifier: MIT

import TaplineConfig
import TestSupport
import Testing

/// Any input is read without a trap and gives messages.
@Suite
struct ConfigFuzzTests {
    static let seeds = [
        "version: 1\nsources:\n  - proxy: { listen: 127.0.0.1:8080, intercept: true }\n",
        "path: a\nwait: 1s\nshare: 0.5\nexact: true\nmode: any\nnames: [a, b]\nrotate: {keep: 3}\n",
        "a: &x {b: [1, '${NAME}']}\nc: *x\nd: {<<: *x, e: !!str 1}\n",
        "code: |\n  a\n   b # c\n  d\nx: >-\n  e\n  f\n\"q\\x41\\u00e4\": 'it''s' # end\n",
    ]

    @Test(arguments: 0..<4)
    func mutatedFiles(_ seed: Int) {
        var generator = Random(seed: UInt64(seed))
        let special = Array("{}[]:,-?&*!|>'\"%@`#\n\t \\$~<0\u{E4}".utf8) + [0x00, 0xFF, 0x85]
        let original = Array(Self.seeds[seed].utf8)
        var count = 0
        for _ in 0..<1500 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[place] = special.randomElement(using: &generator) ?? 0
                case 1: bytes.insert(special.randomElement(using: &generator) ?? 0, at: place)
                default: bytes.removeSubrange(place..<min(place + 3, bytes.count))
                }
                if bytes.isEmpty { bytes = [0x0A] }
            }
            count += ConfigFuzz.run(bytes).utf8.count
        }
        #expect(count > 0)
    }

    @Test func everyPrefixOfAFile() {
        for seed in Self.seeds {
            let bytes = Array(seed.utf8)
            for count in 0...bytes.count {
                let first = ConfigFuzz.run(Array(bytes.prefix(count)))
                #expect(first == ConfigFuzz.run(Array(bytes.prefix(count))))
            }
        }
    }
}
