// SPDX-License-Identifier: MIT

/// A stored request: head, content and trailers (RFC 9110 §6, RFC 9112 §3).
@frozen
public struct Request: Sendable, Equatable {
    /// The method; its case is kept.
    public var method: ByteString
    /// The request target as sent: origin-form, absolute-form, authority-form or `*`.
    public var target: ByteString
    /// `http` or `https`; empty if unknown.
    public var scheme: ByteString
    /// Host and port as received (`shop.test:8443`); empty if unknown.
    public var authority: ByteString
    /// The version as received: `HTTP/1.1`, `HTTP/2`; empty if unknown.
    public var version: ByteString
    /// The header fields.
    public var fields: FieldSection
    /// The content.
    public var body: Body
    /// The trailer fields.
    public var trailers: FieldSection

    /// Creates a request.
    @inlinable
    public init(
        method: ByteString = "GET",
        target: ByteString = "/",
        scheme: ByteString = "http",
        authority: ByteString = ByteString(),
        version: ByteString = "HTTP/1.1",
        fields: FieldSection = FieldSection(),
        body: Body = Body(),
        trailers: FieldSection = FieldSection()
    ) {
        self.method = method
        self.target = target
        self.scheme = scheme
        self.authority = authority
        self.version = version
        self.fields = fields
        self.body = body
        self.trailers = trailers
    }
}

/// A stored response: head, content and trailers (RFC 9110 §6, RFC 9112 §4).
@frozen
public struct Response: Sendable, Equatable {
    /// The status code; 0 if unknown.
    public var status: Int
    /// The reason phrase as received.
    public var reason: ByteString
    /// The version as received; empty if unknown.
    public var version: ByteString
    /// The header fields.
    public var fields: FieldSection
    /// The content.
    public var body: Body
    /// The trailer fields.
    public var trailers: FieldSection
    /// The preceding interim responses (1xx), in order.
    public var interim: [InterimResponse]

    /// Creates a response.
    @inlinable
    public init(
        status: Int = 200,
        reason: ByteString = ByteString(),
        version: ByteString = "HTTP/1.1",
        fields: FieldSection = FieldSection(),
        body: Body = Body(),
        trailers: FieldSection = FieldSection(),
        interim: [InterimResponse] = []
    ) {
        self.status = status
        self.reason = reason
        self.version = version
        self.fields = fields
        self.body = body
        self.trailers = trailers
        self.interim = interim
    }
}

/// An interim response (RFC 9110 §15.2).
@frozen
public struct InterimResponse: Sendable, Equatable {
    /// The status code, 100 to 199.
    public var status: Int
    /// The reason phrase as received.
    public var reason: ByteString
    /// The header fields.
    public var fields: FieldSection

    /// Creates an interim response.
    @inlinable
    public init(
        status: Int,
        reason: ByteString = ByteString(),
        fields: FieldSection = FieldSection()
    ) {
        self.status = status
        self.reason = reason
        self.fields = fields
    }
}
