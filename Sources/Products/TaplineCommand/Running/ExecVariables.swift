// SPDX-License-Identifier: MIT

internal import TaplineCertificates
internal import TaplinePlugin

/// The variables that make programs use a proxy and trust its authority.
///
/// **Source**: the manuals of curl, git, wget, Go's net/http, Python's urllib, requests and httpx,
/// Node, Ruby's open-uri, and Java's networking properties; URLSession of Foundation on Linux, which
/// is libcurl.
enum ExecVariables {
    /// Makes programs use the proxy at `host:port`, also for requests to this machine.
    ///
    /// The proxy URL includes a user and a password if given; Java does not support these in its
    /// options.
    static func set(
        proxy address: String,
        userInfo: String? = nil,
        in variables: inout [String: String]
    ) {
        let url = "http://" + (userInfo.map { "\($0)@" } ?? "") + address
        for name in ["http_proxy", "https_proxy"] {
            variables[name] = url
            variables[name.uppercased()] = url
        }
        for name in ["no_proxy", "all_proxy"] {
            variables[name] = nil
            variables[name.uppercased()] = nil
        }
        // Node reads the other variables only if this one is set.
        variables["NODE_USE_ENV_PROXY"] = "1"
        let parts = address.split(separator: ":")
        guard parts.count == 2 else { return }
        // Without `nonProxyHosts`, Java connects to localhost directly.
        let java = ["http", "https"].map {
            "-D\($0).proxyHost=\(parts[0]) -D\($0).proxyPort=\(parts[1])"
        }
        add(java.joined(separator: " ") + " -Dhttp.nonProxyHosts=", toJavaIn: &variables)
    }

    /// Makes programs trust a root certificate.
    ///
    /// The bundle, and the store that the options for Java name, hold it in addition to the
    /// certificates of the system.
    static func set(
        root: String,
        bundle: String,
        java: String,
        in variables: inout [String: String]
    ) {
        for name in CertificateBundle.variables { variables[name] = bundle }
        for name in CertificateBundle.addingVariables { variables[name] = root }
        add(java, toJavaIn: &variables)
    }

    private static func add(_ options: String, toJavaIn variables: inout [String: String]) {
        let former = variables["JAVA_TOOL_OPTIONS"].map { "\($0) " } ?? ""
        variables["JAVA_TOOL_OPTIONS"] = former + options
    }
}
