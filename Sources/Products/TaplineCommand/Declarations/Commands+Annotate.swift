// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

/// The commands that write what people think of exchanges.
extension Commands {
    static let note = CommandDeclaration(
        name: "note",
        summary: "Add notes to exchanges of a database.",
        operands: ChangeOperands.all + [
            Operand(name: "TEXT", summary: "The note.", isRequired: false, kind: .text)
        ],
        options: [
            OptionDeclaration(name: "by", value: "NAME", summary: "Who writes the note."),
            OptionDeclaration(name: "remove", summary: "Remove the notes, and keep the marks."),
        ],
        discussion: [
            "'note contains \"TEXT\"' finds them in filters, 'tapline show' shows them, and HAR, "
                + "NDJSON, Postman and Markdown carry them.",
            ChangeOperands.upgrade, ChangeOperands.codes,
        ],
        examples: [
            ("tapline note traffic.db last 'the token is expired'", "on the newest exchange"),
            ("tapline note traffic.db 'status == 503' 'see INC-7' --by Ann", "on several"),
        ],
        run: NoteCommand.run
    )

    static let mark = CommandDeclaration(
        name: "mark",
        summary: "Mark exchanges of a database with a star or a colour.",
        operands: ChangeOperands.all + [
            Operand(
                name: "MARK",
                summary: "'star', a colour, which replaces another one, or 'none' to remove marks.",
                kind: .oneOf(MarkCommand.words)
            )
        ],
        discussion: [
            "'mark == \"star\"' finds them in filters.", ChangeOperands.upgrade,
            ChangeOperands.codes,
        ],
        examples: [
            ("tapline mark traffic.db 01931234 star", "one exchange"),
            ("tapline mark traffic.db 'duration > 2s' red", "all slow ones"),
        ],
        run: MarkCommand.run
    )

    static let tag = CommandDeclaration(
        name: "tag",
        summary: "Set and remove tags of exchanges of a database.",
        operands: ChangeOperands.all + [
            Operand(
                name: "NAME=VALUE",
                summary: "The tag and its text; NAME= removes it.",
                repeats: true,
                kind: .text
            )
        ],
        discussion: [
            "These tags take the place of captured ones with the same name. 'tag[\"NAME\"]' finds "
                + "them in filters.",
            ChangeOperands.upgrade, ChangeOperands.codes,
        ],
        examples: [
            ("tapline tag traffic.db 'host == \"shop.test\"' team=checkout", "all of one host"),
            ("tapline tag traffic.db last team=", "remove it from the newest exchange"),
        ],
        run: TagCommand.run
    )
}

/// What commands that change exchanges have in common.
enum ChangeOperands {
    static let all = [
        Operand(name: "STORE", summary: "A database of the sink 'sqlite'.", kind: .file),
        Operand(
            name: "ID|FILTER",
            summary: "The exchange, by its id or the first digits of it, at least four, or 'last' "
                + "or 'first'; or a filter or '@NAME', for all that match.",
            kind: .filterOrID
        ),
    ]

    static let upgrade =
        "A database of an older version is upgraded; older versions of Tapline refuse it then."

    static let codes = "Exit codes: 0 done, 1 not done, 64 wrong command line."
}
