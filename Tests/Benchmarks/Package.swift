// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

/// The settings of all Swift targets.
///
/// `bench` measures parts in its own process and pipelines in others, `bench-command` is the
/// tapline command with the proxy and a sink that forgets, `bench-echo` a server that echoes,
/// `bench-tap` an app. `run`, `proxy`, `echo` and `tap` beside this build and run them.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "benchmarks",
    dependencies: [.package(name: "tapline", path: "../..")],
    targets: [
        // Counts allocations by standing in for malloc, in `bench` alone.
        .target(name: "CAllocations"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CAllocations", .product(name: "Tapline", package: "tapline"),
                .product(name: "TaplinePlugin", package: "tapline"),
                .product(name: "TaplineDetectors", package: "tapline"),
                .product(name: "TaplineHTTP", package: "tapline"),
                .product(name: "TaplineNet", package: "tapline"),
            ],
            path: "Sources/Bench",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bench-echo",
            dependencies: [.product(name: "TaplineNet", package: "tapline")],
            path: "Sources/BenchEcho",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bench-tap",
            dependencies: [.product(name: "Tapline", package: "tapline")],
            path: "Sources/BenchTap",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "bench-command",
            dependencies: [
                .product(name: "TaplineCommand", package: "tapline"),
                .product(name: "TaplinePlugin", package: "tapline"),
                .product(name: "TaplineProxy", package: "tapline"),
            ],
            path: "Sources/BenchCommand",
            swiftSettings: strict
        ),
    ],
    cxxLanguageStandard: .cxx17
)
