// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineModel
internal import TaplineStore

/// Prints the values that completions offer.
enum StoreValueOutput {
    /// How long recordings are read together, since a shell waits.
    private static let time = Duration.milliseconds(50)

    /// Prints values of stores, one a line; after a tab, what it stands for.
    ///
    /// Values with other characters than usual ones are left out: a name from traffic could end the
    /// quotes of a command line and be a command of the shell.
    static func print(
        _ kind: StoreValueKind,
        of names: [String],
        _ invocation: Invocation
    ) throws -> ExitCode {
        let end = ContinuousClock.now + time
        let prefix = invocation.value("prefix") ?? ""
        var printed: Set<String> = []
        // Standard input is not read, since nobody could answer in time.
        for name in names where name != "-" {
            let paths = try StoreFiles.resolve(name)
            // A name without files is the error of opening it.
            for path in paths.isEmpty ? [name] : paths {
                let left = ContinuousClock.now.duration(to: end)
                let store = try Store(path)
                for value in try store.values(kind, beginning: prefix, within: left)
                where isUsual(value.text) && printed.insert(value.text).inserted {
                    let note = value.note.showingControls([:])
                    invocation.console.print(note.isEmpty ? value.text : "\(value.text)\t\(note)")
                }
            }
        }
        return .success
    }

    private static func isUsual(_ text: String) -> Bool {
        text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default:
                "-._~/{}[]:@%+,=*".utf8.contains(byte)
            }
        }
    }
}
