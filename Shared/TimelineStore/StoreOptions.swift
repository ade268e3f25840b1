/// What a store keeps besides the observations.
package struct StoreOptions: Hashable, Sendable {
    /// Whether minute, hour and day rollups are kept up to date with every change. Without them pages, histograms and
    /// downsampled series are computed from the readings: the same answers, slower. Switching them on makes them anew.
    package var rollups: Bool

    /// Makes options.
    package init(rollups: Bool = true) { self.rollups = rollups }
}
