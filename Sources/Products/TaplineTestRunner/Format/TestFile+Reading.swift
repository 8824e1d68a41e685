// SPDX-License-Identifier: MIT

package import TaplineConfig
internal import TaplineModel
internal import TaplineSystem

extension TestFile {
    /// The default time of tests.
    static let moment = Timestamp(microseconds: 1_767_225_600_000_000)

    /// Reads a test file, or reports everything that is wrong with it in the diagnostics.
    package init?(_ bytes: [UInt8], name: String, into diagnostics: inout Diagnostics) {
        guard let root = ConfigReader().read(bytes, name: name, into: &diagnostics) else {
            return nil
        }
        self.init(root, name: name, into: &diagnostics)
        // A tree can exist despite errors, such as duplicate keys.
        if diagnostics.hasErrors { return nil }
    }

    private init?(_ root: ConfigNode, name: String, into diagnostics: inout Diagnostics) {
        var own = Diagnostics()
        let options = TestFileKeys.schema.decode(
            root,
            owner: "the test file",
            into: &own,
            environment: Environment()
        )
        defer { diagnostics.append(contentsOf: own) }
        guard let options else { return nil }
        var tests: [TestCase] = []
        var names: [String: SourceLocation] = [:]
        for declaration in options[TestFileKeys.tests] {
            guard let test = TestCase(declaration, in: options, into: &own) else { continue }
            if let other = names[test.name] {
                own.error(
                    at: test.location,
                    "two tests have the name '\(test.name)'; the other is in line \(other.line)"
                )
            }
            names[test.name] = test.location
            tests.append(test)
        }
        guard !own.hasErrors else { return nil }
        self.init(name: name, pipeline: options[TestFileKeys.pipeline], tests: tests)
    }
}

extension TestCase {
    fileprivate init?(
        _ declaration: TestDeclaration,
        in file: Options,
        into diagnostics: inout Diagnostics
    ) {
        let own = declaration.options
        let name = own[TestKeys.name]
        guard let location = name.location else { return nil }
        self.name = name.value
        self.location = location
        stages = own[SharedTestKeys.stages] ?? file[SharedTestKeys.stages]
        overrides = [file, own].flatMap { options in
            (options[SharedTestKeys.set]?.pairs ?? []).compactMap {
                OptionAssignment($0.key, $0.value, into: &diagnostics)
            }
        }
        var variables: [String: String] = [:]
        for entry in file[SharedTestKeys.env] + own[SharedTestKeys.env] {
            variables[entry.key] = entry.value
        }
        environment = Environment(variables, place: "'env' of the test or its file")
        clock = own[SharedTestKeys.clock] ?? file[SharedTestKeys.clock] ?? TestFile.moment
        seed = UInt64(own[SharedTestKeys.seed] ?? file[SharedTestKeys.seed] ?? 1)
        steps = declaration.steps
    }
}

extension OptionAssignment {
    /// Reads `lua.max_time` and its value.
    fileprivate init?(
        _ key: ConfigNode,
        _ value: ConfigNode,
        into diagnostics: inout Diagnostics
    ) {
        let names = (key.text ?? "").split(separator: ".", omittingEmptySubsequences: false)
        guard names.count >= 2, names.allSatisfy({ !$0.isEmpty }) else {
            diagnostics.error(
                at: key.location,
                "invalid option name; found \(key.found), expected ID.OPTION"
            )
            return nil
        }
        let nodes = names.map { ConfigNode(.scalar(String($0), isPlain: true), at: key.location) }
        self.init(id: nodes[0], path: Array(nodes.dropFirst()), value: value)
    }
}
