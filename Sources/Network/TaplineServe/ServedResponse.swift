// SPDX-License-Identifier: MIT

package import TaplineModel

/// A response of the server.
package struct ServedResponse: Sendable {
    /// The status code.
    package var status: Int
    /// The fields; those of the connection and of the framing are added.
    package var fields: FieldSection
    /// The whole body; empty for a response that is streamed.
    package var body: [UInt8]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - status: The status code; the reason is the registered one.
    ///   - type: The value of Content-Type; `nil` if there is no content.
    ///   - body: The body.
    package init(_ status: Int, type: String? = nil, _ body: [UInt8] = []) {
        self.status = status
        self.body = body
        fields = FieldSection()
        if let type { fields.append(name: "Content-Type", value: type) }
    }

    /// Creates a page of plain text.
    package init(_ status: Int, text: String) {
        self.init(status, type: "text/plain; charset=utf-8", Array(text.utf8))
        fields.append(name: "Cache-Control", value: "no-store")
    }
}
