// SPDX-License-Identifier: MIT

#if canImport(Darwin)
internal import Darwin
#else
internal import Glibc
#endif

/// The system's users, by number.
package enum UserAccount {
    /// The administrator, who has all permissions.
    package static let root: UInt32 = 0

    /// The effective user of this process (geteuid(2)).
    package static var current: UInt32 { geteuid() }

    /// The number of the user with a name; `nil` if there is none (getpwnam_r(3)).
    package static func id(named name: String) -> UInt32? {
        guard !name.utf8.contains(0) else { return nil }
        let size = 16_384
        var buffer = [CChar](repeating: 0, count: size)
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        let status = unsafe getpwnam_r(name, &entry, &buffer, size, &found)
        guard status == 0, unsafe found != nil else { return nil }
        return unsafe entry.pw_uid
    }
}
