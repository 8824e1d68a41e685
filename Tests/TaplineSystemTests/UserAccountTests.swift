// SPDX-License-Identifier: MIT

import Glibc
import TaplineSystem
import Testing

@Suite("Users of the system")
struct UserAccountTests {
    @Test("are looked up by name")
    func names() {
        #expect(UserAccount.id(named: "root") == UserAccount.root)
        #expect(UserAccount.id(named: "nobody").map { $0 > 0 } == true)
        #expect(UserAccount.id(named: "no-such-user-here") == nil)
        #expect(UserAccount.id(named: "") == nil)
        #expect(UserAccount.id(named: "root\0x") == nil)
    }

    @Test("include the user of this process")
    func current() {
        #expect(UserAccount.current == geteuid())
    }
}
