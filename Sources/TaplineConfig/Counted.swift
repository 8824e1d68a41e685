// SPDX-License-Identifier: MIT

/// Numbers of things, for people.
public enum Counted {
    /// `1 file`, `2 files`; another plural than that with `s` is given.
    public static func text(_ number: Int, _ what: String, _ plural: String? = nil) -> String {
        number == 1 ? "1 \(what)" : "\(number) \(plural ?? what + "s")"
    }
}
