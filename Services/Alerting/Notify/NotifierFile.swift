package import AlertRules
import Settings
import Synchronization

/// The notifiers' file: what of it is in force, and what is wrong with it. Threading: from anywhere.
///
/// At the start what can be used of a wrong file is in force, so that somebody hears of alarms. Later a wrong file changes nothing.
package final class NotifierFile: Sendable {
    /// The name by which the rules know it among the notifiers.
    static let name = "notifiers-file"
    package let path: String
    private let state: Mutex<NotifierLoad>

    package init(_ path: String, _ rules: RuleSet) {
        self.path = path
        state = Mutex(NotifierLoad.read(path, rules))
    }

    package var settings: NotifierSettings { state.withLock { $0.settings } }

    /// Lines with file, place, problem and next step; empty where nothing is wrong.
    package var problems: [String] { state.withLock { $0.problems } }

    /// Reads it again.
    /// - Returns: what is wrong with it.
    func reload(_ rules: RuleSet) -> [String] {
        let load = NotifierLoad.read(path, rules)
        state.withLock { state in
            if load.problems.isEmpty { state = load } else { state.problems = load.problems }
        }
        return load.problems
    }
}

/// The content of a notifiers' file as far as it can be used, and what is wrong with the rest.
package struct NotifierLoad: Sendable {
    package var settings = NotifierSettings()
    package var problems: [String] = []

    /// Reads a file as far as it goes: a notifier of which only the way is right tells of everything.
    package static func read(_ path: String, _ rules: RuleSet) -> NotifierLoad {
        do {
            guard let file = try RuleFolder.read(path).first else { return NotifierLoad() }
            var (settings, error) = NotifierSettingsReader.readUsable(file, rules: rules)
            var problems = error?.entries.map(\.description) ?? []
            settings.notifiers.removeAll { entry in
                do throws(CommandError) {
                    _ = try NotifierSecrets(entry)
                    return false
                } catch {
                    problems.append("\(file.name): notifier \"\(entry.route.id)\": \(error.description)")
                    return true
                }
            }
            return NotifierLoad(settings: settings, problems: problems)
        } catch {
            return NotifierLoad(problems: ["\(error.description); set --notifiers to the file, or leave it out"])
        }
    }
}
