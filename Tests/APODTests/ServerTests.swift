import HTTP
import Testing

@testable import APOD

@Suite struct ServerTests {
    @Test(arguments: [
        (nil, "science.nasa.gov's service"), (Service.scienceAddress, "science.nasa.gov's service"),
        ("https://SCIENCE.nasa.gov:443/wp-json/other", "science.nasa.gov's service"),
        ("https://apod.example.org/planetary", "the service at apod.example.org"),
        ("http://127.0.0.1:8080/", "the service at 127.0.0.1:8080"),
        ("https://api.nasa.gov/", "the service at api.nasa.gov"),
        ("http://user:secret@[::1]:81/", "the service at [::1]:81"),
    ])
    func mirrorIsNamedByItsHost(_ address: String?, _ name: String) throws {
        let server = Server(.science, at: try address.map { try WebURL($0) })
        #expect(server.name == name)
        #expect(APODFailure.forbidden(server, status: 403).message.hasPrefix("\(name) refused access"))
    }

    @Test func aClassicServerIsNeverNASA() throws {
        for address in ["https://api.nasa.gov/planetary/apod", Service.scienceAddress, "http://127.0.0.1:8000/v1/apod"]
        {
            #expect(!Server(.api, at: try WebURL(address)).isNASA)
        }
    }
}
