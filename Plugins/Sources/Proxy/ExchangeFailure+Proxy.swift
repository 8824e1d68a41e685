// SPDX-License-Identifier: MIT

internal import TaplineConnections

extension ExchangeFailure {
    /// Nothing came from the server for too long.
    static let timeout = ExchangeFailure(
        code: "timeout",
        message: "the server sent nothing for too long",
        status: 504
    )

    /// The client began a request, and sent nothing more of it for too long.
    static let requestTimeout = ExchangeFailure(
        code: "timeout",
        message: "the rest of the request did not come in time",
        status: 408
    )

    /// The body of the request comes slower than `min_rate` says.
    static let slowRequest = ExchangeFailure(
        code: "timeout",
        message: "the body of the request passed more slowly than 'min_rate' allows",
        status: 408
    )

    /// The body of the response comes, or is taken, slower than `min_rate` says.
    static let slowResponse = ExchangeFailure(
        code: "timeout",
        message: "the body of the response passed more slowly than 'min_rate' allows",
        status: 504
    )

    /// The server sends interim responses without end.
    static let tooManyInterim = ExchangeFailure(
        code: "malformed_response",
        message: "the server sent more interim responses than 'max_interim' allows"
    )

    /// The server changed the protocol while the request was still on its way.
    static let earlySwitch = ExchangeFailure(
        code: "malformed_response",
        message: "the server switched protocols before the request was whole"
    )

    /// The request names no server.
    static let noTarget = ExchangeFailure(
        code: "no_target",
        message: "this is a proxy, and the request names no server for it: a proxy needs "
            + "http://host/path or CONNECT host:port; set the address as your client's proxy, as "
            + "with 'curl -x' or the variable http_proxy",
        status: 400
    )

    /// A stage has changed the URL to one that no server can be reached by.
    static let movedNowhere = ExchangeFailure(
        code: "no_target",
        message: "a stage has sent the request to a URL that names no server",
        status: 400
    )

    /// The client speaks TLS where a request was expected.
    static let tlsToProxy = ExchangeFailure(
        code: "malformed_request",
        message: "the client speaks TLS to the proxy itself; name the proxy as http://, not "
            + "https://, also for requests of https://",
        status: 400
    )

    /// A tunnel is asked for where none is opened.
    static let noTunnels = ExchangeFailure(
        code: "method_not_allowed",
        message: "a reverse proxy opens no tunnels: all requests go to its upstream",
        status: 405
    )

    /// A tunnel is asked for within a tunnel that is read.
    static let nestedTunnel = ExchangeFailure(
        code: "method_not_allowed",
        message: "no tunnel is opened within one that is read; if its server is a proxy, name that "
            + "in 'passthrough'",
        status: 405
    )

    /// The request is for a server that is not spoken to in HTTP.
    static let unservedScheme = unserved(
        "this proxy does not serve the scheme of the request's URL: it takes http:// and "
            + "https://, and CONNECT for everything else"
    )

    /// The same of a reverse proxy, which opens no tunnels.
    static let unservedByReverse = unserved(
        "the scheme of the request's URL is not served: a reverse proxy serves http:// and "
            + "https:// alone, by its upstream"
    )

    /// The same in a tunnel that is read.
    static let unservedInTunnel = unserved(
        "the scheme of the request's URL is not served within a tunnel that is read; if its server "
            + "is a proxy, name that in 'passthrough'"
    )

    /// The same of a URL that a stage has set.
    static let movedToUnserved = unserved(
        "a stage has sent the request to a URL whose scheme is neither http nor https"
    )

    private static func unserved(_ message: String) -> ExchangeFailure {
        ExchangeFailure(code: "unsupported_scheme", message: message, status: 501)
    }

    /// The client did not say who it is, or not rightly.
    static let authRequired = ExchangeFailure(
        code: "auth_required",
        message: "the proxy asks for a user and a password",
        status: 407
    )

    /// The request has been here before.
    static let loop = ExchangeFailure(
        code: "loop",
        message: "the request has passed this proxy before",
        status: 508
    )

    /// The client closed its connection before the exchange was over.
    static let clientGone = ExchangeFailure(
        code: "client_closed",
        message: "the client closed the connection"
    )

    /// A hook has closed the connection.
    static let aborted = ExchangeFailure(code: "aborted", message: "aborted by a stage")

    /// The server ended a WebSocket without a close frame (RFC 6455 §7.1.5, code 1006).
    static let brokenOff = ExchangeFailure(
        code: "closed_early",
        message: "the server ended the connection without closing the WebSocket"
    )

    /// Nothing passed through a tunnel for too long.
    static let idleTunnel = ExchangeFailure(
        code: "timeout",
        message: "no byte passed for as long as 'tunnel_timeout' says"
    )

    /// The pipeline has stopped, and what it waits for is over.
    static let stopped = ExchangeFailure(
        code: "stopped",
        message: "the pipeline stopped before the exchange was over; raise 'drain_timeout'"
    )
}
