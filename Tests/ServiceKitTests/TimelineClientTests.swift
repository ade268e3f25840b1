import Foundation
import MessageBus
import ServiceKit
import Synchronization
import Testing
import VigilSchema

@Suite("Timeline client")
struct TimelineClientTests {
    /// The requests that a scripted timeline was given.
    private final class Asked: Sendable {
        private let requests = Mutex<[TimelineRequest]>([])
        var all: [TimelineRequest] { requests.withLock { $0 } }
        func add(_ request: TimelineRequest) { requests.withLock { $0.append(request) } }
    }

    private func client(_ asked: Asked = Asked(), _ answer: @escaping @Sendable (TimelineRequest) -> String) -> TimelineClient {
        TimelineClient { request, _ in
            asked.add(request)
            return Array(answer(request).utf8)
        }
    }

    @Test("fetches all of a list that comes in several answers")
    func list() async throws {
        let asked = Asked()
        let timeline = client(asked) { request in
            switch request.after {
            case nil: #"{"result":["anna","ben"],"next":"2"}"#
            case "2": #"{"result":["cy"],"next":"3"}"#
            default: #"{"result":[]}"#
            }
        }
        #expect(try await timeline.list(.participants, of: String.self) == ["anna", "ben", "cy"])
        #expect(asked.all.map(\.after) == [nil, "2", "3"])
    }

    @Test("ends where a timeline names a rest that it does not give")
    func endless() async throws {
        let timeline = client { $0.after == nil ? #"{"result":["anna"],"next":"1"}"# : #"{"result":[],"next":"1"}"# }
        #expect(try await timeline.list(.participants, of: String.self) == ["anna"])
    }

    @Test("throws what the timeline refuses, with its code")
    func refusal() async throws {
        let timeline = client { _ in #"{"error":{"code":"refused","reason":"a device may ask for nothing"}}"# }
        let failure = await #expect(throws: TimelineResponse<ParticipantProfile>.Failure.self) {
            try await timeline.ask(.profile(participant: "anna"), as: ParticipantProfile.self)
        }
        #expect(failure?.code == "refused")
    }

    @Test("asks under the account of the response topic, which stands in the payload as well")
    func message() throws {
        let topic = "vigil/v1/responses/carl/7"
        let message = try ServiceRequest(TimelineRequest(.latest(participant: "anna")), to: "timeline").message(answeredOn: topic)
        #expect(message.topic == "vigil/v1/requests/carl/timeline" && message.properties.contentType == MediaType.json)
        let request = try JSONDecoder().decode(TimelineRequest.self, from: Data(message.payload))
        #expect(request.responseTopic == topic && request.query == .latest(participant: "anna"))
        #expect(throws: EncodingError.self) {
            try ServiceRequest(TimelineRequest(.addLevels(["pain": .nan], participant: "anna")), to: "timeline")
        }
    }
}
