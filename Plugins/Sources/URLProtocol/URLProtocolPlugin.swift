// SPDX-License-Identifier: MIT

internal import TaplineConfig
package import TaplinePlugin

extension SourcePlugin {
    /// The source `url_protocol`: captures what a Swift app sends, from within that app.
    ///
    /// Every program knows only its declaration: the capture itself is in the library `Tapline`,
    /// which the app imports.
    package static var urlProtocol: SourcePlugin {
        SourcePlugin(
            name: "url_protocol",
            summary: "Captures what a Swift app sends through URLSession, from within the app.",
            options: URLProtocolOptions.schema,
            isLive: true,
            build: { options, _ in CaptureSource(capturesShared: options[URLProtocolOptions.shared])
            }
        )
    }
}

/// The options of `url_protocol`.
enum URLProtocolOptions {
    static let shared = ConfigKey(
        "shared",
        .bool,
        default: true,
        summary:
            "Whether URLSession.shared is captured as well as the sessions that ask for it."
    )
    static let schema = OptionSchema(shared)
}
