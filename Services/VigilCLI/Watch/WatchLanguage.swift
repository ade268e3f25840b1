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
    func word(_ word: String) -> String { Self.words[word]?[rawValue] ?? word }

    private static let words: [String: [String: String]] = [
        "raised": ["en": "ALERT", "de": "ALARM", "ru": "ТРЕВОГА"],
        "escalated": ["en": "ALERT, higher", "de": "ALARM, höher", "ru": "ТРЕВОГА, выше"],
        "deescalated": ["en": "alert, lower", "de": "Alarm, niedriger", "ru": "тревога, ниже"],
        "acknowledged": ["en": "seen", "de": "gesehen", "ru": "принято"],
        "cleared": ["en": "over", "de": "vorbei", "ru": "отбой"],
        "recovered": ["en": "recovered, not yet seen", "de": "erholt, noch nicht gesehen", "ru": "прошло, ещё не принято"],
        "silenced": ["en": "silenced", "de": "stumm geschaltet", "ru": "звук выключен"],
        "unsilenced": ["en": "no longer silenced", "de": "nicht mehr stumm", "ru": "звук включён"],
        "pending": ["en": "pending", "de": "bahnt sich an", "ru": "ожидание"],
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
