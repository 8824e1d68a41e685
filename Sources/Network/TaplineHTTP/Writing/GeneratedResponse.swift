// SPDX-License-Identifier: MIT

package import TaplineModel

extension Response {
    /// Makes a response of our own: a status and a page of plain text.
    ///
    /// - Parameters:
    ///   - status: The status code; the reason is the registered one.
    ///   - text: The page for people: what is wrong and what to do.
    /// - Returns: The response, with its body.
    package static func page(_ status: Int, _ text: String) -> Response {
        let body = Array(text.utf8)
        return Response(
            status: status,
            reason: ByteString(reason(of: status)),
            fields: ["Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store"],
            body: Body(body)
        )
    }
}
