extension NotificationGroup {
    /// What a group knows of one alert.
    struct Part: Sendable {
        fileprivate var firing: LoggedAlert?
        fileprivate var resolved: LoggedAlert?
        fileprivate var isTold = false
        fileprivate var escalated: Int64?
        fileprivate var newsSince: Int64?
        fileprivate var isUrgent = false
    }

    /// Gives an alert away, with what is not told of it yet.
    mutating func extract(_ key: String) -> Part {
        var part = Part(firing: firing.removeValue(forKey: key), resolved: resolved.removeValue(forKey: key))
        part.isTold = told.remove(key) != nil
        part.escalated = escalated.removeValue(forKey: key)
        (part.newsSince, part.isUrgent) = (newsSince, isUrgent)
        if firing.isEmpty, resolved.isEmpty { forgetNews() }
        return part
    }

    /// Takes an alert over. News stays news.
    mutating func insert(_ key: String, _ part: Part) {
        firing[key] = part.firing
        resolved[key] = part.resolved
        if part.isTold { told.insert(key) }
        escalated[key] = part.escalated
        if let since = part.newsSince { addNews(since: since, urgent: part.isUrgent) }
    }
}
