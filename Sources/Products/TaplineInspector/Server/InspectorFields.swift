// SPDX-License-Identifier: MIT

/// The fields that protect answers and the page.
enum InspectorFields {
    /// The fields of every response.
    private static let all = [
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Resource-Policy", "same-origin"),
        ("X-Frame-Options", "DENY"),
    ]

    /// The fields of answers of the API.
    static let answer = all + [("Cache-Control", "no-store")]

    /// The fields of what a page of another origin may read; `nil` if it may not read the answer.
    static func ball(for origin: String?) -> [(String, String)] {
        let fields = [
            ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
            ("Cache-Control", "no-store"), ("Vary", "Origin"),
        ]
        guard let origin else {
            return fields + [("Cross-Origin-Resource-Policy", "same-origin")]
        }
        return fields + [
            ("Access-Control-Allow-Origin", origin),
            ("Cross-Origin-Resource-Policy", "cross-origin"),
        ]
    }

    /// The fields of the page.
    static let page =
        all + [
            ("Cache-Control", "no-cache"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            (
                "Content-Security-Policy",
                "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
                    + "img-src 'self' blob:; media-src blob:; frame-src blob:; base-uri 'none'; "
                    + "form-action 'none'; frame-ancestors 'none'"
            ),
        ]

    /// The fields of the files of the page, whose folder has the name of their content.
    static let file = all + [("Cache-Control", "public, max-age=31536000, immutable")]
}
