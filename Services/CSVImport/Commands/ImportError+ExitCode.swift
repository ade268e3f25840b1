package import ServiceKit

extension ImportError: ExitCoded {
    /// As the command's help says.
    package var exitCode: ExitCode {
        switch code {
        case .usage: .usage
        case .source: .noInput
        case .format: .data
        case .ledger, .sink: .unavailable
        case .tooManyRejects: .tooManyRefused
        }
    }
}
