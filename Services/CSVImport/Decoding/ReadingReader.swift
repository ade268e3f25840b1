/// Reads a file's observations, whatever its layout, block by block in the order of the file.
///
/// The same bytes by the same profile give the same readings in the same order, whenever they are read.
///
/// Threading: used by one task.
protocol ReadingReader {
    /// The participants, sources and sessions met so far.
    var subjects: [Subjects.Subject] { get }
    /// The metrics met so far.
    var metrics: [MetricPlan] { get }
    /// What has become of the cells so far.
    var account: Account { get }
    /// How many of the content's bytes have been read.
    var offset: Int { get }

    /// Fills the block with the next readings and rejects.
    /// - Returns: false once nothing follows.
    mutating func fill(_ block: inout ReadingBlock) throws -> Bool
}
