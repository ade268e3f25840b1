/// A block of samples on its way to the table `waveform`.
struct Block {
    var identity: Identity
    var samples: [Double]
    /// Seconds.
    var period: Double
    /// As the codec made it.
    var encoded: [UInt8]
    var received: Int64
    var session: Int32
    var origin: Int32
    var zone: Int16
    var place: RowPosition

    /// When the block ends, a period after its last sample; microseconds.
    var ends: Int64 { identity.time + Int64((period * Double(samples.count) * 1_000_000).rounded()) }
}
