// SPDX-License-Identifier: MIT

internal import TaplineModel

/// The rules of `preset: strict`; shared by the lanes of a stage.
final class StrictRules: Sendable {
    let words: StrictWords
    let keep: KeepList
    /// Names of members, parameters, cookies, elements and fields.
    let name: Rule
    /// Values of fields and cookies.
    let field: Rule
    /// Path segments and hosts.
    let url: Rule
    /// Values within bodies, queries and messages.
    let value: Rule
    /// Bodies that cannot be read.
    let body: Rule
    /// Addresses and other properties of connections.
    let connection: Rule

    /// Adds the rules that count replacements to the rules of a stage.
    init(_ keep: KeepList, ownNames: [String], _ list: inout RuleList) {
        self.keep = keep
        words = StrictWords(ownNames: ownNames)
        name = list.addStrict("name")
        field = list.addStrict("field")
        url = list.addStrict("url")
        value = list.addStrict("value")
        body = list.addStrict("body")
        connection = list.addStrict("connection")
    }
}
