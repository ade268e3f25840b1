/// What the usual cell, a plausible number, needs of its column's plan: plain numbers, which are copied without counting references.
struct CellPlan: Sendable {
    let index: Int32
    let metric: Int32
    let isNumeric: Bool
    let isPlain: Bool
    let scale: Double
    let offset: Double
    let lowest: Double
    let highest: Double
    let delay: Int64
}
