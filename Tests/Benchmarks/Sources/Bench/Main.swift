// SPDX-License-Identifier: MIT

/// Prints tables of the costs of pipeline parts and of whole pipelines.
///
///     bench COMMAND FOLDER [RECORDS [PART]]
///
/// With PART, only the parts and pipelines whose names contain it are measured, with `=PART` only
/// that part; the texts that detectors scan are the part `detectors`.
@main
struct Main {
    static func main() {
        let words = CommandLine.arguments
        guard words.count >= 3 else { fail("expected COMMAND FOLDER [RECORDS [PART]]") }
        let count = words.count > 3 ? Int(words[3]) ?? 0 : 200_000
        guard count > 0, count <= 2_000_000 else { fail("expected 1 to 2000000 records") }
        print("| part | µs per call | allocations per call |\n|---|---:|---:|")
        let only = words.count > 4 ? words[4] : ""
        Parts(count: count, only: only, files: WorkFiles(words[2])).run { part in
            guard let part else { return }
            let calls = Double(part.calls)
            let allocations = Double(part.allocations) / calls
            let name = part.name.replacing("|", with: "\\|")
            print(
                "| \(name) | \(text(part.usage.processor / calls, 2)) | \(text(allocations)) |"
            )
        }
        if only.isEmpty || only == "detectors" { printDetectors(count) }
        if only.hasPrefix("=") { return }
        printPipelines(
            Pipelines(files: WorkFiles(words[2]), command: words[1], count: count, only: only)
        )
    }

    private static func printPipelines(_ pipelines: Pipelines) {
        var isFirst = true
        pipelines.run { run, usage in
            if isFirst {
                print(
                    "\n| pipeline of \(pipelines.count) records | goal | µs each "
                        + "| exchanges/s | cores | MiB |\n|---|---:|---:|---:|---:|---:|"
                )
            }
            isFirst = false
            let each = usage.processor / Double(run.records)
            let rate = Double(run.records) / usage.wall
            let cores = usage.processor / 1e6 / usage.wall
            print(
                "| \(run.name) | \(run.goal) | \(text(each, 2)) | \(text(rate, 0)) "
                    + "| \(text(cores, 2)) | \(text(usage.peak, 0)) |"
            )
        }
    }

    private static func printDetectors(_ count: Int) {
        print("\n| all standard detectors on | bytes | ns | MB/s | findings |")
        print("|---|---:|---:|---:|---:|")
        DetectorTexts().run(seconds: min(0.5, Double(count) / 200_000)) { row in
            print(
                "| \(row.name) | \(row.bytes) | \(text(row.time, 0)) "
                    + "| \(text(Double(row.bytes) / row.time * 1_000, 0)) | \(row.findings) |"
            )
        }
    }
}
