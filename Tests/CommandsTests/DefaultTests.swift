import APOD
import ApodFetchTool
import Commands
import GIFCacheTool
import GIFs
import ImgCacheTool
import ImgDownsampleTool
import Testing

@testable import Options

/// The defaults and valid values of all options and settings.
struct DefaultTests {
    private static func options(of command: Command) -> [AnyOption] {
        command.options + command.subcommands.flatMap(options)
    }

    @Test func textOfADefaultParsesToThatDefault() throws {
        let tools = [Tool.apodFetch, .imgCache, .imgDownsample, .gifCache].map(\.command)
        let options = (tools.flatMap(Self.options) + [AnyOption].settings).filter { $0.defaultValue != nil }
        #expect(options.count > 100)
        for option in options {
            let value = try #require(option.defaultValue)
            let read = try option.parse(option.defaultText)
            #expect("\(read)" == "\(value)", "--\(option.name)")
        }
    }

    @Test func valuesOfASettingAreTheCasesOfItsType() {
        #expect(AnyOption.service.completion == .words(ServiceChoice.allCases.map(\.rawValue)))
        #expect(AnyOption.resolution.completion == .words(Resolution.allCases.map(\.description)))
    }
}
