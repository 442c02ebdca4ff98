import Records

@testable import APOD

extension Server {
    /// A classic server without an address, which exists only in tests.
    static let api = Server(.api)
}

extension LegacyAnswer {
    static func picture(from object: Record) throws -> Picture { try picture(from: object, server: .api) }
}
