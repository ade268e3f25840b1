extension ConsumerConfiguration {
    /// Finds what would fail or mislead later, by name. Throws `invalidConfiguration`.
    func check() throws(BusError) {
        try broker.check()
        guard limits.count > 0, limits.bytes > 0, receiveMaximum > 0 else {
            throw BusError(.invalidConfiguration, during: .configure, detail: "a consumer's limits must be more than 0")
        }
        for subscription in subscriptions where subscription.filter.isEmpty || subscription.filter.utf8.contains(0) {
            throw BusError(.invalidConfiguration, during: .configure, detail: "a subscription's filter is empty or has a NUL")
        }
    }
}
