// SPDX-License-Identifier: MIT

/// The options of curl (curl(1), 8.10), by what they mean for the request.
enum CurlOption {
    case url, method, header, data, dataRaw, dataBinary, dataURLEncode, json, form, formString
    case get, head, user, cookie, referer, userAgent, upload, compressed, range, bearer, target
    case urlQuery, noGlob, next, version(String)
    /// An option without an effect on the request.
    case flag
    /// An option with a value, and without an effect on the request.
    case value
    /// An option whose effect is known to curl only.
    case unknownEffect(takesValue: Bool, StaticString)
    /// A scheme of authentication for which curl computes the field.
    case computedCredentials(takesValue: Bool)
    /// An option that reads files.
    case refused(String)

    /// Whether a value follows.
    var takesValue: Bool {
        switch self {
        case .get, .head, .compressed, .noGlob, .next, .version, .flag: false
        case .unknownEffect(let takesValue, _), .computedCredentials(let takesValue): takesValue
        default: true
        }
    }

    /// The option of a name without its dashes; `nil` if there is none.
    static func long(_ name: String) -> CurlOption? {
        if let option = named[name] { return option }
        if valued.contains(name) { return .value }
        if flags.contains(name) { return .flag }
        let positive = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
        return flags.contains(positive) ? .flag : nil
    }

    /// The option of a letter; `nil` if there is none.
    static func short(_ letter: UInt8) -> CurlOption? {
        let letter = Character(Unicode.Scalar(letter))
        if let name = letters[letter] { return named[name] }
        if "cDEmoPQtUwxyY".contains(letter) { return .value }
        return "#12346aBfhijJklLMNOpqRsSvVZ".contains(letter) ? .flag : nil
    }

    private static let letters: [Character: String] = [
        "X": "request", "H": "header", "d": "data", "F": "form", "G": "get", "I": "head",
        "u": "user", "b": "cookie", "e": "referer", "A": "user-agent", "T": "upload-file",
        "r": "range", "g": "globoff", ":": "next", "0": "http1.0", "K": "config", "n": "netrc",
        "z": "time-cond", "C": "continue-at",
    ]

    private static let named: [String: CurlOption] = [
        "url": .url, "request": .method, "header": .header, "data": .data, "data-ascii": .data,
        "data-raw": .dataRaw, "data-binary": .dataBinary, "data-urlencode": .dataURLEncode,
        "json": .json, "form": .form, "form-string": .formString, "get": .get, "head": .head,
        "user": .user, "cookie": .cookie, "referer": .referer, "user-agent": .userAgent,
        "upload-file": .upload, "compressed": .compressed, "range": .range,
        "oauth2-bearer": .bearer, "request-target": .target, "url-query": .urlQuery,
        "globoff": .noGlob, "next": .next, "http1.0": .version("HTTP/1.0"),
        "http2": .version("HTTP/2"), "http2-prior-knowledge": .version("HTTP/2"),
        "http3": .version("HTTP/3"), "http3-only": .version("HTTP/3"),
        "config": .refused("a configuration file"), "variable": .refused("variables"),
        "netrc": .unknownEffect(takesValue: false, "credentials (netrc)"),
        "netrc-optional": .unknownEffect(takesValue: false, "credentials (netrc)"),
        "netrc-file": .unknownEffect(takesValue: true, "credentials (netrc)"),
        "digest": .computedCredentials(takesValue: false),
        "ntlm": .computedCredentials(takesValue: false),
        "negotiate": .computedCredentials(takesValue: false),
        "anyauth": .computedCredentials(takesValue: false),
        "aws-sigv4": .computedCredentials(takesValue: true),
        "time-cond": .unknownEffect(takesValue: true, "conditions"),
        "continue-at": .unknownEffect(takesValue: true, "conditions"),
        "etag-compare": .unknownEffect(takesValue: true, "conditions"),
    ]

    private static let flags = words(
        """
        append basic buffer ca-native cert-status clobber compressed-ssh create-dirs crlf
        disable disable-eprt disable-epsv disallow-username-in-url doh-cert-status doh-insecure
        environment fail fail-early fail-with-body false-start form-escape ftp-create-dirs ftp-pasv
        ftp-pret ftp-skip-pasv-ip ftp-ssl-ccc ftp-ssl-control haproxy-protocol help
        http0.9 http1.1 ignore-content-length include insecure ipv4 ipv6 junk-session-cookies
        keepalive list-only location location-trusted mail-rcpt-allowfails manual metalink
        mptcp npn alpn
        parallel parallel-immediate path-as-is post301 post302 post303 progress-bar progress-meter
        proxy-anyauth proxy-basic proxy-ca-native proxy-digest proxy-http2 proxy-insecure
        proxy-negotiate proxy-ntlm proxy-ssl-allow-beast proxy-ssl-auto-client-cert proxytunnel
        raw remote-header-name remote-name remote-name-all remote-time remove-on-error
        retry-all-errors retry-connrefused sasl-ir sessionid show-error show-headers silent
        skip-existing socks5-basic socks5-gssapi socks5-gssapi-nec ssl ssl-allow-beast
        ssl-auto-client-cert ssl-no-revoke ssl-reqd ssl-revoke-best-effort sslv2 sslv3
        styled-output suppress-connect-headers tcp-fastopen tcp-nodelay test-event tftp-no-options
        tlsv1 tlsv1.0 tlsv1.1 tlsv1.2 tlsv1.3 tr-encoding trace-ids trace-time use-ascii verbose
        version xattr
        """
    )

    private static let valued = words(
        """
        abstract-unix-socket alt-svc cacert capath cert cert-type ciphers connect-timeout
        connect-to cookie-jar create-file-mode crlfile curves delegation dns-interface
        dns-ipv4-addr dns-ipv6-addr dns-servers doh-url dump-ca-embed dump-header ech egd-file
        engine etag-save expect100-timeout ftp-account ftp-alternative-to-user ftp-method ftp-port
        ftp-ssl-ccc-mode happy-eyeballs-timeout-ms haproxy-clientip hostpubmd5 hostpubsha256 hsts
        interface ip-tos ipfs-gateway keepalive-cnt keepalive-time key key-type krb libcurl
        limit-rate local-port login-options mail-auth mail-from mail-rcpt max-filesize max-redirs
        max-time noproxy output output-dir parallel-max pass pinnedpubkey postquote preproxy
        prequote proto proto-default proto-redir proxy proxy-cacert proxy-capath proxy-cert
        proxy-cert-type proxy-ciphers proxy-crlfile proxy-header proxy-key proxy-key-type
        proxy-pass proxy-pinnedpubkey proxy-service-name proxy-tls13-ciphers proxy-tlsauthtype
        proxy-tlspassword proxy-tlsuser proxy-user proxy1.0 pubkey quote random-file rate resolve
        retry retry-delay retry-max-time sasl-authzid service-name sigalgs socks4 socks4a socks5
        socks5-gssapi-service socks5-hostname speed-limit speed-time stderr telnet-option
        tftp-blksize tls-max tls13-ciphers tlsauthtype tlspassword tlsuser trace trace-ascii
        trace-config unix-socket vlan-priority write-out
        """
    )

    private static func words(_ text: String) -> Set<String> {
        Set(text.split(whereSeparator: \.isWhitespace).map(String.init))
    }
}
