/// The build of Vigil that runs.
package struct BuildInfo: Sendable, CustomStringConvertible {
    /// The suite's version, which is also the services'.
    package let version: String
    /// `debug` or `release`.
    package let configuration: String

    /// This process's.
    package static let current = BuildInfo(version: "0.2.0", configuration: configuration)

    #if DEBUG
        private static let configuration = "debug"
    #else
        private static let configuration = "release"
    #endif

    package var description: String { "\(version) (\(configuration))" }
}
