// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
package import TaplinePlugin
package import TaplineTLS

/// The options for TLS towards servers, which all sources that connect to servers have.
package enum ServerTLSOptions {
    package static let verify = ConfigKey(
        "verify",
        .bool,
        default: true,
        summary: "Whether the certificates of servers have to be valid and trusted."
    )
    package static let authorities = ConfigKey(
        "authorities",
        .list(of: OptionType<String>.path.located, acceptsSingle: true),
        default: [],
        summary: "Files of certificates (PEM) to trust in addition to the system's.",
        example: "[company-ca.pem]"
    )
    package static let clientCertificate = ConfigKey(
        "client_certificate",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "A certificate (PEM, with its chain) for servers that request one.",
        example: "client.pem"
    )
    package static let clientKey = ConfigKey(
        "client_key",
        OptionType<String>.path.located.optional,
        default: nil,
        summary: "The key of that certificate (PEM, without a password).",
        example: "client-key.pem"
    )

    /// Decodes the options.
    ///
    /// It reads files but creates none.
    package static func read(_ options: Options, _ context: inout BuildContext) -> TLSClientOptions
    {
        var trust = TLSClientOptions()
        trust.verify = options[verify]
        trust.authorityFiles = options[authorities].map(\.value)
        check(trust, at: options[authorities].first?.location, &context)
        guard let place = options[clientCertificate] ?? options[clientKey] else { return trust }
        // Checked without the authorities, so that each problem is reported once, at its place.
        var identity = TLSClientOptions()
        identity.verify = false
        identity.certificateFile = options[clientCertificate]?.value
        identity.keyFile = options[clientKey]?.value
        check(identity, at: place.location, &context)
        trust.certificateFile = identity.certificateFile
        trust.keyFile = identity.keyFile
        return trust
    }

    /// Reports files that cannot be used.
    private static func check(
        _ tls: TLSClientOptions,
        at place: SourceLocation?,
        _ context: inout BuildContext
    ) {
        do throws(TLSError) {
            _ = try TLSContext(client: tls)
        } catch {
            context.diagnostics.error(at: place ?? context.location, error.message)
        }
    }
}
