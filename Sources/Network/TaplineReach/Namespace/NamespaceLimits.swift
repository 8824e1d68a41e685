// SPDX-License-Identifier: MIT

internal import TaplineSystem

/// The settings of the kernel that may forbid user namespaces; `nil` if there is no such setting.
struct NamespaceLimits: Sendable, Equatable {
    /// `user.max_user_namespaces`.
    var maxUserNamespaces: Int?
    /// `kernel.unprivileged_userns_clone` of Debian.
    var allowsUnprivileged: Bool?
    /// `kernel.apparmor_restrict_unprivileged_userns` of Ubuntu.
    var isRestrictedByAppArmor: Bool?

    /// Reads the settings of this system.
    static func ofSystem() -> NamespaceLimits {
        NamespaceLimits(
            maxUserNamespaces: number("/proc/sys/user/max_user_namespaces"),
            allowsUnprivileged: number("/proc/sys/kernel/unprivileged_userns_clone").map {
                $0 != 0
            },
            isRestrictedByAppArmor:
                number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").map { $0 != 0 }
        )
    }

    private static func number(_ path: String) -> Int? {
        var bytes: [UInt8] = []
        guard let file = try? File(path, for: .read),
            (try? file.read(appendingTo: &bytes, atMost: 64)) != nil
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        return Int(text.split(whereSeparator: \.isWhitespace).first ?? "")
    }
}
