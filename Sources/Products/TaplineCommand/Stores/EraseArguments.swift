// SPDX-License-Identifier: MIT

internal import TaplineCommandLine
internal import TaplineLeaks
internal import TaplineQuery

/// What to erase, read from the command line.
struct EraseArguments {
    /// The files of the stores.
    let paths: [String]
    /// The exchanges to remove; `nil` to remove values.
    let filter: Filter?
    /// The values to remove.
    let values: [LeakValue]
    /// Whether something is changed.
    let isConfirmed: Bool

    init(_ invocation: Invocation) throws {
        let stores = try StoreArguments(invocation)
        filter = stores.filter
        values = try LeaksArguments.values(of: invocation)
        isConfirmed = invocation.has("yes")
        guard filter == nil || values.isEmpty else {
            throw UsageError(
                message: "a filter and values are given; expected one of them, since a filter "
                    + "removes whole exchanges and values are removed everywhere"
            )
        }
        guard filter != nil || !values.isEmpty else {
            throw UsageError(
                message: "there is nothing to erase",
                help: "give a filter, '--value-file FILE' or '--value-env NAME'"
            )
        }
        paths = try StoreCommand.files(stores.names)
    }
}
