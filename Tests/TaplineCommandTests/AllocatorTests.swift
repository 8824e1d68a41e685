// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineCommand

@Test func mallocIsThatOfMimalloc() {
    #expect(Allocator.isInUse)
}
