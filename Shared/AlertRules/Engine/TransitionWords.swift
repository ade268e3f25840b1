extension AlertEvent.Transition {
    /// The word that people read, by language: the same in pages, mails and the terminal.
    package var words: Translations {
        switch self {
        case .pending: Translations(["en": "pending", "de": "bahnt sich an", "ru": "назревает"])
        case .cancelled: Translations(["en": "did not last", "de": "hielt nicht an", "ru": "не подтвердилась"])
        case .raised: Translations(["en": "raised", "de": "ausgelöst", "ru": "началась"])
        case .acknowledged: Translations(["en": "acknowledged", "de": "quittiert", "ru": "принята"])
        case .escalated: Translations(["en": "escalated", "de": "weitergegeben", "ru": "передана дальше"])
        case .silenced: Translations(["en": "silenced", "de": "stummgeschaltet", "ru": "заглушена"])
        case .unsilenced: Translations(["en": "silence lifted", "de": "Stummschaltung aufgehoben", "ru": "заглушение снято"])
        case .silenceEnded: Translations(["en": "silence ended", "de": "Stummschaltung abgelaufen", "ru": "заглушение истекло"])
        case .inhibited: Translations(["en": "inhibited", "de": "unterdrückt", "ru": "подавлена"])
        case .uninhibited: Translations(["en": "no longer inhibited", "de": "nicht mehr unterdrückt", "ru": "больше не подавлена"])
        case .cleared: Translations(["en": "over", "de": "vorbei", "ru": "закончилась"])
        case .severityRaised: Translations(["en": "became worse", "de": "wurde schlimmer", "ru": "усилилась"])
        case .severityLowered: Translations(["en": "became better", "de": "wurde besser", "ru": "ослабла"])
        case .recovered: Translations(["en": "recovered", "de": "erholt", "ru": "прошла"])
        case .recurred: Translations(["en": "came back", "de": "kam wieder", "ru": "повторилась"])
        case .dataLost: Translations(["en": "data lost", "de": "Daten fehlen", "ru": "данные потеряны"])
        case .dataBack: Translations(["en": "data back", "de": "Daten wieder da", "ru": "данные снова есть"])
        case .thresholdChanged: Translations(["en": "limit changed", "de": "Grenze geändert", "ru": "предел изменён"])
        case .profileChanged: Translations(["en": "profile changed", "de": "Profil geändert", "ru": "профиль изменён"])
        case .clearEnded: Translations(["en": "may alarm again", "de": "kann wieder alarmieren", "ru": "снова может сработать"])
        case .worsened:
            Translations(["en": "worse since acknowledged", "de": "seit der Quittierung schlimmer", "ru": "хуже, чем при принятии"])
        case .foundLate: Translations(["en": "found late", "de": "verspätet bekannt", "ru": "стало известно с опозданием"])
        case .reminded: Translations(["en": "acknowledgement ended", "de": "Quittierung abgelaufen", "ru": "принятие истекло"])
        }
    }
}
