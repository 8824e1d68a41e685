// SPDX-License-Identifier: MIT

extension HTTPError {
    /// The kind of an error.
    package struct Code: Sendable, Hashable {
        /// The code as a word for programs, such as `bare_line_feed`.
        package let name: String
        /// The response status if the request is wrong.
        package let status: Int
        /// The error message; contains no traffic.
        package let message: String

        fileprivate init(_ name: String, _ status: Int, _ message: String) {
            self.name = name
            self.status = status
            self.message = message
        }

        /// Returns whether both are the same kind.
        package static func == (left: Code, right: Code) -> Bool { left.name == right.name }

        /// Hashes the name.
        package func hash(into hasher: inout Hasher) { hasher.combine(name) }
    }
}

extension HTTPError.Code {
    /// The request line is not method, target and version (RFC 9112 §3).
    package static var malformedRequestLine: Self {
        Self(
            "malformed_request_line",
            400,
            "the request line is not method, target and version, separated by single spaces"
        )
    }

    /// A method is a token (RFC 9110 §9.1).
    package static var invalidMethod: Self {
        Self("invalid_method", 400, "the method contains an invalid byte")
    }

    /// Controls, spaces and fragments are not allowed in a target (RFC 9112 §3.2).
    package static var invalidTarget: Self {
        Self("invalid_target", 400, "the request target contains an invalid byte")
    }

    /// Origin-form, absolute-form, `host:port` for CONNECT, `*` for OPTIONS (RFC 9112 §3.2).
    package static var invalidTargetForm: Self {
        Self("invalid_target_form", 400, "the request target has the wrong form for the method")
    }

    /// The authority is not `host` or `host:port` (RFC 3986 §3.2; user-info: RFC 9110 §4.2.4).
    package static var invalidAuthority: Self {
        Self("invalid_authority", 400, "the authority is not host or host:port")
    }

    /// The version is not `HTTP/` digit `.` digit (RFC 9112 §2.3).
    package static var malformedVersion: Self {
        Self("malformed_version", 400, "the version is not HTTP/digit.digit")
    }

    /// A version other than 1.0 and 1.1 (RFC 9110 §15.6.6).
    package static var unsupportedVersion: Self {
        Self("unsupported_version", 505, "the version is neither HTTP/1.0 nor HTTP/1.1")
    }

    /// The status line is not version, three digits and reason (RFC 9112 §4).
    package static var malformedStatusLine: Self {
        Self("malformed_status_line", 502, "the status line is not version, status and reason")
    }

    /// The start line is longer than `line` (RFC 9112 §3).
    package static var lineTooLong: Self {
        Self("line_too_long", 414, "the start line is longer than the limit")
    }

    /// The head is larger than `head` (RFC 6585 §5).
    package static var headTooLarge: Self {
        Self("head_too_large", 431, "the head is larger than the limit")
    }

    /// More fields than `fields` (RFC 6585 §5).
    package static var tooManyFields: Self {
        Self("too_many_fields", 431, "there are more fields than the limit")
    }

    /// A line end without a carriage return (RFC 9112 §2.2).
    package static var bareLineFeed: Self {
        Self(
            "bare_line_feed",
            400,
            "a line ends with a bare line feed, expected a carriage return before it"
        )
    }

    /// A carriage return that does not end a line (RFC 9112 §2.2).
    package static var bareCarriageReturn: Self {
        Self("bare_carriage_return", 400, "a carriage return is not followed by a line feed")
    }

    /// A field line that begins with white space: obs-fold (RFC 9112 §5.2), or white space before
    /// the first field (§2.2).
    package static var foldedLine: Self {
        Self("folded_line", 400, "a field line begins with a space or tab")
    }

    /// White space before the colon (RFC 9112 §5.1).
    package static var spaceBeforeColon: Self {
        Self("space_before_colon", 400, "there is white space between a field name and the colon")
    }

    /// A field line that begins with the colon (RFC 9110 §5.1).
    package static var emptyFieldName: Self {
        Self("empty_field_name", 400, "a field has no name")
    }

    /// A field name is a token (RFC 9110 §5.1).
    package static var invalidFieldName: Self {
        Self("invalid_field_name", 400, "a field name contains an invalid byte")
    }

    /// A value contains no NUL and no other control except tab (RFC 9110 §5.5).
    package static var invalidFieldValue: Self {
        Self("invalid_field_value", 400, "a field value contains a control character")
    }

    /// HTTP/1.1 without a Host field (RFC 9112 §3.2).
    package static var missingHost: Self {
        Self("missing_host", 400, "there is no Host field")
    }

    /// More than one Host field (RFC 9112 §3.2).
    package static var duplicateHost: Self {
        Self("duplicate_host", 400, "there is more than one Host field")
    }

    /// A Host field that is not `host` or `host:port` (RFC 9112 §3.2).
    package static var invalidHost: Self {
        Self("invalid_host", 400, "the Host field is not host or host:port")
    }

    /// Content-Length with anything except digits, or too large (RFC 9112 §6.3, item 5; RFC 9110
    /// §8.6).
    package static var invalidContentLength: Self {
        Self("invalid_content_length", 400, "the Content-Length is not a valid number")
    }

    /// More than one Content-Length, as lines or as a list, equal or not (RFC 9112 §6.3, item 5).
    package static var duplicateContentLength: Self {
        Self("duplicate_content_length", 400, "there is more than one Content-Length")
    }

    /// Both Content-Length and Transfer-Encoding (RFC 9112 §6.3, item 3).
    package static var lengthAndCoding: Self {
        Self("length_and_coding", 400, "there are both Content-Length and Transfer-Encoding")
    }

    /// Transfer-Encoding in HTTP/1.0 (RFC 9112 §6.1).
    package static var codingInOldVersion: Self {
        Self("coding_in_old_version", 400, "there is a Transfer-Encoding in an HTTP/1.0 message")
    }

    /// Transfer codings that do not end in `chunked` (RFC 9112 §6.3, item 4).
    package static var codingNotChunkedLast: Self {
        Self("coding_not_chunked_last", 400, "the last transfer coding is not chunked")
    }

    /// `chunked` more than once (RFC 9112 §6.1).
    package static var chunkedTwice: Self {
        Self("chunked_twice", 400, "the transfer coding chunked is listed more than once")
    }

    /// An empty or malformed list of codings, or `chunked` with parameters (RFC 9112 §7).
    package static var malformedCoding: Self {
        Self("malformed_coding", 400, "the Transfer-Encoding is not a list of codings")
    }

    /// A transfer coding other than `chunked` (RFC 9112 §6.1).
    package static var unsupportedCoding: Self {
        Self("unsupported_coding", 501, "there is a transfer coding other than chunked")
    }

    /// 101 in response to a request without an upgrade (RFC 9110 §15.2.2).
    package static var unexpectedUpgrade: Self {
        Self("unexpected_upgrade", 502, "the server switched protocols without a request for it")
    }

    /// A chunk size that is not hexadecimal digits (RFC 9112 §7.1).
    package static var invalidChunkSize: Self {
        Self("invalid_chunk_size", 400, "the chunk size is not hexadecimal digits")
    }

    /// A chunk size beyond 2^63 - 1 (RFC 9112 §7.1).
    package static var chunkSizeOverflow: Self {
        Self("chunk_size_overflow", 400, "the chunk size is too large")
    }

    /// A malformed chunk extension (RFC 9112 §7.1.1).
    package static var invalidChunkExtension: Self {
        Self("invalid_chunk_extension", 400, "a chunk extension contains an invalid byte")
    }

    /// A chunk line longer than `chunkLine` (RFC 9112 §7.1.1).
    package static var chunkLineTooLong: Self {
        Self("chunk_line_too_long", 400, "the line before a chunk is longer than the limit")
    }

    /// More extensions than `chunkExtensions` (RFC 9112 §7.1.1).
    package static var chunkExtensionsTooLarge: Self {
        Self(
            "chunk_extensions_too_large",
            400,
            "the chunk extensions of the body are larger than the limit"
        )
    }

    /// Chunk data without CRLF after it (RFC 9112 §7.1).
    package static var missingChunkEnd: Self {
        Self("missing_chunk_end", 400, "a chunk does not end with a line end")
    }

    /// Trailers larger than `trailers` (RFC 6585 §5).
    package static var trailersTooLarge: Self {
        Self("trailers_too_large", 431, "the trailers are larger than the limit")
    }

    /// The connection ended before the body did (RFC 9112 §8).
    package static var truncatedBody: Self {
        Self("truncated_body", 400, "the connection ended inside the body")
    }

    /// CONNECT with a body, which some readers treat as a body and others as tunnel data (RFC 9110
    /// §9.3.6).
    package static var bodyOfConnect: Self {
        Self("body_of_connect", 400, "a CONNECT request has a body")
    }

    /// A message to be written whose parts contradict each other, such as a body that is not
    /// allowed (RFC 9112 §6.3).
    package static var conflictingFraming: Self {
        Self("conflicting_framing", 400, "the message to be written is ambiguous")
    }

    /// A pseudo-field that is missing, unknown, repeated or invalid, or follows other fields (RFC
    /// 9113 §8.3).
    package static var invalidPseudoField: Self {
        Self("invalid_pseudo_field", 400, "a pseudo-field is missing, repeated, unknown or invalid")
    }

    /// A field of an HTTP/1 connection in HTTP/2 (RFC 9113 §8.2.2).
    package static var connectionField: Self {
        Self("connection_field", 400, "there is a field that belongs to an HTTP/1 connection")
    }

    /// White space at an end of a value in HTTP/2 (RFC 9113 §8.2.1).
    package static var blankAroundValue: Self {
        Self("blank_around_value", 400, "a field value begins or ends with a space or tab")
    }

    /// Host and `:authority` name different servers (RFC 9113 §8.3.1).
    package static var conflictingHost: Self {
        Self("conflicting_host", 400, "the Host field differs from the authority")
    }

    /// Content-Length is not the sum of the DATA frames (RFC 9113 §8.1.1).
    package static var lengthMismatch: Self {
        Self("length_mismatch", 400, "the content has another length than the Content-Length")
    }

    /// A message that violates other rules of HTTP/2 (RFC 9113 §8.1.1).
    package static var malformedMessage: Self {
        Self("malformed_message", 400, "the frames are no valid message")
    }
}
