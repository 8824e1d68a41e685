// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern

/// The forms with a check function of their own, in `Checks/`.
enum Shape: Sendable, Hashable {
    case privateKey, puttyKey
    case jsonWebToken, bearer, basic
    case databaseURL, otherURL, dataSourceName, connectionString
    case email, cardNumber, iban
    case vaultToken, facebookApp
    case phoneNumber, ipv4, ipv6

    /// The literals that Hyperscan finds.
    var literals: [LiteralSet.Literal] {
        switch self {
        case .privateKey: [.init("PRIVATE KEY")]
        case .puttyKey: [.init("Private-Lines:")]
        // The base64 of `{"`, `{ "`, and `{` followed by a line end and blanks.
        case .jsonWebToken: [.init("eyJ"), .init("eyAi"), .init("ewog"), .init("ewoJ")]
        case .bearer: [.init("bearer", ignoresCase: true)]
        case .basic: [.init("basic", ignoresCase: true)]
        case .vaultToken: [.init("s.")]
        case .facebookApp:
            (0...9).map { .init("\($0)|") } + [.init("%7C", ignoresCase: true)]
        case .connectionString:
            [.init("password=", ignoresCase: true), .init("pwd=", ignoresCase: true)]
        default: []
        }
    }

    /// The anchors to find instead, if there is no literal.
    var anchors: ByteClassAnchors {
        switch self {
        case .databaseURL, .otherURL, .dataSourceName, .email: .atSign
        case .cardNumber: .fourDigits
        case .iban: .countryDigits
        case .phoneNumber, .ipv4: .digit
        case .ipv6: .hexColon
        default: []
        }
    }

    /// The form in words.
    var text: String {
        switch self {
        case .privateKey: "-----BEGIN … PRIVATE KEY-----, also with `\\n` for line ends"
        case .puttyKey: "Private-Lines: of a PuTTY key file"
        case .jsonWebToken: "two or more parts of base64url; the first is JSON with `alg`"
        case .bearer: "Bearer and a token of 16 bytes or more"
        case .basic: "Basic and the base64 of a text with a colon"
        case .databaseURL: "postgres://user:password@host and others; the password"
        case .otherURL: "any://user:password@host; the password"
        case .dataSourceName: "user:password@tcp(host); the password"
        case .connectionString: "Server=…;Password=…; the password"
        case .email: "name@host.domain"
        case .cardNumber:
            "12 to 19 digits of a known issuer, valid check digit; from 17 on in groups or named"
        case .iban: "country, check digits, account; valid length and check digits"
        case .vaultToken: "`s\\.[0-9A-Za-z]{24}`"
        case .facebookApp: "`[0-9]{15,18}\\|[0-9A-Za-z_-]{27,40}`"
        case .phoneNumber: "+49 30 123456, (212) 555-0100, 212-555-0100"
        case .ipv4: "192.0.2.1"
        case .ipv6: "2001:db8::1"
        }
    }

    /// Returns the secret at a candidate; `nil` if it does not have the form.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - head: The literal that was found, or the first byte of an anchor.
    ///   - memory: The state of the checks for this text, so that no check reads a run twice.
    /// - Returns: The range of the secret bytes.
    func range(
        in text: Span<UInt8>,
        head: Range<Int>,
        _ memory: inout CheckMemory
    ) -> Range<Int>? {
        switch self {
        case .privateKey: PrivateKey.range(in: text, label: head)
        case .puttyKey: PrivateKey.puttyRange(in: text, head: head)
        case .jsonWebToken: JSONWebToken.range(in: text, head: head, &memory)
        case .bearer: Credentials.bearerRange(in: text, scheme: head)
        case .basic: Credentials.basicRange(in: text, scheme: head, &memory)
        case .databaseURL: memory.userInfo(in: text, at: head.lowerBound, of: .database)
        case .otherURL: memory.userInfo(in: text, at: head.lowerBound, of: .other)
        case .dataSourceName: memory.userInfo(in: text, at: head.lowerBound, of: .dataSource)
        case .connectionString: ConnectionString.range(in: text, key: head, &memory.connection)
        case .email: EmailAddress.range(in: text, at: head.lowerBound)
        case .cardNumber: CardNumber.range(in: text, from: head.lowerBound)
        case .iban: IBAN.range(in: text, from: head.lowerBound)
        case .vaultToken: ServiceToken.vaultRange(in: text, head: head)
        case .facebookApp: ServiceToken.facebookRange(in: text, head: head)
        case .phoneNumber: PhoneNumber.range(in: text, from: head.lowerBound)
        case .ipv4: NetworkAddress.ipv4Range(in: text, from: head.lowerBound)
        case .ipv6: NetworkAddress.ipv6Range(in: text, colon: head.lowerBound)
        }
    }
}
