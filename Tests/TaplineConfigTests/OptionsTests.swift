// SPDX-License-Identifier: MIT

import TaplineConfig
import Testing

/// Decoded options: their values and locations, and `--set`.
@Suite
struct OptionsTests {
    static let size = ConfigKey("size", .byteSize, default: 1024, summary: "Size.")
    static let keep = ConfigKey("keep", .integer(in: 1...99), default: 10, summary: "Files.")
    static let rotateSchema = OptionSchema(size, keep)
    static let rotate = ConfigKey(
        "rotate",
        .object(rotateSchema),
        default: Options(rotateSchema),
        summary: "Rotation."
    )
    static let path = ConfigKey("path", .path, summary: "File.")
    static let names = ConfigKey("names", .list(of: .text), default: ["a"], summary: "Names.")
    static let schema = OptionSchema(path, rotate, names)

    private func options(_ text: String) throws -> Options {
        try #require(decode(text, Self.schema, name: "conf/p.yaml").options)
    }

    @Test func setOptionsHaveLocations() throws {
        let options = try options("path: a\nrotate: { keep: 3 }\n")
        #expect(options.isSet(Self.path))
        #expect(!options.isSet(Self.names))
        #expect(options.location(of: Self.path)?.description == "conf/p.yaml:1:7")
        #expect(options.location(of: Self.names)?.description == "conf/p.yaml:1:1")
        #expect(options[Self.rotate].location(of: Self.keep)?.description == "conf/p.yaml:2:17")
    }

    @Test func optionsInCode() {
        var options = Options(Self.schema)
        options[Self.path] = "b"
        options[Self.names].append("c")
        #expect(options[Self.path] == "b")
        #expect(options[Self.names] == ["a", "c"])
        #expect(options[Self.rotate][Self.keep] == 10)
        #expect(options.location(of: Self.path) == nil)
    }

    @Test func overrides() throws {
        var options = try options("path: a\nrotate: { keep: 3, size: 2KiB }\n")
        var diagnostics = Diagnostics()
        #expect(options.override("path", "b", into: &diagnostics))
        #expect(options.override("rotate.keep", "4", into: &diagnostics))
        #expect(options.override("names", "[x, 'y z']", into: &diagnostics))
        #expect(options.override("rotate.size", "8KiB", into: &diagnostics))
        #expect(diagnostics.isEmpty)
        // Paths on the command line are relative to the current folder, not to the file's.
        #expect(options[Self.path] == "b")
        #expect(options[Self.rotate][Self.keep] == 4)
        #expect(options[Self.rotate][Self.size] == 8192)
        #expect(options[Self.names] == ["x", "y z"])
        #expect(options.location(of: Self.path)?.description == "--set")
    }

    @Test func overrideOfAnOptionThatIsNotInTheFile() throws {
        var options = try options("path: a\n")
        var diagnostics = Diagnostics()
        #expect(options.override("rotate.keep", "5", into: &diagnostics))
        #expect(options[Self.rotate][Self.keep] == 5)
        #expect(options[Self.rotate][Self.size] == 1024)
    }

    @Test func badOverrides() throws {
        var options = try options("path: a\n")
        var diagnostics = Diagnostics()
        #expect(!options.override("pth", "x", into: &diagnostics))
        #expect(!options.override("rotate.keep", "500", into: &diagnostics))
        #expect(!options.override("rotate.kep", "5", into: &diagnostics))
        #expect(!options.override("names", "[x", into: &diagnostics))
        #expect(options[Self.rotate][Self.keep] == 10)
        #expect(
            diagnostics.rendered == """
                --set: error: unknown option 'pth' in 'p'; expected path, rotate, names
                      | p.pth=x
                      |   ^~~
                help: did you mean 'path'?
                --set: error: the number is out of range; found 500, expected a whole number from 1 to 99
                      | p.rotate.keep=500
                      |               ^~~
                --set: error: unknown option 'kep' in 'rotate'; expected size, keep
                      | p.rotate.kep=5
                      |          ^~~
                help: did you mean 'keep'?
                --set: error: the list that begins here is not closed; expected ',' or ']'
                      | p.names=[x
                      |         ^

                """
        )
    }

    @Test(arguments: ["", "rotate.", ".keep", "rotate..keep", "."])
    func malformedNames(_ name: String) throws {
        var options = try options("path: a\n")
        var diagnostics = Diagnostics()
        #expect(!options.override(name, "x", into: &diagnostics))
        #expect(diagnostics.hasErrors)
    }

    @Test(arguments: [
        ("p.names", "'=' is missing; expected ID.option=value"),
        ("names=x", "the option is missing; expected ID.option=value"),
        (".x=1", "a name is missing; expected ID.option=value"),
        ("=", "a name is missing; expected ID.option=value"),
        ("", "'=' is missing; expected ID.option=value"),
    ])
    func badArguments(_ argument: String, _ message: String) {
        var diagnostics = Diagnostics()
        #expect(OptionAssignment(argument, into: &diagnostics) == nil)
        #expect(diagnostics.rendered.hasPrefix("--set: error: \(message)\n"))
    }

    @Test func treesCanBeSet() throws {
        let (root, _) = read("b: {c: 1}\nd: 2\n")
        var diagnostics = Diagnostics()
        func set(_ argument: String) throws -> String {
            let override = try #require(OptionAssignment(argument, into: &diagnostics))
            #expect(override.id.text == "\u{E4}")
            return flat(root?.setting(override.path[...], to: override.value))
        }
        #expect(try set("\u{E4}.b.c=[3]") == "{b: {c: [~3]}, d: ~2}")
        #expect(try set("\u{E4}.d.e=3") == "{b: {c: ~1}, d: {e: ~3}}")
        #expect(try set("\u{E4}.e=a=b") == "{b: {c: ~1}, d: ~2, e: ~a=b}")
        #expect(try set("\u{E4}.b=") == "{b: null, d: ~2}")
        #expect(diagnostics.isEmpty)
    }

    @Test func readingARequiredOptionThatIsNotSetTraps() async {
        await #expect(processExitsWith: .failure) {
            _ = Options(OptionsTests.schema)[OptionsTests.path]
        }
    }
}
