// SPDX-License-Identifier: MIT

import TaplineMatching
import Testing

/// The texts that a mask in a recording matches.
@Suite struct MaskedTextTests {
    private let masked = MaskedText(masks: ["[redacted]", "***"])

    @Test(arguments: [
        ("[redacted]", "anything", true), ("[redacted]", "", true), ("a [redacted]!", "a b!", true),
        ("a [redacted]!", "a b", false), ("a [redacted]", "b c", false), ("a", "a", false),
        ("x[redacted]y[redacted]z", "x1y2z", true), ("x[redacted]y[redacted]z", "x1z", false),
        ("aba[redacted]aba", "aba", false), ("***-1", "7-1", true), ("a", "b", false),
    ])
    func texts(recorded: String, found: String, covers: Bool) {
        #expect(masked.covers(recorded, found) == covers)
    }

    @Test(arguments: [
        ("/a/[redacted]/b", "/a/x/b", true), ("/a/[redacted]", "/a/x/b", false),
        ("/a/[redacted]/b", "/a/x/c", false), ("/a-[redacted]", "/a-", true),
    ])
    func paths(recorded: String, found: String, covers: Bool) {
        #expect(masked.coversPath(recorded, found) == covers)
    }
}
