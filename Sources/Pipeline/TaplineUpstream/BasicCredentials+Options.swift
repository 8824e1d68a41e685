// SPDX-License-Identifier: MIT

package import TaplineConfig
package import TaplineConnections
internal import TaplineModel
package import TaplinePlugin
internal import TaplineSystem

extension BasicCredentials {
    /// Reads a user, and the password in an environment variable.
    ///
    /// - Parameters:
    ///   - user: The value of the option for the user.
    ///   - variable: The value of the option `password_env`.
    ///   - context: Receives the problems; `nil` is returned if there is no password.
    package init?(
        _ user: Located<String>,
        passwordIn variable: Located<String>,
        _ context: inout BuildContext
    ) {
        // RFC 7617 §2: the first colon ends the user.
        if user.value.isEmpty || user.value.utf8.contains(.ascii(":")) {
            context.diagnostics.error(
                at: user.location,
                "a user name cannot be empty or contain a colon"
            )
        }
        guard let password = context.environment[variable.value], !password.isEmpty else {
            context.diagnostics.error(
                at: variable.location,
                "the environment variable that 'password_env' names is not set or is empty",
                help: "set it to the password"
            )
            return nil
        }
        self.init(user: user.value, password: password)
    }
}
