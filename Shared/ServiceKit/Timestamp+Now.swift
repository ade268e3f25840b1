import Foundation
package import VigilSchema

extension Timestamp {
    /// The system clock's time.
    package static var now: Timestamp { Timestamp(seconds: Date().timeIntervalSince1970) }
}
