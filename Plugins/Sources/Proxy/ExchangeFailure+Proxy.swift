// SPDX-License-Identifier: MIT

internal import TaplineConnections

extension ExchangeFailure {
    /// The server sent nothing for too long.
    static let timeout = ExchangeFailure(
        code: "timeout",
        message: "the server sent nothing for too long",
        status: 504
    )

    /// The client took nothing of the response for too long.
    static let clientTimeout = ExchangeFailure(
        code: "timeout",
        message: "the client took nothing of the response for too long"
    )

    /// The client began a request but did not finish it in time.
    static let requestTimeout = ExchangeFailure(
        code: "timeout",
        message: "the rest of the request did not arrive in time",
        status: 408
    )

    /// The body of the request arrives more slowly than `min_rate`.
    static let slowRequest = ExchangeFailure(
        code: "timeout",
        message: "the body of the request passed more slowly than 'min_rate' allows",
        status: 408
    )

    /// The body of the response arrives, or is taken, more slowly than `min_rate`.
    static let slowResponse = ExchangeFailure(
        code: "timeout",
        message: "the body of the response passed more slowly than 'min_rate' allows",
        status: 504
    )

    /// The server sends too many interim responses.
    static let tooManyInterim = ExchangeFailure(
        code: "malformed_response",
        message: "the server sent more interim responses than 'max_interim' allows"
    )

    /// The server switched protocols while the request was still being sent.
    static let earlySwitch = ExchangeFailure(
        code: "malformed_response",
        message: "the server switched protocols before the request was complete"
    )

    /// The request names no server.
    static let noTarget = ExchangeFailure(
        code: "no_target",
        message: "this is a proxy, and the request names no server: a proxy needs "
            + "http://host/path or CONNECT host:port; set this address as your client's proxy, "
            + "for example with 'curl -x' or the variable http_proxy",
        status: 400
    )

    /// The client speaks TLS instead of sending a request.
    static let tlsToProxy = ExchangeFailure(
        code: "malformed_request",
        message: "the client speaks TLS to the proxy itself; set the proxy's URL to http://, not "
            + "https://, even for requests to https:// URLs",
        status: 400
    )

    /// The client asks a reverse proxy for a tunnel.
    static let noTunnels = ExchangeFailure(
        code: "method_not_allowed",
        message: "a reverse proxy opens no tunnels: all requests go to its upstream",
        status: 405
    )

    /// The client asks for a tunnel on a stream that is no WebSocket (RFC 9113 §8.5, RFC 8441).
    static let noTunnelStreams = ExchangeFailure(
        code: "stream_tunnel",
        message: "no tunnel is opened on a stream of HTTP/2 except for WebSockets; use HTTP/1.1 "
            + "for CONNECT",
        status: 501
    )

    /// The client asks for a WebSocket of a server that is known to use HTTP/2 and offers none.
    static let noWebSockets = ExchangeFailure(
        code: "stream_tunnel",
        message: "the server does not offer WebSockets over HTTP/2 (RFC 8441)",
        status: 501
    )

    /// The client uses HTTP/2 with a host that `http2` does not name.
    static let noHTTP2 = ExchangeFailure(
        code: "misdirected_request",
        message: "'http2' does not name this host; use HTTP/1.1",
        status: 421
    )

    /// The client asks for a tunnel within a tunnel that the proxy reads.
    static let nestedTunnel = ExchangeFailure(
        code: "method_not_allowed",
        message: "the proxy opens no tunnel within a tunnel that it reads; if the tunnel's server "
            + "is a proxy, add it to 'passthrough'",
        status: 405
    )

    /// The request's scheme is not an HTTP scheme.
    static let unservedScheme = unserved(
        "this proxy does not support the scheme of the request's URL: it supports http:// "
            + "and https://, and CONNECT for everything else"
    )

    /// The same failure for a reverse proxy, which opens no tunnels.
    static let unservedByReverse = unserved(
        "the scheme of the request's URL is not supported: a reverse proxy supports "
            + "only http:// and https://, which its upstream serves"
    )

    /// The same failure in a tunnel that the proxy reads.
    static let unservedInTunnel = unserved(
        "the scheme of the request's URL is not supported within a tunnel that the proxy reads; if "
            + "the tunnel's server is a proxy, add it to 'passthrough'"
    )

    /// The same failure for a URL that a stage has set.
    static let movedToUnserved = unserved(
        "a stage has sent the request to a URL whose scheme is neither http nor https"
    )

    private static func unserved(_ message: String) -> ExchangeFailure {
        ExchangeFailure(code: "unsupported_scheme", message: message, status: 501)
    }

    /// The client sent no credentials, or wrong ones.
    static let authRequired = ExchangeFailure(
        code: "auth_required",
        message: "the proxy requires a user and a password",
        status: 407
    )

    /// The request has already passed this proxy.
    static let loop = ExchangeFailure(
        code: "loop",
        message: "the request has already passed this proxy",
        status: 508
    )

    /// The client closed its connection before the exchange ended.
    static let clientGone = ExchangeFailure(
        code: "client_closed",
        message: "the client closed the connection"
    )

    /// The server ended a WebSocket without a close frame (RFC 6455 §7.1.5, code 1006).
    static let brokenOff = ExchangeFailure(
        code: "closed_early",
        message: "the server ended the connection without closing the WebSocket"
    )

    /// No byte passed through a tunnel for too long.
    static let idleTunnel = ExchangeFailure(
        code: "timeout",
        message: "no byte passed for 'tunnel_timeout'"
    )
}
