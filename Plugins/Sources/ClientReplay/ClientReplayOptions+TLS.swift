// SPDX-License-Identifier: MIT

internal import TaplineConfig
internal import TaplinePlugin
internal import TaplineTLS

/// The options of `client_replay` for TLS, as those of `proxy`.
extension ClientReplayOptions {
    static let verify = ConfigKey(
        "verify",
        .bool,
        default: true,
        summary: "Whether the certificates of servers have to be valid and trusted."
    )
    static let authorities = ConfigKey(
        "authorities",
        .list(of: OptionType<String>.path.located, acceptsSingle: true),
        default: [],
        summary: "Files of certificates (PEM) to trust in addition to the system's.",
        example: "[company-ca.pem]"
    )
    static let clientCertificate = ConfigKey(
        "client_certificate",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A certificate (PEM, with its chain) for servers that request one.",
        example: "client.pem"
    )
    static let clientKey = ConfigKey(
        "client_key",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "The key of that certificate (PEM, without a password).",
        example: "client-key.pem"
    )

    /// Decodes the options; reads files but creates none.
    static func readTLS(
        _ options: Options,
        into settings: inout ClientReplaySettings,
        _ context: inout BuildContext
    ) {
        settings.tls.verify = options[verify]
        settings.tls.authorityFiles = options[authorities].map(\.value)
        settings.tls.certificateFile = options[clientCertificate]?.value
        settings.tls.keyFile = options[clientKey]?.value
        let place =
            options[clientCertificate]?.location ?? options[clientKey]?.location
            ?? options[authorities].first?.location
        do throws(TLSError) {
            _ = try TLSContext(client: settings.tls)
        } catch {
            context.diagnostics.error(at: place ?? context.location, error.message)
        }
    }
}
