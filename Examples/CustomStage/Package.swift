// swift-tools-version: 6.2
// SPDX-License-Identifier: MIT

import PackageDescription

let package = Package(
    name: "custom-stage",
    products: [.executable(name: "my-tapline", targets: ["MyTapline"])],
    dependencies: [.package(name: "tapline", path: "../..")],
    targets: [
        .target(
            name: "MyPlugins",
            dependencies: [.product(name: "TaplinePlugin", package: "tapline")]
        ),
        .executableTarget(
            name: "MyTapline",
            dependencies: ["MyPlugins", .product(name: "TaplineCommand", package: "tapline")]
        ),
        .testTarget(
            name: "MyPluginsTests",
            dependencies: ["MyPlugins", .product(name: "TaplineTesting", package: "tapline")]
        ),
    ],
    cxxLanguageStandard: .cxx17
)
