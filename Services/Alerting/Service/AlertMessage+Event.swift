import VigilSchema

extension AlertMessage {
    /// What the engine decided, with its names and texts.
    init(_ event: AlertEvent, _ rules: RuleSet, participant: String, decided: Int64) {
        let rule = rules.rules[event.rule]
        let alert = event.alert
        let metric = alert.metric.map { rules.metrics[$0] }
        self.init(
            participant: participant, rule: rule.id, sequence: event.sequence, transition: event.transition.rawValue,
            cause: event.cause.rawValue, time: Double(event.time) / 1e6, decided: Double(decided) / 1e6, state: alert.phase.rawValue,
            severity: alert.severity.name, priority: alert.priority.rawValue, kind: rule.kind.rawValue, group: rule.group,
            since: Double(alert.since) / 1e6, title: rule.title.byLanguage,
            message: AlertTexts.messages(event, rule, participant: participant, metric: metric))
        acknowledged = alert.isAcknowledged
        recovered = alert.isRecovered
        inhibited = alert.isInhibited
        dataLost = alert.isDataLost
        silenced = alert.isSilenced
        silencedUntil = alert.silencedUntil.map { Double($0) / 1e6 }
        self.metric = metric
        value = alert.value
        threshold = alert.threshold
        actor = event.actor
        reason = event.reason
        escalatedTo = event.escalatedTo
        source = rule.source
    }
}
