// SPDX-License-Identifier: MIT

internal import TaplineMultiPattern
internal import TaplinePlugin

/// A kind of secret: its name, its description and its forms.
struct Detector: Sendable {
    /// The names that select several detectors at once.
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

    /// Whether it yields to other detectors whose findings overlap with its own.
    var isWeak: Bool { group == .personal || forms.contains { $0.isNumber } }
}

/// A form of a kind of secret.
enum Form: Sendable {
    /// A literal with runs of bytes around it.
    case token(Token)
    /// A value after a name.
    case assignment(Assignment)
    /// A form with a check function of its own.
    case shape(Shape)

    /// Makes a token that begins with its literal.
    static func token(_ head: String, _ tail: Segment..., entropy: Double = 0) -> Form {
        .token(Token(head, tail, entropy: entropy))
    }

    /// Makes tokens that differ only in their head.
    static func tokens(_ heads: [String], _ tail: Segment..., entropy: Double = 0) -> [Form] {
        heads.map { .token(Token($0, tail, entropy: entropy)) }
    }

    /// Makes a token whose part after the head is the secret.
    static func after(_ head: String, _ tail: Segment..., entropy: Double = 0) -> Form {
        .token(Token(head, tail, keepsHead: true, entropy: entropy))
    }

    /// Makes a token whose literal is not at its start.
    static func around(_ head: String, lead: Segment, _ tail: Segment...) -> Form {
        .token(Token(head, tail, lead: lead))
    }

    /// Makes values after names that contain one of some keywords.
    static func values(of keywords: [String], _ value: Segment..., entropy: Double = 3) -> [Form] {
        keywords.map { .assignment(Assignment($0, value, entropy: entropy)) }
    }

    /// The literals that a candidate begins with; empty if anchors are used instead.
    var literals: [LiteralSet.Literal] {
        switch self {
        case .token(let token): [token.head]
        case .assignment(let assignment): [assignment.keyword]
        case .shape(let shape): shape.literals
        }
    }

    /// Whether this is a number with check digits, which any token may contain by chance.
    fileprivate var isNumber: Bool {
        if case .shape(let shape) = self { shape == .cardNumber || shape == .iban } else { false }
    }

    /// The form as shown in the documentation.
    var text: String {
        switch self {
        case .token(let token): "`\(token.text)`"
        case .assignment(let assignment): "`\(assignment.text)`"
        case .shape(let shape): shape.text
        }
    }
}
