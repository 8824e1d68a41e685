// SPDX-License-Identifier: MIT

public import TaplineComponents

extension Component {
    /// A stage of the app, which is not used.
    public static func stage(_ name: String, _ factory: some Sendable) -> Component {
        Component(.stage, name)
    }

    /// A sink of the app, which is not used.
    public static func sink(_ name: String, _ factory: some Sendable) -> Component {
        Component(.sink, name)
    }
}
