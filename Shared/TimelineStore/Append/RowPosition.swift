/// Where in an append call an observation stands.
struct RowPosition: Hashable, Comparable {
    var batch: Int32
    var group: Int32
    var observation: Int32

    static func < (left: RowPosition, right: RowPosition) -> Bool {
        (left.batch, left.group, left.observation) < (right.batch, right.group, right.observation)
    }
}
