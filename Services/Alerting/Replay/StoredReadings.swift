package import ServiceKit

/// How `test` reads what a store holds of a participant. The service itself knows no timeline: who links both hands this in.
package struct StoredReadings: Sendable {
    package typealias Range = RuleTest.StoredRange

    /// The settings that name the store, and a range of it.
    package let settings: [any AnySetting]
    /// The range that the command line names; nil: none.
    package let range: @Sendable (Invocation) throws -> Range?
    /// Reads numbers and texts, earliest first.
    package let read: @Sendable (Invocation, Range) async throws -> [ReplayReading]

    package init(
        settings: [any AnySetting], range: @escaping @Sendable (Invocation) throws -> Range?,
        read: @escaping @Sendable (Invocation, Range) async throws -> [ReplayReading]
    ) {
        self.settings = settings
        self.range = range
        self.read = read
    }
}
