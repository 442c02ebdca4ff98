import Records

@testable import APOD

extension Server {
    /// A classic server without an address, which only tests have.
    static let api = Server(.api)
}

extension LegacyAnswer {
    static func picture(from object: Record) throws -> Picture { try picture(from: object, server: .api) }
}
