// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    static let doctor = CommandDeclaration(
        name: "doctor",
        summary: "Look for what keeps a pipeline from running on this machine.",
        operands: [
            Operand(
                name: "FILE",
                summary: "The pipeline; '-' is standard input. Without it, only the machine.",
                isRequired: false,
                kind: .file
            )
        ],
        options: [
            CommonOptions.set,
            OptionDeclaration(name: "json", summary: "Print one JSON object."),
        ],
        discussion: [
            "Looks at descriptors, clock, memory, the folder for spilled records and the certificate "
                + "authority; with FILE also at folders of sinks, ports, key files and the file "
                + "itself. Each line begins with ok, warn or fail, and says what was found and what to do.",
            "Run it as the user of the service: 'sudo -u tapline tapline doctor "
                + "/etc/tapline/pipeline.yaml'. It writes nothing, and listens at each port for a "
                + "moment.",
            "Exit codes: 0 nothing fails, 1 something fails, 64 wrong command line, 78 wrong "
                + "configuration.",
        ],
        examples: [
            ("tapline doctor", "the machine"),
            ("tapline doctor pipeline.yaml", "and what a pipeline needs"),
        ],
        run: DoctorCommand.run
    )
}
