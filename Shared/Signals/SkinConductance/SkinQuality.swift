/// How far a skin-conductance reading can be trusted.
package enum SkinQuality {
    /// Below this many µS the electrodes are dry or off: said so, not scored.
    package static let dryBelow = 0.05
    /// Above this many µS the sensor is at its end.
    package static let saturatedAbove = 60.0
}
