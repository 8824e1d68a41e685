// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand

@Test func mimallocProvidesMalloc() {
    #expect(Allocator.isInUse)
}
