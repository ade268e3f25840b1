package import AlertRules
import Settings
import Synchronization

/// The notifier file: the settings in force, and the mistakes of the file. Threading: callable from any task.
///
/// At the start the usable part of a wrong file is in force, so that somebody is notified. Later a wrong file changes
/// nothing.
package final class NotifierFile: Sendable {
    /// The name of the file among the notifiers in rules.
    static let name = "notifiers-file"
    package let path: String
    private let state: Mutex<NotifierLoad>

    package init(_ path: String, _ rules: RuleSet) {
        self.path = path
        state = Mutex(NotifierLoad.read(path, rules))
    }

    package var settings: NotifierSettings { state.withLock { $0.settings } }

    /// Lines with file, place, problem and next step; empty: no mistake.
    package var problems: [String] { state.withLock { $0.problems } }

    /// Reads the file again.
    /// - Returns: its mistakes.
    func reload(_ rules: RuleSet) -> [String] {
        let load = NotifierLoad.read(path, rules)
        state.withLock { state in
            if load.problems.isEmpty { state = load } else { state.problems = load.problems }
        }
        return load.problems
    }
}

/// The usable content of a notifier file, and the mistakes of the rest.
package struct NotifierLoad: Sendable {
    package var settings = NotifierSettings()
    package var problems: [String] = []

    /// Reads a file as far as possible. A notifier with a valid channel but a wrong filter gets every alert.
    package static func read(_ path: String, _ rules: RuleSet) -> NotifierLoad {
        do {
            guard let file = try RuleFolder.read(path).first else { return NotifierLoad() }
            var (settings, error) = NotifierSettingsReader.readUsable(file, rules: rules)
            var problems = error?.entries.map(\.description) ?? []
            var unusable: Set<String> = []
            for entry in settings.notifiers {
                do throws(CommandError) { _ = try NotifierSecrets(entry) } catch {
                    problems.append("\(file.name): notifier \"\(entry.route.id)\": \(error.description)")
                    unusable.insert(entry.route.id)
                }
            }
            // One whose next way can be used stays: that way gets its alerts.
            let all = settings
            settings.notifiers.removeAll { all.ways(of: $0.route.id).allSatisfy { unusable.contains($0.route.id) } }
            if let answers = settings.answers {
                do throws(CommandError) { _ = try AnswerOffers(answers) } catch {
                    problems.append("\(file.name): answers: \(error.description)")
                    settings.answers = nil
                }
            }
            return NotifierLoad(settings: settings, problems: problems)
        } catch {
            return NotifierLoad(problems: ["\(error.description); set --notifiers to the file, or leave it out"])
        }
    }
}
