/// Where in an append call an observation stands.
struct Place: Hashable {
    var batch: Int32
    var group: Int32
    var observation: Int32
}
