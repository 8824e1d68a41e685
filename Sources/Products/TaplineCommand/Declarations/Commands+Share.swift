// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let share = CommandDeclaration(
        name: "share",
        summary: "Write exchanges as one web page, which opens anywhere without Tapline.",
        operands: StoreOperands.all,
        options: [
            OptionDeclaration(
                name: "out",
                value: "FILE",
                summary: "The new file, such as traffic.html."
            ),
            OptionDeclaration(name: "force", summary: "Replace FILE if it exists."),
            OptionDeclaration(
                name: "preset",
                value: "PRESET",
                choices: ShareArguments.presets,
                summary: "Redact with this preset of the stage 'redact'; the default is strict."
            ),
            OptionDeclaration(
                name: "detectors",
                value: "NAMES",
                summary: "The detectors that must find nothing: standard (the default), off, or "
                    + "names separated by commas."
            ),
            OptionDeclaration(
                name: "value-file",
                value: "FILE",
                repeats: true,
                summary: "Values that must not be left, one per line."
            ),
            OptionDeclaration(
                name: "value-env",
                value: "NAME",
                repeats: true,
                summary: "A variable whose value must not be left."
            ),
            OptionDeclaration(
                name: "allow-file",
                value: "FILE",
                repeats: true,
                summary: "Known values that are not secrets, one per line."
            ),
            OptionDeclaration(
                name: "max-bytes",
                value: "SIZE",
                summary: "The largest size of the file; the default is 50MiB."
            ),
            OptionDeclaration(
                name: "passphrase",
                summary: "Encrypt the file with a passphrase that is typed in the terminal."
            ),
            OptionDeclaration(
                name: "passphrase-file",
                value: "FILE",
                summary: "Encrypt the file with the passphrase in the first line of FILE; '-' is "
                    + "standard input."
            ),
            OptionDeclaration(
                name: "strict",
                summary: "Write nothing if not all exchanges are in the file."
            ),
        ],
        discussion: [
            "The file shows the list, filters and every detail in a browser, without a network. "
                + "Exchanges are redacted first. If the detectors or the values find something in "
                + "what would be written, or if a part of it cannot be searched, nothing is "
                + "written.",
            "The newest exchanges that fit are written, with a warning if these are not all.",
            "Exit codes: 0 written, 1 secrets found, or not everything could be read, or --strict; "
                + "64 wrong command line.",
        ],
        examples: [
            ("tapline share traffic.db --out traffic.html", "for a colleague"),
            (
                "tapline share traffic.db 'status >= 500' --out failures.html --passphrase",
                "encrypted"
            ),
        ],
        run: ShareCommand.run
    )
}
