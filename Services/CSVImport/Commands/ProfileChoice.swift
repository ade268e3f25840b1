import Foundation
import ServiceKit

/// Which profiles are tried.
struct ProfileChoice {
    private let chosen: String?

    init(_ configuration: Configuration) throws(ConfigurationError) {
        chosen = try configuration[ImportSettings.profile]
    }

    /// A surveyor that tries the chosen profile, else the built-in ones.
    func surveyor(_ options: ImportOptions) throws -> Surveyor {
        guard let chosen else { return Surveyor(options: options) }
        if let builtIn = BuiltIn.profiles.first(where: { $0.name == chosen }) { return Surveyor(chosen: builtIn, options: options) }
        guard FileManager.default.fileExists(atPath: chosen) else {
            let names = BuiltIn.profiles.map(\.name).joined(separator: ", ")
            throw ImportError(.usage, "\(chosen) is neither a profile's file nor a built-in profile (\(names))")
        }
        return Surveyor(chosen: try ProfileFile.read(path: chosen), options: options)
    }
}
