// SPDX-License-Identifier: MIT

import Testing

@testable import RedactStage

@Suite struct PlainWordsTests {
    @Test(arguments: ["user", "User name:", "E-Mail", "expires_at", "Last used"])
    func settingsAreRecognized(text: String) {
        let isSetting = PlainWords.isSetting(text.utf8.span)
        #expect(isSetting)
    }

    @Test(arguments: [
        "", "Change", "not set", "••••••", "✓", "—", "***", "yes",
        "At least 12 characters, please.",
        "Forgot your password?",
    ])
    func textShownInsteadOfASecretIsHarmless(text: String) {
        let isNoSecret = PlainWords.isNoSecret(text.utf8.span)
        #expect(isNoSecret)
    }

    @Test(arguments: [
        "hunter2", "correct horse battery staple", "пароль", "1234", "Two words.", "密碼",
        "GdvlIbMr ( MhOiulWk!", "Gdvl4 : - Mhou!",
    ])
    func otherTextMayBeASecret(text: String) {
        let isNoSecret = PlainWords.isNoSecret(text.utf8.span)
        #expect(!isNoSecret)
    }
}
