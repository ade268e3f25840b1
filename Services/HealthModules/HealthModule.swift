package import VigilSchema

/// One area of health, worked out for one person at a time.
///
/// A module is a pure function from what is known of a person to what follows from it. It keeps nothing: the host keeps the readings that it
/// names as inputs, each once whatever the order in which they arrive, so what a module says does not depend on how its readings came.
/// It runs in a process apart, bounded in time and memory; what it throws or breaks stops it alone. To add one: a folder with a type of this
/// protocol, and a line in `ModuleRegistry.standard`.
package protocol HealthModule: Sendable {
    /// Its name, for programs and for people.
    var identity: ModuleIdentity { get }
    /// The metrics that it reads.
    var inputs: [ModuleInput] { get }
    /// The kinds of timeline entries that it reads.
    var entryKinds: Set<TimelineEntry.Kind> { get }
    /// Other modules whose values it asks for.
    var sources: [String] { get }
    /// The metrics of the observations that it derives.
    var outputs: [String] { get }
    /// Its exchange list: values to be read, and parameters to be set.
    var parameters: [ModuleParameter] { get }

    /// Works out everything that the module has to say of a person at a time.
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
    /// For example `weight`; `vigil.weight` in full. A name that may stand in a topic.
    package let id: String
    package let version: String
    package let name: LocalizedText
    package let description: LocalizedText
    /// A drawing, 120 × 120, as SVG, in the colour of the text around it.
    package let icon: String

    /// - Parameter drawing: the paths of the icon, in a field of 120 × 120, drawn with a line 6 wide.
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

/// A metric that a module reads, and how much of it is kept.
package struct ModuleInput: Sendable, Hashable {
    package let metric: String
    /// The days for which readings are kept; older ones are passed over.
    package let days: Int
    /// Of all readings in so many seconds the earliest is kept; 0: every reading.
    package let spacing: Int

    /// A metric that is measured now and then, each reading of which counts at once.
    package static func spot(_ metric: String, days: Int = 3700) -> ModuleInput { ModuleInput(metric: metric, days: days, spacing: 0) }

    /// A metric that comes all the time: one reading is kept in each so many seconds, and the module runs at most every five minutes.
    package static func continuous(_ metric: String, days: Int, spacing: Int) -> ModuleInput {
        ModuleInput(metric: metric, days: days, spacing: spacing)
    }

    /// The longest that a reading waits for its evaluation, in seconds.
    var delay: Double { spacing == 0 ? 0 : 300 }
}
