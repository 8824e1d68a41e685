// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import Testing

@Suite struct FileErrorTests {
    @Test func describesOperationAndReason() {
        let error = FileError("write", "/tmp/a", code: ENOSPC)
        #expect(error.description == "cannot write '/tmp/a'; no space left on device")
        #expect(error.isFull)
        #expect(!error.isClosed)
    }

    @Test func acceptsUnknownErrorNumbers() {
        #expect(FileError("write", "a", code: 9999).description.hasPrefix("cannot write 'a'; "))
    }
}
