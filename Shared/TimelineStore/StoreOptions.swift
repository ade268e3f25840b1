/// What a store keeps besides the observations.
package struct StoreOptions: Hashable, Sendable {
    /// Whether minute, hour and day rollups are kept up to date with every change; nil: as the database was told before, at first yes.
    ///
    /// Without them appending is faster, and pages, histograms and downsampled series are computed from the readings: the same
    /// answers, slower. Switching them on makes them anew, which takes minutes for every hundred million readings. The database
    /// remembers it for all who open it: every instance that writes has to be started again after a change.
    package var rollups: Bool?

    /// Makes options.
    package init(rollups: Bool? = nil) { self.rollups = rollups }
}
