// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineSystem

/// The option of `proxy` for the users whose programs may connect.
extension ProxyOptions {
    static let allowUsers = ConfigKey(
        "allow_users",
        users,
        default: nil,
        summary: "The users of this machine, besides root, whose programs may connect: `same` for "
            + "the proxy's own, names or numbers; `[]` for root only. By default any user and "
            + "other machines.",
        example: "same"
    )

    /// An optional list.
    ///
    /// An empty list counts as set, so that it does not open the proxy by mistake.
    private static let users: OptionType<[Located<String>]?> = {
        let list = OptionType<[Located<String>]>.list(
            of: OptionType<String>.text.located,
            acceptsSingle: true
        )
        return OptionType(name: list.name, schema: list.schema) { node, context in
            list.decode(node, &context).map { .some($0) }
        }
    }()

    static func readUsers(
        _ options: Options,
        _ settings: inout ProxySettings,
        _ context: inout BuildContext
    ) {
        guard let names = options[allowUsers] else { return }
        var users: Set<UInt32> = [UserAccount.root]
        for text in names {
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
        // The highest number stands for no user (chown(2)).
        if text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) {
            return UInt32(text).flatMap { $0 == .max ? nil : $0 }
        }
        return UserAccount.id(named: text)
    }
}
