// SPDX-License-Identifier: MIT

internal import Glibc
internal import TaplineSystem

/// The work folder of a run: generated records, pipelines, output.
struct WorkFiles {
    let folder: String

    init(_ folder: String) {
        self.folder = folder
        unsafe mkdir(folder, 0o700)
    }

    func path(_ name: String) -> String { "\(folder)/\(name)" }

    /// Writes a text to a file and returns its path.
    func write(_ name: String, _ text: String) -> String {
        write(name) { $0(Array(text.utf8)) }
    }

    /// Removes files from an earlier run.
    func remove(_ names: String...) {
        for name in names { unsafe unlink(path(name)) }
    }

    /// Generates the records with these numbers if they do not exist yet, and returns their path.
    func records(_ numbers: Range<Int>, _ kind: RecordKind = .plain) -> String {
        let name = "\(kind.rawValue)-\(numbers.lowerBound)-\(numbers.count).ndjson"
        if unsafe access(path(name), R_OK) == 0 { return path(name) }
        return write(name) { output in
            var generator = RecordGenerator(kind)
            var lines: [UInt8] = []
            for number in 0..<numbers.upperBound {
                generator.append(number, to: &lines)
                if number < numbers.lowerBound { lines.removeAll(keepingCapacity: true) }
                if lines.count > 1 << 20 {
                    output(lines)
                    lines.removeAll(keepingCapacity: true)
                }
            }
            output(lines)
        }
    }

    private func write(_ name: String, _ body: (([UInt8]) -> Void) -> Void) -> String {
        let part = path(name + ".part")
        guard let file = unsafe fopen(part, "w") else { fail("'\(part)' cannot be written") }
        body { bytes in
            guard unsafe fwrite(bytes, 1, bytes.count, file) == bytes.count else {
                fail("'\(part)' cannot be written")
            }
        }
        guard unsafe fclose(file) == 0, unsafe rename(part, path(name)) == 0 else {
            fail("'\(part)' cannot be written")
        }
        return path(name)
    }
}
