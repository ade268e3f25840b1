/// A name and a value that travel with a message. Names may repeat, and their order is kept.
package struct UserProperty: Sendable, Hashable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
