// SPDX-License-Identifier: MIT

import TaplineRegex

// A span cannot pass through the testing macros, but an array can.
extension Pattern {
    func range(_ bytes: [UInt8], from: Int = 0) -> Range<Int>? {
        firstRange(in: bytes.span, from: from)
    }

    func match(_ bytes: [UInt8]) -> CaptureGroups? {
        firstMatch(in: bytes.span)
    }
}
