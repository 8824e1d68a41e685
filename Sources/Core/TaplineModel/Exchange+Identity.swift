// SPDX-License-Identifier: MIT

// Comparisons of copies by the memory that they share, without looking at it. As long as a copy is
// kept, a change of the other one takes new memory, so two that share theirs are equal. The reverse
// is not true: two that do not may be equal all the same.

extension FieldSection {
    /// Whether both share their memory.
    package func isIdentical(to other: FieldSection) -> Bool {
        entries.span.isIdentical(to: other.entries.span)
            && bytes.span.isIdentical(to: other.bytes.span)
    }
}

extension Tags {
    /// Whether both share their memory.
    package func isIdentical(to other: Tags) -> Bool {
        list.span.isIdentical(to: other.list.span)
    }
}

extension Body {
    /// Whether both share their memory and have the same facts.
    package func isIdentical(to other: Body) -> Bool {
        bytes.span.isIdentical(to: other.bytes.span) && size == other.size
            && isTruncated == other.isTruncated && decodedSize == other.decodedSize
            && coding.isIdentical(to: other.coding)
            && contentType.isIdentical(to: other.contentType)
    }
}

extension Request {
    /// Whether both share their memory.
    package func isIdentical(to other: Request) -> Bool {
        fields.isIdentical(to: other.fields) && method.isIdentical(to: other.method)
            && target.isIdentical(to: other.target) && scheme.isIdentical(to: other.scheme)
            && authority.isIdentical(to: other.authority)
            && version.isIdentical(to: other.version) && body.isIdentical(to: other.body)
            && trailers.isIdentical(to: other.trailers)
    }
}

extension Response {
    /// Whether both share their memory.
    package func isIdentical(to other: Response) -> Bool {
        status == other.status && fields.isIdentical(to: other.fields)
            && reason.isIdentical(to: other.reason) && version.isIdentical(to: other.version)
            && body.isIdentical(to: other.body) && trailers.isIdentical(to: other.trailers)
            && interim.span.isIdentical(to: other.interim.span)
    }
}

extension Exchange {
    /// Whether the responses share their memory, or there are none.
    package func hasIdenticalResponse(to other: borrowing Exchange) -> Bool {
        guard let own = response else { return other.response == nil }
        guard let theirs = other.response else { return false }
        return own.isIdentical(to: theirs)
    }

    /// Shares the parts that few exchanges have.
    package mutating func takeExtra(of other: borrowing Exchange) { extraBox = other.extraBox }

    /// Whether the parts other than request, response and tags share their memory.
    package func hasIdenticalFacts(to other: borrowing Exchange) -> Bool {
        messages.span.isIdentical(to: other.messages.span) && extraBox === other.extraBox
            && har.isIdentical(to: other.har) && id == other.id && started == other.started
            && state == other.state && source == other.source && error == other.error
            && original == other.original && bytes == other.bytes && timing == other.timing
            && connection == other.connection
    }
}
