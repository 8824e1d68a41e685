// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplineFiles
internal import TaplinePlugin

/// Whose programs may use the proxy.
extension ProxyOptions {
    static let allowUsers = ConfigKey(
        "allow_users",
        .list(of: OptionType<String>.string.located, acceptsSingle: true),
        default: [],
        summary: "The users of this machine whose programs may connect, beside root: `same` as the "
            + "proxy's, names or numbers; any, and other machines, if empty.",
        example: "same"
    )

    static func readUsers(
        _ options: Options,
        _ settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        guard !options[allowUsers].isEmpty else { return }
        var users: Set<UInt32> = [UserAccount.root]
        for text in options[allowUsers] {
            if let user = user(text.value) {
                users.insert(user)
            } else {
                context.diagnostics.error(
                    at: text.location,
                    "there is no such user; found '\(text.value)', expected 'same', a user's name or "
                        + "number"
                )
            }
        }
        settings.access.allowedUsers = users
    }

    private static func user(_ text: String) -> UInt32? {
        if text == "same" { return UserAccount.current }
        // The highest number stands for none (chown(2)).
        if text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return UInt32(text).flatMap { $0 == .max ? nil : $0 }
        }
        return UserAccount.id(named: text)
    }
}
