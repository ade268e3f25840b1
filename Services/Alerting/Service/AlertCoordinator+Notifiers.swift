import Observability

/// The notifier file and the notifiers' conditions, as rules see them.
extension AlertCoordinator {
    /// Reads the notifier file again. A valid file takes effect at once; after a mistake the old one stays in force.
    /// - Returns: the mistake; nil: none.
    func reloadNotifiers() async -> String? {
        guard let notifierFile else { return nil }
        let problems = notifierFile.reload(await core.ruleSet)
        feed.set(notifierFile.settings)
        await reportNotifierFile()
        guard problems.isEmpty else {
            log.error("the notifiers' file is wrong; the former stays in force", ["problems": problems.joined(separator: "\n")])
            return "the notifiers' file is wrong; the former stays in force\n" + problems.joined(separator: "\n")
        }
        log.notice("notifiers read again", ["notifiers": "\(feed.names.count)"])
        await forgetGoneNotifiers()
        return nil
    }

    /// Raises or ends the technical alarm of a wrong file.
    func reportNotifierFile() async {
        guard let notifierFile, sharing?.share.answersForAll ?? true else { return }
        let isWrong = !notifierFile.problems.isEmpty
        let name = name(ofNotifier: NotifierFile.name)
        let isKnown = await core.reportedNotifiers.contains(name)
        guard isWrong || isKnown else { return }
        await report(notifier: name, isWrong ? .wrongFile : .delivering)
    }

    /// Ends the technical alarms of removed notifiers.
    func forgetGoneNotifiers() async {
        let own = feed.names + [NotifierFile.name] + (feed.settings.heartbeat == nil ? [] : [HeartbeatSender.name])
        let known = Set(own.map(name(ofNotifier:)))
        for name in await core.reportedNotifiers where !known.contains(name) { await report(notifier: name, .delivering) }
    }

    /// The answer to `notifiers`, as JSON: an entry for each, and the mistakes of the file.
    var notifiersAnswer: String {
        let problems = notifierFile.map(\.problems) ?? ["no notifiers: alerts are only published; start vigil-alert with --notifiers FILE"]
        let lines = feed.names.map { name in "\(name)  " + (feed.inbox(of: name)?.state.snapshot.line ?? "") }
        let isWell = feed.names.allSatisfy { feed.inbox(of: $0)?.state.snapshot.isWell ?? true }
        return AlertCore.json(["ok": true, "lines": lines, "problems": problems, "hasFile": notifierFile != nil, "isWell": isWell])
    }

    /// The name of one of its notifiers in rules.
    func name(ofNotifier notifier: String) -> String { sharing?.share.name(ofNotifier: notifier) ?? notifier }
}
