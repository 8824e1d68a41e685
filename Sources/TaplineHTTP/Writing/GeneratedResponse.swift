// SPDX-License-Identifier: MIT

public import TaplineModel

extension Response {
    /// A response of our own: a status and a page of plain text.
    ///
    /// - Parameters:
    ///   - status: The status code; the reason is the registered one.
    ///   - text: The page; shown to people, so it says what is wrong and what to do.
    /// - Returns: The response, with its body.
    public static func page(_ status: Int, _ text: String) -> Response {
        let body = Array(text.utf8)
        return Response(
            status: status,
            reason: ByteString(reason(of: status)),
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Body(body)
        )
    }

    /// The registered reason phrase of a status code, or an empty one (RFC 9110 §15, RFC 6585).
    public static func reason(of status: Int) -> String {
        switch status {
        case 100: "Continue"
        case 101: "Switching Protocols"
        case 103: "Early Hints"
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 206: "Partial Content"
        case 301: "Moved Permanently"
        case 302: "Found"
        case 303: "See Other"
        case 304: "Not Modified"
        case 307: "Temporary Redirect"
        case 308: "Permanent Redirect"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 407: "Proxy Authentication Required"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 411: "Length Required"
        case 413: "Content Too Large"
        case 414: "URI Too Long"
        case 417: "Expectation Failed"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: ""
        }
    }
}
