// SPDX-License-Identifier: MIT

internal import TaplinePatterns
internal import TaplinePlugin

/// One kind of secret: how it is called and what it looks like.
struct Detector: Sendable {
    /// The words that stand for several detectors.
    enum Group: String, CaseIterable, Sendable {
        case cloud, code, ai, services, messaging, payment, monitoring, credentials, personal
    }

    let name: String
    let summary: String
    let group: Group
    let isStandard: Bool
    let forms: [Form]

    init(
        _ name: String,
        _ group: Group,
        _ summary: String,
        isStandard: Bool = true,
        _ forms: [Form]
    ) {
        self.name = name
        self.group = group
        self.summary = summary
        self.isStandard = isStandard
        self.forms = forms
    }

    var description: DetectorDescription {
        DetectorDescription(
            name: name,
            group: group.rawValue,
            summary: summary,
            isStandard: isStandard
        )
    }

    /// Whether other detectors win over it where both find something in one place.
    var isWeak: Bool { group == .personal || forms.contains { $0.isNumber } }
}

/// One of the forms of a kind of secret.
enum Form: Sendable {
    /// A literal and runs of bytes around it.
    case token(Token)
    /// A value after a name.
    case assignment(Assignment)
    /// A form that has a function of its own.
    case shape(Shape)

    /// A token without a lead.
    static func token(_ head: String, _ tail: Segment..., entropy: Double = 0) -> Form {
        .token(Token(head, tail, entropy: entropy))
    }

    /// Tokens that are alike after different heads.
    static func tokens(_ heads: [String], _ tail: Segment..., entropy: Double = 0) -> [Form] {
        heads.map { .token(Token($0, tail, entropy: entropy)) }
    }

    /// A token of which only the part after the head is secret.
    static func behind(_ head: String, _ tail: Segment..., entropy: Double = 0) -> Form {
        .token(Token(head, tail, keepsHead: true, entropy: entropy))
    }

    /// A token whose literal stands inside.
    static func around(_ head: String, lead: Segment, _ tail: Segment...) -> Form {
        .token(Token(head, tail, lead: lead))
    }

    /// Values after names that hold one of some keywords.
    static func values(of keywords: [String], _ value: Segment..., entropy: Double = 3) -> [Form] {
        keywords.map { .assignment(Assignment($0, value, entropy: entropy)) }
    }

    /// The literals that a candidate begins with; nothing where landmarks lead to it.
    var literals: [LiteralSet.Literal] {
        switch self {
        case .token(let token): [token.head]
        case .assignment(let assignment): [assignment.keyword]
        case .shape(let shape): shape.literals
        }
    }

    /// Whether this is a number with check digits or less, which any token may hold.
    fileprivate var isNumber: Bool {
        if case .shape(let shape) = self { shape == .cardNumber || shape == .iban } else { false }
    }

    /// The form for people to read.
    var text: String {
        switch self {
        case .token(let token): "`\(token.text)`"
        case .assignment(let assignment): "`\(assignment.text)`"
        case .shape(let shape): shape.text
        }
    }
}
