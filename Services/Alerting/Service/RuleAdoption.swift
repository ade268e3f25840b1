import AlertRules
import Observability
import Settings

/// Brings the rules of a file or folder into force in a core: all, or none if there is a mistake.
///
/// A share has the rules that it was last given, whoever owns it. A replica adopts the rules of its folder by itself
/// only if they are new to the share. Rules that the share has had and replaced are adopted on command only; otherwise
/// a replica with an outdated folder would undo a limit that somebody has tightened.
struct RuleAdoption: Sendable {
    /// The reason for reading the folder.
    enum Cause: Sendable, Hashable {
        /// Somebody requested its present content.
        case asked
        /// Work on the share begins, or another share has adopted the rules with this digest.
        case found(digest: String?)
    }

    let core: AlertCore
    /// The file or folder.
    let path: String
    let log: Logger

    /// Reads the rules, and adopts them if they should be.
    /// - Returns: the mistake; nil: none.
    func run(_ cause: Cause, adopt: ([RuleFile]) async throws -> Void) async throws -> String? {
        do {
            let files = try RuleFolder.read(path)
            guard await isToAdopt(files, cause) else { return nil }
            try await adopt(files)
            log.notice("rules read again", ["files": "\(files.count)"])
            for warning in await core.warnings { log.warning("rules", ["warning": warning]) }
            return nil
        } catch let error as RuleError {
            log.error("rules are wrong; the former stay in force", ["problems": error.description])
            return "rules are wrong; the former stay in force\n\(error.description)"
        } catch let error as CommandError {
            log.error("rules cannot be read; the former stay in force", ["error": error.description])
            return "rules cannot be read; the former stay in force: \(error.description)"
        }
    }

    private func isToAdopt(_ files: [RuleFile], _ cause: Cause) async -> Bool {
        let digest = files.digest
        guard case .found(let wanted) = cause else { return await core.files.digest != digest }
        if let wanted, wanted != digest { log.warning("the rules here are not those that another share has taken", ["path": path]) }
        guard await core.files.digest != digest else { return false }
        guard await core.hasReplaced(files), digest != wanted else { return true }
        log.warning("the rules here were replaced before; those in force stay until a reload is asked for", ["path": path])
        return false
    }
}
