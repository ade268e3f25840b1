import AlertRules
import Foundation

/// The languages in which `vigil watch` tells of alerts, refusals and states.
enum WatchLanguage: String, Sendable, CaseIterable {
    case en, de, ru

    /// The language that `LC_ALL`, `LC_MESSAGES` or `LANG` names, else English.
    static var ofEnvironment: WatchLanguage {
        let environment = ProcessInfo.processInfo.environment
        let named = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return named.flatMap { WatchLanguage(rawValue: String($0.prefix(2)).lowercased()) } ?? .en
    }

    /// Of texts by language the one in this, else in English, else any.
    func text(_ texts: [String: String]) -> String? {
        let found = texts[rawValue] ?? texts["en"] ?? texts.sorted { $0.key < $1.key }.first?.value
        return found.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A word of the suite's own, such as a transition, a severity or a state; one that is not known as it is.
    func word(_ word: String) -> String {
        Self.words[word]?[rawValue] ?? AlertEvent.Transition(rawValue: word)?.words.text(rawValue) ?? word
    }

    /// The words that are not transitions, and the one transition that must catch the eye.
    private static let words: [String: [String: String]] = [
        "raised": ["en": "ALERT", "de": "ALARM", "ru": "ТРЕВОГА"],
        "none": ["en": "", "de": "", "ru": ""],
        "notice": ["en": "notice", "de": "Hinweis", "ru": "сообщение"],
        "warning": ["en": "warning", "de": "Warnung", "ru": "предупреждение"],
        "critical": ["en": "critical", "de": "kritisch", "ru": "критично"],
        "online": ["en": "is online", "de": "läuft", "ru": "работает"],
        "draining": ["en": "is draining", "de": "wird beendet", "ru": "завершает работу"],
        "offline": ["en": "is offline", "de": "ist weg", "ru": "не работает"],
        "refused": ["en": "REFUSED at", "de": "ABGELEHNT bei", "ru": "ОТКАЗ в"],
        "connected": ["en": "connected", "de": "verbunden", "ru": "соединено"],
        "disconnected": [
            "en": "the connection is lost, and is tried again", "de": "die Verbindung ist weg und wird wieder versucht",
            "ru": "связь потеряна, соединяюсь снова",
        ],
    ]
}

/// The language in which `vigil watch` writes.
enum WatchOutput: String, Sendable, CaseIterable {
    case text, json
}
