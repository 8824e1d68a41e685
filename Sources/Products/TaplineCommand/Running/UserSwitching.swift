// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// Programs that switch users, which do not work in a namespace of an unprivileged user: only that
/// user's own ids exist there (user_namespaces(7)).
enum UserSwitching {
    /// The programs that switch users whatever the permissions of their file are.
    private static let programs: Set = [
        "sudo", "su", "runuser", "setpriv", "apt", "apt-get", "dpkg",
    ]
    /// The bits that make a file run as its owner or its group (inode(7)).
    private static let bits: UInt32 = 0o6000

    /// Returns a note on a program that switches users; `nil` for others, and if root runs it.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - user: The user that runs Tapline.
    /// - Returns: The note.
    static func note(on path: String, by user: UInt32 = UserAccount.current) -> String? {
        guard user != UserAccount.root else { return nil }
        let name = FileSystem.name(of: path)
        let permissions = (try? FileSystem.status(of: path))??.permissions ?? 0
        let what: String
        if programs.contains(name) {
            what = "switches users"
        } else if permissions & bits != 0 {
            what = "runs as its owner (set-user-ID or set-group-ID)"
        } else {
            return nil
        }
        return "note: '\(name)' \(what), which needs root: the namespace of '--all' has only your "
            + "own user and group otherwise; run tapline itself as root"
    }
}
