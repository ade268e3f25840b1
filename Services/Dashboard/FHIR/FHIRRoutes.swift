import FHIRMapping
import Observability
import VigilSchema

/// The FHIR R4 interface below `/fhir/R4`: read and search, with the rights, the shares and the audit of the REST interface.
///
/// It is for accounts that may know who somebody is. Whom an account may not see is not there: a read is answered with 404, a search finds nothing.
enum FHIRRoutes {
    static let path = "/fhir/R4"

    static let operations =
        [capabilities] + PatientResources.all + PatientOperations.all + ObservationResources.all + DeviceResources.all
        + EntryResources.all

    /// The routes; what is none of them is refused with an OperationOutcome too.
    static func routes(_ dashboard: RouteContext) -> [HTTPRoute] {
        let unknown = ["GET", "POST", "PUT", "PATCH", "DELETE"].map { method in
            HTTPRoute(method, path + "/{rest*}") { _ in FHIROutcome.response(unsupported) }
        }
        return operations.map { $0.route(dashboard, below: path, failure: FHIROutcome.response) } + unknown
    }

    private static let unsupported = APIError(
        status: 404, code: "not-supported", reason: "there is no such interaction here; /fhir/R4/metadata says what there is")

    private static let capabilities = APIOperation(open: "GET", "/metadata", "What the FHIR interface can do.") { request, dashboard in
        try FHIRParameters(request).checkFormat()
        return FHIR.response(FHIRCapabilities.document(base: FHIRBase(request, dashboard).url))
    }

    /// An operation for those who may know who somebody is.
    static func operation(
        _ path: String, _ summary: String, _ action: @escaping @Sendable (FHIRCall) async throws -> HTTPResponse
    ) -> APIOperation {
        APIOperation("GET", path, summary, for: .permitted(.seeIdentity)) { call in try await action(FHIRCall(call)) }
    }

    /// A search of a type, which a program may also send as a form: what is searched for stands in no log of addresses then.
    static func search(
        _ path: String, _ summary: String, _ action: @escaping @Sendable (FHIRCall) async throws -> HTTPResponse
    ) -> [APIOperation] {
        [
            operation(path, summary, action),
            APIOperation("POST", path + "/_search", summary, for: .permitted(.seeIdentity)) { call in try await action(FHIRCall(call)) },
        ]
    }
}

/// The address under which a client reaches the interface, as links in answers have it.
struct FHIRBase: Sendable {
    let url: String

    /// The host is what the request itself names; it comes back to its sender only.
    init(_ request: HTTPRequest, _ dashboard: RouteContext) {
        let host = (request.headers["host"] ?? "localhost").filter { $0.isASCII && ($0.isLetter || $0.isNumber || ".-:[]".contains($0)) }
        url = "\(dashboard.cookie.isSecure ? "https" : "http")://\(host.prefix(255))\(FHIRRoutes.path)"
    }
}

/// One call of the interface.
struct FHIRCall: Sendable {
    let call: APICall
    let base: String

    init(_ call: APICall) {
        self.call = call
        base = FHIRBase(call.request, call.dashboard).url
    }

    /// The people whom the account may see and whose names fit.
    func people(where isMeant: @Sendable (String) -> Bool) async -> [KnownPerson] {
        await call.dashboard.directory.people(where: isMeant, for: call.account)
    }

    /// The person with the id of a Patient, whom the account may see.
    func person(_ id: String) async -> KnownPerson? { await people { FHIRId.of(participant: $0) == id }.first }

    /// Appends to the audit, and returns the suite asked for the caller.
    func bus(for person: KnownPerson, _ action: String, _ detail: String) async throws -> SuiteClient {
        try await call.audit(action, detail, of: person.participant)
        return call.bus
    }
}

/// Refusals as FHIR has them.
enum FHIROutcome {
    private struct Outcome: Encodable {
        struct Issue: Encodable {
            let severity = "error"
            let code: String
            let diagnostics: String
        }

        let resourceType = "OperationOutcome"
        let issue: [Issue]
    }

    static func response(_ error: APIError) -> HTTPResponse {
        var response = FHIR.response(Outcome(issue: [.init(code: code(error), diagnostics: error.reason)]))
        response.status = error.status
        if error.status == 401 { response.headers["WWW-Authenticate"] = "Bearer" }
        if error.status == 429 { response.headers["Retry-After"] = "8" }
        return response
    }

    /// https://hl7.org/fhir/R4/valueset-issue-type.html
    private static func code(_ error: APIError) -> String {
        switch (error.status, error.code) {
        case (_, "not-supported"), (406, _): "not-supported"
        case (_, "required"): "required"
        case (_, "too-costly"): "too-costly"
        case (401, _): "login"
        case (403, _), (421, _): "forbidden"
        case (404, _): "not-found"
        case (429, _): "throttled"
        case (503, _): "transient"
        case (504, _): "timeout"
        case (400, _): "invalid"
        default: "exception"
        }
    }
}
