// SPDX-License-Identifier: MIT

internal import Dispatch
internal import TaplineSystem

/// Opens an address, which all users of the machine may see, in the browser of the user.
enum Browser {
    static func open(_ url: String, _ invocation: Invocation) {
        let environment = invocation.environment
        #if os(macOS)
        let names = ["open"]
        #else
        let names = [environment["BROWSER"], "xdg-open", "sensible-browser"].compactMap { $0 }
        #endif
        let programs = names.compactMap { ChildProcess.find($0, in: environment["PATH"]) }
        guard let program = programs.first else {
            return invocation.console.note("warning: no program to open the page was found")
        }
        let variables = environment.variables
        // A browser may run as long as its window is open.
        DispatchQueue.global().async {
            do throws(FileError) {
                let child = try ChildProcess(
                    [program, url],
                    environment: variables,
                    input: .nothing
                )
                _ = try child.wait()
            } catch {
                invocation.console.note("warning: cannot open the page; \(error)")
            }
        }
    }
}
