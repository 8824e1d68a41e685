// SPDX-License-Identifier: MIT

import TaplineSystem
import TestSupport
import Testing

@testable import TaplineCommand

@Suite("Programs that switch users")
struct UserSwitchingTests {
    private static let user: UInt32 = 1000

    @Test(
        "are those of a short list",
        arguments: ["sudo", "su", "runuser", "setpriv", "apt", "apt-get", "dpkg"]
    )
    func listed(name: String) throws {
        let note = try #require(UserSwitching.note(on: "/none/\(name)", by: Self.user))
        #expect(note.hasPrefix("note: '\(name)' switches users, which needs root: "))
    }

    @Test(
        "are files that run as their owner or their group",
        arguments: [("4755", true), ("2755", true), ("1755", false), ("755", false)]
    )
    func permissions(mode: String, isNoted: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = "\(folder.path)/program"
        _ = try await command("sh", ["-c", ": >\"$0\"; chmod \(mode) \"$0\"", path])
        let note = UserSwitching.note(on: path, by: Self.user)
        #expect((note != nil) == isNoted)
        #expect(note?.contains("set-user-ID") ?? true)
    }

    @Test("do so for root")
    func root() {
        #expect(UserSwitching.note(on: "/usr/bin/sudo", by: UserAccount.root) == nil)
    }
}
