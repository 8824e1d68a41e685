// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand
@testable import TaplineCommandLine

@Test func mimallocProvidesMalloc() {
    #expect(Allocator.isInUse)
}
