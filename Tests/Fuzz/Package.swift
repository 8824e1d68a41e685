// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// Fuzzers in the form of libFuzzer: `main` is the library's, a target has the entry point alone.
///
/// Build with `swift build -c release --sanitize fuzzer --product FuzzNAME`; `run` beside this does.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

/// What is fuzzed; each has a target `Fuzz<name>`.
let names = [
    "Config", "Detectors", "Embedded", "Fields", "Filter", "HAR", "HTTP", "Lua", "NDJSON",
    "Recording", "Redact", "Script", "TLS",
]

/// Modules that are tested beside the two that all targets have.
let modules = ["Detectors": "TaplineDetectors", "HTTP": "TaplineHTTP", "TLS": "TaplineNet"]

let package = Package(
    name: "fuzz",
    products: names.map { .executable(name: "Fuzz\($0)", targets: ["Fuzz\($0)"]) },
    dependencies: [.package(name: "tapline", path: "../..")],
    targets: [
        .target(
            name: "FuzzSupport",
            dependencies: [
                .product(name: "Tapline", package: "tapline"),
                .product(name: "TaplinePlugin", package: "tapline"),
            ],
            swiftSettings: strict
        )
    ]
        + names.map {
            .executableTarget(
                name: "Fuzz\($0)",
                dependencies: ["FuzzSupport"]
                    + (modules[$0].map { [.product(name: $0, package: "tapline")] } ?? []),
                swiftSettings: strict + [.unsafeFlags(["-parse-as-library"])]
            )
        },
    cxxLanguageStandard: .cxx17
)
