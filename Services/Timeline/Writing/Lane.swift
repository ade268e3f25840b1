/// Where data comes from, which decides who waits for whom.
package enum Lane: Sendable {
    /// Sensors, and alerts' transitions.
    case live
    /// Imports.
    case history
}
