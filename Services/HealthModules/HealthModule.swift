package import VigilSchema

/// One area of health, evaluated for one person at a time.
///
/// A module is a pure function of a person's data and has no state. The host stores the readings that it names as
/// inputs, each once, so the result does not depend on the order of arrival. A module runs in a separate process with
/// bounded time and memory; an error or crash stops only that module. To add one: a folder with a type of this
/// protocol, and a line in `ModuleRegistry.standard`.
package protocol HealthModule: Sendable {
    /// The name, for programs and for people.
    var identity: ModuleIdentity { get }
    /// The metrics that it reads.
    var inputs: [ModuleInput] { get }
    /// The kinds of timeline entries that it reads.
    var entryKinds: Set<TimelineEntry.Kind> { get }
    /// Other modules whose values it reads.
    var sources: [String] { get }
    /// The metrics of the observations that it derives.
    var outputs: [String] { get }
    /// The exchange list: values and parameters.
    var parameters: [ModuleParameter] { get }

    /// Computes all results for a person at a time.
    func evaluate(_ context: ModuleContext) throws -> ModuleResult
}

extension HealthModule {
    package var entryKinds: Set<TimelineEntry.Kind> { [] }
    package var sources: [String] { [] }
    package var outputs: [String] { [] }
    /// Short for `identity.id`.
    package var id: String { identity.id }
}

/// A module's name and appearance.
package struct ModuleIdentity: Sendable, Codable {
    /// For example `weight`; in full `vigil.weight`. Valid in a topic.
    package let id: String
    package let version: String
    package let name: LocalizedText
    package let description: LocalizedText
    /// An icon as SVG, 120 × 120, in the colour of the surrounding text.
    package let icon: String

    /// - Parameter drawing: the paths of the icon, in 120 × 120, with lines 6 wide.
    package init(id: String, version: String = "1.0", name: LocalizedText, description: LocalizedText, drawing: String) {
        self.id = id
        self.version = version
        self.name = name
        self.description = description
        icon = """
            <svg xmlns="http://www.w3.org/2000/svg" width="120" height="120" viewBox="0 0 120 120" fill="none" stroke="currentColor" \
            stroke-width="6" stroke-linecap="round" stroke-linejoin="round">\(drawing)</svg>
            """
    }
}

/// A metric that a module reads, and how much of it is stored.
package struct ModuleInput: Sendable, Hashable {
    package let metric: String
    /// The days for which readings are stored; older ones are ignored.
    package let days: Int
    /// The interval in seconds of which only the earliest reading is stored; 0: every reading.
    package let spacing: Int

    /// A metric that is measured now and then; each reading is evaluated at once.
    package static func spot(_ metric: String, days: Int = 3700) -> ModuleInput { ModuleInput(metric: metric, days: days, spacing: 0) }

    /// A continuous metric: one reading per interval of so many seconds is stored, and the module runs at most every
    /// five minutes.
    package static func continuous(_ metric: String, days: Int, spacing: Int) -> ModuleInput {
        ModuleInput(metric: metric, days: days, spacing: spacing)
    }

    /// The longest time until a reading is evaluated, in seconds.
    var delay: Double { spacing == 0 ? 0 : 300 }
}
