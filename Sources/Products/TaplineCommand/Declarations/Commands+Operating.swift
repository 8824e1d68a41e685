// SPDX-License-Identifier: MIT

internal import TaplineCommandLine

extension Commands {
    private static let exits =
        "Exit codes: 0 done, 1 no pipeline answers there, or it refused, 64 wrong command line"

    static let top = CommandDeclaration(
        name: "top",
        summary: "Show a running pipeline in the terminal, once a second.",
        options: ControlArguments.options + [
            OptionDeclaration(name: "once", summary: "Print it once, as in a pipe.")
        ],
        discussion: [
            "Rates, p50 and p99 are those of the last second: of exchanges for sources, of writes for "
                + "sinks. The key q or control-C ends it. The pipeline needs 'runtime: { control: "
                + "127.0.0.1:9901 }'.",
            exits + ".",
        ],
        examples: [("tapline top --control 127.0.0.1:9901", "watch a pipeline")],
        run: TopCommand.run
    )

    static let status = CommandDeclaration(
        name: "status",
        summary: "Print the state of a running pipeline.",
        options: ControlArguments.options + [
            OptionDeclaration(name: "why-blocked", summary: "Print who waits for whom, and why."),
            OptionDeclaration(
                name: "ready",
                summary: "Print whether it is ready, and why not; the exit code is 1 if it is not."
            ),
            OptionDeclaration(
                name: "format",
                value: "FORMAT",
                choices: ["text", "json"],
                summary: "The format of the state."
            ),
        ],
        discussion: [
            "Rates are those since the start; 'tapline top' shows those of the last second.",
            exits + ".",
        ],
        examples: [
            ("tapline status --config pipeline.yaml", "all components"),
            ("tapline status --config pipeline.yaml --why-blocked", "what waits for what"),
        ],
        run: OperatingCommands.status
    )

    static let reload = CommandDeclaration(
        name: "reload",
        summary: "Have a running pipeline read its file again, and print the result.",
        options: ControlArguments.options + [ControlArguments.tokenFile],
        discussion: [
            "Everything new is built and opened first. If that fails, nothing changes, and the "
                + "reasons are printed.",
            exits + ", 78 wrong configuration.",
        ],
        examples: [("tapline reload --config pipeline.yaml", "use the changed file")],
        run: OperatingCommands.reload
    )

    static let drain = CommandDeclaration(
        name: "drain",
        summary: "Stop the sources of a running pipeline; it ends when its sinks have written all.",
        options: ControlArguments.options + [ControlArguments.tokenFile],
        discussion: ["As SIGTERM does, within 'drain_timeout'.", exits + "."],
        examples: [("tapline drain --control 127.0.0.1:9901", "end it without a loss")],
        run: OperatingCommands.drain
    )
}
