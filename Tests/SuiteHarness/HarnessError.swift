/// What kept a benchmark or a fault run from being carried out, or what it found wrong.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}
