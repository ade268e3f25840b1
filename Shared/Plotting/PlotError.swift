/// Why a plot could not be drawn.
package struct PlotError: Error, Sendable, CustomStringConvertible {
    /// Cairo's own words.
    package let description: String
}
