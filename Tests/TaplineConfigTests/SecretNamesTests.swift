// SPDX-License-Identifier: MIT

import Testing

@testable import TaplineConfig

@Suite struct SecretNamesTests {
    @Test(arguments: [
        ("key: s3cret", "key: ******"),
        ("  hash_key: 's3cret x' # old", "  hash_key: '****** *' # old"),
        ("- redact: { key: s3cret, mask: x }", "- redact: { key: ******, mask: x }"),
        (
            "- redact: { \"api-token\": \"s3cret\", a: b }",
            "- redact: { \"api-token\": \"******\", a: b }"
        ),
        ("redact.key=s3cret", "redact.key=******"), ("password: a,b}c", "password: *****"),
        ("{ Secret: s3cret", "{ Secret: ******"),
    ])
    func valuesOfSecretNamesAreHidden(line: String, expected: String) {
        let shown = SecretNames.hidingValues(in: Array(line.utf8)[...])
        #expect(String(decoding: shown, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        "key_env: NAME", "key_file: a.key", "keys: [a]", "monkey: a", "json: [password, token]",
        "mask: '*'", "token", "when: header[\"key\"] exists", "key:",
    ])
    func otherValuesAreShown(line: String) {
        let shown = SecretNames.hidingValues(in: Array(line.utf8)[...])
        #expect(String(decoding: shown, as: UTF8.self) == line)
    }
}
