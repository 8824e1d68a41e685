// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import Foundation
import PackageDescription

/// Flags for the build that all programs, tests and checks of `.ci/run` share, which sets `TAPLINE_BUILD`: tests can
/// import optimized modules, each module is read once and by one job, and there is no index of system modules.
func shared(_ flags: String..., in configuration: BuildConfiguration) -> [SwiftSetting] {
    Context.environment["TAPLINE_BUILD"] == "shared" ? [.unsafeFlags(flags, .when(configuration: configuration))] : []
}

/// The settings of all Swift targets of Tapline.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]
    + shared("-enable-testing", "-no-emit-module-separately-wmo", "-index-ignore-system-modules", in: .release)
    + shared("-driver-batch-count", "1", in: .debug)

/// The settings of tests: to optimize them would take more time than it saves.
let testSettings = strict + shared("-Onone", in: .release)

/// The files in a module's folder that are not compiled: its documents, the schema, the web page.
func referencePages(in folder: String) -> [String] {
    let path = "\(Context.packageDirectory)/\(folder)"
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [])
        .filter { $0.hasSuffix(".md") || $0.hasSuffix(".schema.json") || $0 == "Page" }.sorted()
}

/// The recordings, programs and tests of pages in a test's folder, which are not compiled.
func fixtures(in folder: String) -> [String] {
    ["Fixtures", "Page", "check"].filter {
        FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(folder)/\($0)")
    }
}

/// A C library from Debian, found through pkg-config.
func library(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/C/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// Hyperscan supports only amd64; Vectorscan is the same library for the other architectures.
#if arch(x86_64)
let hyperscanPackage = "libhyperscan-dev"
#else
let hyperscanPackage = "libvectorscan-dev"
#endif

/// The groups of modules under `Sources/`: a module imports modules of its own group and of those
/// above it here. Plugins are between the pipeline and the products.
enum Group: String {
    case core = "Core"
    case network = "Network"
    case pipeline = "Pipeline"
    case products = "Products"
}

/// A module under `Sources/`, with the system libraries to link.
func module(
    _ group: Group, _ name: String, _ dependencies: [String] = [], linking systemLibraries: [String] = []
) -> Target {
    .target(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        path: "Sources/\(group.rawValue)/\(name)",
        exclude: referencePages(in: "Sources/\(group.rawValue)/\(name)"),
        swiftSettings: strict,
        linkerSettings: systemLibraries.map { .linkedLibrary($0) })
}

/// The three kinds of plugin; each has its folder under `Plugins/`.
enum PluginKind: String {
    case source = "Source"
    case stage = "Stage"
    case sink = "Sink"
}

/// A built-in plugin: `Plugins/Sources/Replay` contains the target `ReplaySource`.
func plugin(_ kind: PluginKind, _ name: String, _ dependencies: [String] = []) -> Target {
    .target(
        name: name + kind.rawValue,
        dependencies: (["TaplineModel", "TaplineConfig", "TaplinePlugin"] + dependencies)
            .map { .init(stringLiteral: $0) },
        path: "Plugins/\(kind.rawValue)s/\(name)",
        exclude: referencePages(in: "Plugins/\(kind.rawValue)s/\(name)"),
        swiftSettings: strict)
}

/// The tests of one module, in `Tests/<module>Tests`; all may use `TestSupport`.
func tests(_ name: String, _ dependencies: [String] = []) -> Target {
    .testTarget(
        name: "\(name)Tests",
        dependencies: ([name, "TestSupport"] + dependencies).map { .init(stringLiteral: $0) },
        path: "Tests/\(name)Tests",
        exclude: fixtures(in: "Tests/\(name)Tests"),
        swiftSettings: testSettings)
}

/// The benchmarks and fuzzers, which use `package` declarations and share the build of the package.
///
/// They are part of the package only if `TAPLINE_TOOLS` is set; `Tests/Benchmarks/run` and
/// `Tests/Fuzz/run` set it.
let tools: [Target] =
    Context.environment["TAPLINE_TOOLS"] == nil
    ? []
    : [
        // Replaces malloc to count allocations; only in `bench`.
        .target(name: "CAllocations", path: "Tests/Benchmarks/Sources/CAllocations"),
        benchmark("bench", "Bench",
            ["CAllocations", "Tapline", "TaplineConfig", "TaplineDetectors", "TaplineSystem", "TaplineHTTP", "TaplineHTTP2",
            "TaplineModel", "TaplineNet", "TaplinePlugin", "TaplineQuery", "TaplineRuntime", "TaplineTLS"]),
        // The command with the proxy and a sink that discards records.
        benchmark("bench-command", "BenchCommand", ["TaplineCommand", "TaplinePlugin", "TaplineProxy"]),
        // An echo server.
        benchmark("bench-echo", "BenchEcho", ["TaplineNet"]),
        // An app that Tapline captures.
        benchmark("bench-tap", "BenchTap", ["Tapline"]),
        .target(name: "CFuzzReplay", path: "Tests/Fuzz/Sources/CFuzzReplay"),
        // All fuzz targets, with the `main` of libFuzzer (`--sanitize fuzzer`) or of `CFuzzReplay`.
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "CFuzzReplay", "Tapline", "TaplineDetectors", "TaplineHTTP", "TaplineHTTP2", "TaplineImport", "TaplinePlugin",
                "TaplineProtobuf", "TaplineReach", "TaplineSQL", "TaplineSegments", "TaplineStore",
                "TaplineSystem", "TaplineTLS",
            ],
            path: "Tests/Fuzz/Sources/Fuzz",
            swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]),
    ]

/// A program of `Tests/Benchmarks/Sources`.
func benchmark(_ name: String, _ folder: String, _ dependencies: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: dependencies.map { .init(stringLiteral: $0) },
        path: "Tests/Benchmarks/Sources/\(folder)",
        swiftSettings: strict)
}

let builtInPlugins = [
    "ReplaySource", "URLProtocolSource", "ProcessSource",
    "CorrelateStage", "LimitBodyStage", "LuaStage", "RedactStage", "RulesStage", "ProcessStage",
    "ProcessSink", "NDJSONSink", "SQLiteSink", "StdoutSink", "SummarySink",
]

let package = Package(
    name: "tapline",
    products: [
        .library(name: "Tapline", targets: ["Tapline"]),
        .library(name: "TaplineCommand", targets: ["TaplineCommand"]),
        .library(
            name: "TaplinePlugin",
            targets: [
                "TaplinePlugin", "TaplineConfig", "TaplineModel", "TaplineQuery", "TaplineSystem",
            ]),
        .library(name: "TaplineDetectors", targets: ["TaplineDetectors"]),
        .library(name: "TaplineProxy", targets: ["TaplineProxy"]),
        .library(name: "TaplineStreams", targets: ["TaplineStreams"]),
        .library(name: "TaplineTelemetry", targets: ["TaplineTelemetry"]),
        .library(name: "TaplineTesting", targets: ["TaplineTesting"]),
        .library(name: "TaplineCassettes", targets: ["TaplineCassettes"]),
        .library(name: "TaplineAppInspector", targets: ["TaplineAppInspector"]),
        .library(name: "TaplineReplay", targets: ["TaplineReplay"]),
        .library(name: "TaplineControl", targets: ["TaplineControl"]),
        .library(name: "TaplineKafka", targets: ["TaplineKafka"]),
        .executable(name: "tapline", targets: ["TaplineExecutable"]),
        .executable(name: "tapline-demo", targets: ["TaplineDemo"]),
    ],
    traits: [
        .trait(name: "TAPLINE", description: "Apps capture; without it 'Tapline' does nothing."),
        .default(enabledTraits: ["TAPLINE"]),
    ],
    targets: [
        // C libraries, each imported by one Swift module.
        library("CLua", pkgConfig: "lua5.4", apt: "liblua5.4-dev"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CYAML", pkgConfig: "yaml-0.1", apt: "libyaml-dev"),
        library("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        library("COpenSSL", pkgConfig: "openssl", apt: "libssl-dev"),
        library("CUV", pkgConfig: "libuv", apt: "libuv1-dev"),
        library("CAres", pkgConfig: "libcares", apt: "libc-ares-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        library("CBrotli", pkgConfig: "libbrotlidec", apt: "libbrotli-dev"),
        library("CZstd", pkgConfig: "libzstd", apt: "libzstd-dev"),
        library("CNGHTTP2", pkgConfig: "libnghttp2", apt: "libnghttp2-dev"),
        library("CHyperscan", pkgConfig: "libhs", apt: hyperscanPackage),
        // Has no pkg-config file.
        .systemLibrary(
            name: "CMimalloc", path: "Sources/C/CMimalloc", providers: [.apt(["libmimalloc-dev"])]),
        // Part of the C library.
        .systemLibrary(name: "CIconv", path: "Sources/C/CIconv"),
        // Our own vectorised searches, all of them in headers.
        .systemLibrary(name: "CByteScan", path: "Sources/C/CByteScan"),
        // C++ libraries: linked by name, since pkg-config returns flags that SwiftPM rejects.
        .target(
            name: "CSimdjsonShims", path: "Sources/C/CSimdjsonShims",
            linkerSettings: [.linkedLibrary("simdjson")]),
        .target(
            name: "CRE2Shims", path: "Sources/C/CRE2Shims", linkerSettings: [.linkedLibrary("re2")]),
        .target(
            name: "CLuaShims", dependencies: ["CLua", "CRE2Shims", "CSimdjsonShims"],
            path: "Sources/C/CLuaShims"),
        .target(name: "CReach", path: "Sources/C/CReach"),
        // Libraries that are loaded when they are first needed, so that nothing links them: Debian's
        // libnats-dev and librdkafka-dev have the headers.
        .target(name: "CLoading", path: "Sources/C/CLoading"),
        .target(name: "CNATS", dependencies: ["CLoading"], path: "Sources/C/CNATS"),
        .target(name: "CKafka", dependencies: ["CLoading"], path: "Sources/C/CKafka"),

        // The model and the wrappers.
        module(.core, "TaplineBytes", ["CByteScan"]),
        module(.core, "TaplineModel", ["TaplineBytes", "CByteScan"], linking: ["m"]),
        module(.core, "TaplineJSON", ["TaplineBytes", "CByteScan", "CSimdjsonShims"]),
        module(.core, "TaplineCodings",
            ["TaplineBytes", "CByteScan", "CIconv", "CZlib", "CBrotli", "CZstd"], linking: ["brotlienc"]),
        module(.core, "TaplineProtobuf", ["TaplineModel", "TaplineJSON", "TaplineCodings"]),
        module(.core, "TaplineRegex", ["CRE2Shims"]),
        module(.core, "TaplineMultiPattern", ["CByteScan", "CHyperscan"]),
        module(.core, "TaplineCrypto", ["CCrypto"]),
        module(.core, "TaplineYAML", ["CYAML"]),
        module(.core, "TaplineSystem"),
        module(.core, "TaplineCertificates", ["TaplineModel", "TaplineSystem"]),
        module(.core, "TaplineSQL", ["CSQLite"]),

        // The network.
        module(.network, "TaplineHTTP", ["TaplineModel"]),
        module(.network, "TaplineHTTP2", ["TaplineModel", "TaplineHTTP", "CNGHTTP2"]),
        module(.network, "TaplineTLS", ["TaplineModel", "TaplineSystem", "COpenSSL"]),
        module(.network, "TaplineNet", ["TaplineModel", "TaplineSystem", "TaplineTLS", "CAres", "CUV"]),
        module(.network, "TaplineConnections",
            ["TaplineModel", "TaplineJSON", "TaplineCrypto", "TaplineHTTP", "TaplineHTTP2", "TaplineTLS", "TaplineNet"]),
        module(.network, "TaplineReach", ["TaplineModel", "TaplineSystem", "TaplineNet", "CReach"]),
        module(.network, "TaplineServe", ["TaplineModel", "TaplineCodings", "TaplineCrypto", "TaplineHTTP", "TaplineTLS", "TaplineNet"]),

        // The pipeline.
        module(.pipeline, "TaplineConfig", ["TaplineModel", "TaplineYAML", "TaplineSystem"]),
        module(.pipeline, "TaplineStatistics", ["TaplineModel"]),
        module(.pipeline, "TaplineQuery", ["TaplineModel", "TaplineJSON", "TaplineRegex", "TaplineCodings"]),
        module(.pipeline, "TaplinePlugin",
            ["TaplineModel", "TaplineProtobuf", "TaplineConfig", "TaplineQuery", "TaplineCrypto", "TaplineSystem", "TaplineCertificates", "TaplineStatistics"]),
        module(.pipeline, "TaplineOperations",
            ["TaplineModel", "TaplineCrypto", "TaplinePlugin", "TaplineStatistics", "TaplineSystem"]),
        module(.pipeline, "TaplineSegments", ["TaplineBytes", "TaplineCodings", "TaplineSystem"]),
        module(.pipeline, "TaplineFormats",
            ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineProtobuf", "TaplineCrypto", "TaplinePlugin", "TaplineSegments"]),
        module(.pipeline, "TaplineStoreSchema",
            ["TaplineBytes", "TaplineCrypto", "TaplineSQL", "TaplineSystem"]),
        module(.pipeline, "TaplineStore",
            ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSQL", "TaplineSystem",
            "TaplineQuery", "TaplinePlugin", "TaplineFormats", "TaplineSegments", "TaplineStatistics", "TaplineStoreSchema"]),
        module(.pipeline, "TaplineUpstream",
            ["TaplineOperations", "TaplineModel", "TaplineCodings", "TaplineProtobuf", "TaplineConfig", "TaplinePlugin", "TaplineSystem", "TaplineTLS", "TaplineNet",
            "TaplineConnections"]),
        module(.pipeline, "TaplineNATS", ["TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineSystem", "TaplineTLS", "TaplineUpstream", "CNATS"]),
        module(.pipeline, "TaplineDelivery", ["TaplineModel", "TaplineCodings", "TaplineConfig", "TaplinePlugin", "TaplineSystem", "TaplineHTTP", "TaplineTLS", "TaplineNet", "TaplineConnections", "TaplineUpstream"]),
        module(.pipeline, "TaplineProcessPlugin", ["TaplineOperations", "TaplineModel", "TaplineJSON", "TaplineConfig", "TaplinePlugin", "TaplineFormats", "TaplineSystem"]),
        module(.pipeline, "TaplineKafkaClient", ["CKafka", "TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineSystem"]),
        module(.pipeline, "TaplineMatching", ["TaplineProtobuf", "TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineQuery", "TaplineStatistics"]),
        module(.products, "TaplineLeaks", ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSQL", "TaplineSystem", "TaplinePlugin", "TaplineFormats"]),
        module(.products, "TaplineExport", ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplinePlugin", "TaplineFormats"]),
        module(.products, "TaplineImport", ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineHTTP", "TaplineFormats"]),
        module(.products, "TaplineInspector", ["TaplineOperations", "TaplineProtobuf", "TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSystem", "TaplineQuery", "TaplinePlugin", "TaplineFormats", "TaplineStore", "TaplineExport", "TaplineTLS", "TaplineNet", "TaplineServe", "TaplineConfig", "RulesStage"]),
        module(.products, "TaplineControl",
            ["TaplineOperations", "TaplineModel", "TaplineJSON", "TaplineCrypto", "TaplineSystem", "TaplineStatistics", "TaplinePlugin",
            "TaplineFormats", "TaplineNet", "TaplineServe"]),
        module(.products, "TaplineDetectors",
            ["TaplineBytes", "TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineMultiPattern", "TaplineRegex", "TaplineJSON"]),
        module(.pipeline, "TaplineRuntime",
            ["TaplineOperations", "TaplineModel", "TaplineConfig", "TaplineQuery", "TaplinePlugin", "TaplineFormats",
            "TaplineJSON", "TaplineSegments", "TaplineSystem", "TaplineStatistics"]),
        module(.products, "TaplineBuiltIns", ["TaplinePlugin"] + builtInPlugins),
        module(.products, "TaplineComponents"),
        module(.products, "TaplineCapture",
            ["TaplineOperations", "TaplineComponents", "TaplineModel", "TaplineJSON", "TaplineConfig", "TaplineQuery",
            "TaplinePlugin", "TaplineFormats", "TaplineSystem", "TaplineStatistics", "TaplineRuntime",
            "TaplineBuiltIns", "TaplineCodings", "TaplineCrypto", "TaplineHTTP", "URLProtocolSource"]),
        module(.products, "TaplineNoOp", ["TaplineComponents", "TaplineModel"]),
        .target(
            name: "Tapline",
            dependencies: [
                .target(name: "TaplineCapture", condition: .when(traits: ["TAPLINE"])),
                .target(name: "TaplineModel", condition: .when(traits: ["TAPLINE"])),
                .target(name: "TaplinePlugin", condition: .when(traits: ["TAPLINE"])),
                "TaplineNoOp",
            ],
            path: "Sources/Products/Tapline",
            swiftSettings: strict),
        module(.products, "TaplineCassettes", ["TaplineCapture", "TaplineMatching", "TaplineDetectors", "TaplineLeaks", "TaplineModel", "TaplineJSON", "TaplineConfig", "TaplinePlugin", "TaplineFormats", "TaplineSystem", "TaplineRuntime"]),
        module(.products, "TaplineAppInspector", ["TaplineCapture", "TaplineInspector", "TaplineNet"]),
        module(.products, "TaplineProxy", ["ProxySource", "ClientReplaySource", "TaplineModel", "TaplinePlugin"]),
        module(.products, "TaplineStreams", ["NATSSource", "NATSSink", "TaplineModel", "TaplinePlugin"]),
        module(.products, "TaplineTelemetry", ["HTTPSink", "OTLPSink", "S3Sink", "TaplineModel", "TaplinePlugin"]),
        module(.products, "TaplineKafka", ["KafkaSource", "KafkaSink", "TaplineModel", "TaplinePlugin"]),
        module(.products, "TaplineReplay",
            ["TaplineOperations", "TaplineBuiltIns", "TaplineConfig", "TaplineJSON", "TaplineModel", "TaplinePlugin", "TaplineProxy",
            "TaplineRuntime", "TaplineSystem"]),
        module(.products, "TaplineTestRunner",
            ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineRegex", "TaplineConfig", "TaplineQuery",
            "TaplinePlugin", "TaplineFormats", "TaplineSystem", "TaplineRuntime"]),
        module(.products, "TaplineTesting",
            ["TaplineOperations", "TaplineModel", "TaplineConfig", "TaplineQuery", "TaplinePlugin", "TaplineRuntime", "TaplineSystem"]),
        module(.products, "TaplineCommandLine",
            ["TaplineOperations", "TaplineProtobuf", "TaplineBuiltIns", "TaplineModel", "TaplineConfig", "TaplinePlugin",
            "TaplineFormats", "TaplineSystem", "TaplineJSON", "TaplineRuntime", "TaplineStore", "TaplineStatistics",
            "TaplineInspector", "TaplineNet", "TaplineControl", "CMimalloc"]),
        module(.products, "TaplineCommand",
            ["TaplineCommandLine", "TaplineOperations", "TaplineProtobuf", "TaplineModel", "TaplineConfig", "TaplineQuery", "TaplinePlugin",
            "TaplineFormats", "TaplineCodings", "TaplineSystem", "TaplineJSON", "TaplineRuntime",
            "TaplineStore", "TaplineExport", "TaplineImport", "TaplineTestRunner", "TaplineLeaks",
            "TaplineCertificates", "TaplineStatistics", "TaplineStoreSchema", "TaplineInspector", "TaplineNet",
            "TaplineMatching", "TaplineControl", "TaplineProcessPlugin", "TaplineReach"]),
        .executableTarget(
            name: "TaplineExecutable",
            dependencies: [
                "TaplineCommand", "TaplineDetectors", "TaplineKafka", "TaplinePlugin", "TaplineProxy", "TaplineStreams", "TaplineTelemetry",
            ],
            path: "Sources/Products/TaplineExecutable",
            swiftSettings: strict),
        .executableTarget(
            name: "TaplineDemo", dependencies: ["TaplineCommandLine"],
            path: "Sources/Products/TaplineDemo", swiftSettings: strict),
        // A captured app for Tests/Canary/check.
        .executableTarget(
            name: "CanaryApp", dependencies: ["Tapline", "TaplineDetectors"], path: "Tests/Canary/App", swiftSettings: strict),

        // The built-in plugins.
        plugin(.source, "Replay", ["TaplineOperations", "TaplineSegments", "TaplineFormats", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSystem"]),
        plugin(.source, "URLProtocol", ["TaplineHTTP", "TaplineCodings", "TaplineCrypto", "TaplineSystem"]),
        plugin(.source, "Proxy",
            ["TaplineOperations", "TaplineConnections", "TaplineProtobuf", "TaplineHTTP", "TaplineHTTP2", "TaplineTLS", "TaplineNet", "TaplineJSON", "TaplineCodings",
            "TaplineCrypto", "TaplineSystem", "TaplineCertificates", "TaplineQuery", "TaplineMatching", "TaplineStore", "TaplineUpstream", "TaplineReach"]),
        plugin(.source, "ClientReplay",
            ["TaplineOperations", "TaplineConnections", "TaplineHTTP", "TaplineHTTP2", "TaplineTLS", "TaplineNet", "TaplineQuery", "TaplineStatistics",
            "TaplineStore", "TaplineMatching", "TaplineUpstream", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSystem"]),
        plugin(.stage, "Correlate", ["TaplineCodings", "TaplineJSON"]),
        plugin(.stage, "LimitBody"),
        plugin(.stage, "Lua",
            ["TaplineOperations", "CLuaShims", "TaplineProtobuf", "TaplineCodings", "TaplineCrypto", "TaplineSystem", "TaplineJSON", "TaplineStatistics"]),
        plugin(.stage, "Redact", ["TaplineOperations", "CByteScan", "TaplineCodings", "TaplineProtobuf", "TaplineCrypto", "TaplineSystem"]),
        plugin(.stage, "Rules",
            ["TaplineOperations", "TaplineQuery", "TaplineJSON", "TaplineCodings", "TaplineRegex", "TaplineSystem"]),
        plugin(.sink, "HTTP", ["TaplineDelivery", "TaplineFormats", "TaplineJSON"]),
        plugin(.sink, "OTLP", ["TaplineDelivery", "TaplineFormats", "TaplineJSON"]),
        plugin(.sink, "S3",
            ["TaplineDelivery", "TaplineUpstream", "TaplineConnections", "TaplineFormats", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSystem"]),
        plugin(.sink, "NDJSON", ["TaplineFormats", "TaplineCodings", "TaplineSystem"]),
        plugin(.sink, "SQLite",
            ["TaplineOperations", "TaplineSQL", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSystem", "TaplineFormats", "TaplineStoreSchema"]),
        plugin(.sink, "Stdout", ["TaplineJSON", "TaplineFormats", "TaplineCodings", "TaplineSystem"]),
        plugin(.source, "NATS", ["TaplineOperations", "TaplineNATS", "TaplineFormats", "TaplineSystem"]),
        plugin(.source, "Process", ["TaplineOperations", "TaplineProcessPlugin", "TaplineFormats", "TaplineSystem"]),
        plugin(.stage, "Process", ["TaplineOperations", "TaplineProcessPlugin", "TaplineFormats", "TaplineJSON"]),
        plugin(.sink, "NATS", ["TaplineNATS", "TaplineFormats"]),
        plugin(.sink, "Process", ["TaplineOperations", "TaplineProcessPlugin", "TaplineFormats", "TaplineJSON"]),
        plugin(.source, "Kafka", ["TaplineOperations", "TaplineKafkaClient", "TaplineFormats", "TaplineSystem"]),
        plugin(.sink, "Kafka", ["TaplineKafkaClient", "TaplineFormats", "TaplineJSON"]),
        plugin(.sink, "Summary", ["TaplineJSON", "TaplineSystem", "TaplineStatistics"]),

        // Tests.
        .target(
            name: "TestSupport", dependencies: ["TaplineModel", "TaplineSystem"], path: "Tests/TestSupport",
            exclude: fixtures(in: "Tests/TestSupport"), swiftSettings: strict),
        .target(
            name: "StreamTestSupport",
            dependencies: [
                "CKafka", "KafkaSink", "NATSSink", "TaplineConfig", "TaplineKafkaClient", "TaplineModel", "TaplineNATS",
                "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting", "TestSupport",
            ],
            path: "Tests/StreamTestSupport", exclude: fixtures(in: "Tests/StreamTestSupport"), swiftSettings: strict),
        tests("TaplineBytes"),
        tests("TaplineModel"),
        tests("TaplineJSON"),
        tests("TaplineCodings"),
        tests("TaplineProtobuf", ["TaplineModel", "TaplineJSON", "TaplineCodings"]),
        tests("TaplineRegex"),
        tests("TaplineMultiPattern"),
        tests("TaplineCrypto"),
        tests("TaplineYAML"),
        tests("TaplineSystem", ["CLoading"]),
        tests("TaplineCertificates"),
        tests("TaplineSQL"),
        tests("TaplineHTTP", ["TaplineModel"]),
        tests("TaplineHTTP2", ["TaplineModel", "TaplineHTTP", "TaplineSystem"]),
        tests("TaplineTLS", ["TaplineModel", "TaplineSystem"]),
        tests("TaplineNet", ["TaplineModel", "TaplineSystem", "TaplineTLS", "CUV"]),
        tests("TaplineReach", ["TaplineModel", "TaplineNet", "TaplineSystem", "CReach"]),
        tests("TaplineConnections",
            ["TaplineModel", "TaplineHTTP", "TaplineHTTP2", "TaplineTLS", "TaplineNet", "TaplineSystem"]),
        tests("TaplineConfig", ["TaplineSystem"]),
        tests("TaplineStatistics", ["TaplineModel"]),
        tests("TaplineMatching", ["TaplineProtobuf", "TaplineModel", "TaplineCodings", "TaplineQuery"]),
        tests("TaplineQuery", ["TaplineModel", "TaplineCodings", "TaplineSystem"]),
        tests("TaplinePlugin",
            ["TaplineModel", "TaplineConfig", "TaplineQuery", "TaplineCrypto", "TaplineSystem"]),
        tests("TaplineOperations", ["TaplineModel", "TaplinePlugin", "TaplineSystem"]),
        tests("TaplineDetectors",
            ["TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineJSON", "TaplineSystem", "TaplineFormats"]),
        tests("TaplineFormats",
            ["TaplineModel", "TaplinePlugin", "TaplineJSON", "TaplineCodings", "TaplineCrypto"]),
        tests("TaplineSegments", ["TaplineBytes", "TaplineSystem"]),
        tests("TaplineUpstream",
            ["TaplineModel", "TaplineCodings", "TaplineProtobuf", "TaplineConfig", "TaplinePlugin", "TaplineSystem", "TaplineTLS", "TaplineNet",
            "TaplineConnections"]),
        tests("TaplineDelivery", ["TaplineModel", "TaplineCodings", "TaplineConfig", "TaplineConnections", "TaplinePlugin", "TaplineSystem", "TaplineTLS"]),
        tests("S3Sink", ["TaplineCodings", "TaplineConfig", "TaplineCrypto", "TaplineDelivery", "TaplineModel", "TaplinePlugin", "TaplineSystem", "TaplineTesting"]),
        tests("OTLPSink", ["TaplineConfig", "TaplineDelivery", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting"]),
        tests("HTTPSink", ["TaplineCodings", "TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting"]),
        tests("TaplineProcessPlugin", ["TaplineOperations", "TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineSystem"]),
        tests("ProcessSource", ["TaplineModel", "TaplinePlugin", "TaplineTesting"]),
        tests("ProcessStage",
            ["ProcessSink", "ProcessSource", "TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting"]),
        tests("TaplineNATS", ["TaplineModel", "TaplinePlugin", "TaplineTesting"]),
        tests("NATSSink", ["StreamTestSupport", "TaplineConfig", "TaplineModel", "TaplineNATS", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting"]),
        tests("NATSSource", ["NATSSink", "StreamTestSupport", "TaplineConfig", "TaplineModel", "TaplineNATS", "TaplinePlugin", "TaplineRuntime", "TaplineStreams", "TaplineSystem", "TaplineTesting"]),
        tests("ProcessSink",
            ["TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting"]),
        tests("TaplineKafkaClient", ["TaplineConfig", "TaplinePlugin", "TaplineSystem", "StreamTestSupport"]),
        tests("KafkaSink",
            ["TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting",
            "TaplineKafkaClient", "StreamTestSupport"]),
        tests("KafkaSource",
            ["TaplineConfig", "TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineSystem", "TaplineTesting",
            "TaplineKafkaClient", "StreamTestSupport", "KafkaSink", "SQLiteSink", "TaplineSQL"]),
        tests("TaplineStoreSchema", ["TaplineCrypto", "TaplineSQL", "TaplineSystem"]),
        tests("TaplineStore",
            ["TaplineModel", "TaplineCodings", "TaplineConfig", "TaplineFormats", "TaplineJSON",
            "TaplinePlugin", "TaplineQuery", "TaplineSQL", "TaplineStatistics", "TaplineSystem",
            "TaplineTesting", "TaplineStoreSchema", "SQLiteSink"]),
        tests("TaplineExport", ["TaplineModel", "TaplineJSON", "TaplinePlugin", "TaplineFormats", "TaplineSystem", "TaplineImport"]),
        tests("TaplineImport", ["TaplineModel", "TaplineCodings", "TaplineFormats"]),
        tests("TaplineServe", ["TaplineModel", "TaplineHTTP", "TaplineSystem", "TaplineTLS", "TaplineNet"]),
        tests("TaplineInspector", ["TaplineOperations", "TaplineProtobuf", "TaplineModel", "TaplineFormats", "TaplineJSON", "TaplineTLS", "TaplineNet", "TaplinePlugin", "TaplineQuery", "TaplineServe", "TaplineStore", "TaplineSystem", "TaplineTesting", "SQLiteSink", "TaplineConfig", "TaplineRuntime", "ProxySource", "RedactStage", "RulesStage"]),
        tests("TaplineAppInspector", ["TaplineCapture"]),
        tests("TaplineControl",
            ["TaplineOperations", "TaplineModel", "TaplineJSON", "TaplineNet", "TaplinePlugin", "TaplineRuntime", "TaplineServe",
            "TaplineStatistics", "TaplineSystem", "TaplineTesting"]),
        tests("TaplineLeaks",
            ["TaplineModel", "TaplineJSON", "TaplineCodings", "TaplineCrypto", "TaplineSQL", "TaplineSystem",
            "TaplinePlugin", "TaplineFormats"]),
        tests("TaplineRuntime",
            ["TaplineOperations", "TaplineModel", "TaplineConfig", "TaplineQuery", "TaplinePlugin", "TaplineTesting", "TaplineSegments",
            "TaplineSystem", "TaplineStatistics"]),
        tests("TaplineCommand",
            ["TaplineCommandLine", "TaplineOperations", "TaplineBuiltIns", "TaplineModel", "TaplineConfig", "TaplineQuery", "TaplinePlugin",
            "TaplineSystem", "TaplineRuntime", "TaplineTesting", "TaplineTestRunner", "TaplineProxy", "TaplineStreams",
            "TaplineTelemetry", "TaplineDetectors", "TaplineJSON", "RulesStage", "TaplineStatistics", "TaplineFormats",
            "TaplineStore", "TaplineControl", "TaplineNet", "TaplineSegments", "TaplineKafka"]),
        tests("TaplineReplay", ["TaplineModel", "TaplineSystem"]),
        tests("TaplineTestRunner",
            ["TaplineBuiltIns", "TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineSystem",
            "TaplineRuntime", "TaplineTesting", "TaplineCodings"]),
        tests("ReplaySource",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineRuntime",
            "TaplineFormats", "TaplineCodings", "TaplineSystem", "TaplineSQL", "TaplineStore", "SQLiteSink"]),
        tests("TaplineTesting", ["TaplineModel", "TaplineConfig", "TaplinePlugin", "TaplineRuntime", "TaplineSystem"]),
        tests("ProxySource",
            ["TaplineOperations", "TaplineProtobuf", "TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineQuery",
            "TaplineRuntime", "TaplineHTTP", "TaplineHTTP2", "TaplineTLS", "TaplineNet", "TaplineConnections", "TaplineSystem",
            "TaplineCertificates", "TaplineFormats", "LuaStage", "RedactStage", "NDJSONSink", "SQLiteSink", "SummarySink",
            "TaplineCodings"]),
        tests("ClientReplaySource",
            ["TaplineOperations", "TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineQuery", "TaplineRuntime",
            "TaplineHTTP", "TaplineTLS", "TaplineNet", "TaplineConnections", "TaplineFormats", "TaplineStatistics",
            "TaplineStore", "TaplineSystem", "TaplineMatching", "RedactStage", "ProxySource"]),
        tests("URLProtocolSource",
            ["TaplineModel", "TaplinePlugin", "TaplineRuntime", "TaplineTesting", "TaplineSystem"]),
        tests("TaplineCapture",
            ["TaplineModel", "TaplineSystem", "TaplinePlugin", "TaplineDetectors", "TaplineCassettes",
            "TaplineRuntime", "TaplineTesting", "URLProtocolSource"]),
        tests("TaplineCassettes", ["TaplineCapture", "TaplineMatching", "TaplineModel", "TaplineSystem", "TaplinePlugin"]),
        tests("CorrelateStage", ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig"]),
        tests("LimitBodyStage",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineSystem"]),
        tests("LuaStage",
            ["TaplineOperations", "TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineCodings",
            "TaplineCrypto", "TaplineSystem", "TaplineJSON"]),
        tests("RedactStage", ["TaplineProtobuf", "TaplineFormats", "TaplineJSON", "TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineCodings", "TaplineCrypto", "TaplineSystem"]),
        tests("RulesStage", ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineSystem", "TaplineRuntime"]),
        tests("NDJSONSink",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineFormats",
            "TaplineSystem", "TaplineCodings"]),
        tests("SQLiteSink",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineSQL", "TaplineJSON",
            "TaplineSystem", "TaplineCrypto", "TaplineFormats", "TaplineStoreSchema"]),
        tests("StdoutSink",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineSystem",
            "TaplineCodings", "TaplineFormats"]),
        tests("SummarySink",
            ["TaplineModel", "TaplinePlugin", "TaplineTesting", "TaplineConfig", "TaplineSystem",
            "TaplineRuntime"]),
    ] + tools,
    cxxLanguageStandard: .cxx17
)
