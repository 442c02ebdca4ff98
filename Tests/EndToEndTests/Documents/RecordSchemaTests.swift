import Records
import TestSupport
import Testing

/// Checks that the published schema describes the records. `CasesTests` also checks the records of all cases.
@Suite struct RecordSchemaTests {
    private func faults(_ text: String) throws -> [String] {
        try RecordSchema.published.get().faults(of: Record(parsing: Array(text.utf8)))
    }

    @Test(arguments: [
        "{}", #"{"title":7,"date":false,"image":{"image_url":"x"},"gifUrl":null}"#,
        #"{"raw":{"acf":{"x":1}},"apod":{"service":"api","source":"stale","fetched_at":"x"},"date":"2024-02-03","#
            + #""title":"x","media_type":"other","service_version":"v1"}"#,
        #"{"variants":{"my.own":{"path":"x","bytes":1,"format":"png","status":"made"}},"path":"x"}"#,
    ])
    func fieldsOfTheInputAreNotChecked(_ text: String) throws { #expect(try faults(text) == []) }

    @Test(arguments: [
        (#"{"path":7}"#, "record.path is no string"),
        (
            #"{"cache":{"scope":"a","bytes":1,"content_type":"x","colour":"red"}}"#,
            "record.cache.colour is not described"
        ),
        (#"{"cache":{"scope":"a","bytes":"1","content_type":"x"}}"#, "record.cache.bytes is no integer"),
        (#"{"cache":{"scope":"a","bytes":1.5,"content_type":"x"}}"#, "record.cache.bytes is no integer"),
        (#"{"cache":{"scope":"a","bytes":-1,"content_type":"x"}}"#, "record.cache.bytes is less than 0"),
        (#"{"cache":{"scope":"a","content_type":"x"}}"#, "record.cache.bytes is missing"),
        (
            #"{"cache":{"scope":"a","bytes":1,"content_type":"x","state":"hit"}}"#,
            #"record.cache.state is none of ["fresh", "expired", "placeholder"]"#
        ),
        (#"{"variants":{"a":{"bytes":1},"b":{"bytes":1,"size":"x"}}}"#, "record.variants.b.size is not described"),
        (
            #"{"error":{"tool":"x","code":"x","message":"x","transient":"no","exit":69}}"#,
            "record.error.transient is no boolean"
        ),
        (#"{"info":{"scope":"x"}}"#, "record.info.state is missing"),
    ])
    func invalidOrUndescribedFieldIsAFault(_ text: String, _ fault: String) throws {
        let faults = try faults(text)
        #expect(faults.contains(fault), "\(faults)")
    }

    @Test func invalidMarksAndFieldsOfADayAreFaults() throws {
        let day = #""date":"x","title":"x","media_type":"image","service_version":"v2""#
        func apod(_ marks: String) -> String {
            #"{"apod":{"service":"science","source":"cache","fetched_at":"x","marks":\#(marks)},\#(day)}"#
        }
        #expect(try faults(apod(#"[{"start":0,"end":1,"href":"x"}]"#)) == [])
        #expect(try faults(apod(#"[{"start":0,"end":1,"href":"x"},{"start":0}]"#)).count == 2)
        #expect(try faults(apod(#""0 1 x""#)) == ["record.apod.marks is no array"])
        #expect(try faults(apod("[]").replacing(text: "image", with: "hologram")).count == 1)
        #expect(try faults(#"{"apod":{"service":"science","source":"cache","fetched_at":"x"}}"#).count == 4)
    }

    /// Covers records that few cases print in full.
    @Test func recordsOfEveryCommandFitTheSchema() throws {
        let server = try SampleServer(["--size", "300x200", "--exercises", "5"])
        let home = try ToolHome(environment: server.environment.merging(["SERVER": server.address]) { $1 })
        let schema = try RecordSchema.published.get()
        let scripts = [
            "apod-fetch --date 2024-02-03 --date 2024-02-06 --raw", "apod-fetch --date 2020-06-10 || true",
            "apod-fetch --date 2024-02-03 | img-cache put --output-dir copies | img-downsample --variant overlay --print-hash",
            "img-cache put --incremental $SERVER/pictures/a.jpg", "img-cache ls",
            "img-cache ls --kind original,variant",
            "img-cache info $SERVER/pictures/a.jpg", "img-cache explain $SERVER/pictures/a.jpg",
            "img-cache explain --refresh $SERVER/pictures/b.jpg",
            "apod-fetch --date 2024-02-03 | img-cache explain", "gif-cache put 0001 9999 || true",
            "gif-cache pin 0001", "gif-cache ls", "gif-cache poster 0001", "gif-cache info 0001",
            "gif-cache get 0001 | img-downsample --width 40 --format webp",
            "img-cache put --policy disabled $SERVER/pictures/c.jpg",
            "apod-fetch --date 2024-02-06..2024-02-07 | img-cache put | img-downsample gallery "
                + "--output-dir site",
            "echo '{\"media_type\":\"video\"}' | img-downsample --variant launch-card --fallback",
        ]
        for script in scripts {
            let output = try home.shell(script)
            #expect(output.stdoutBytes.first == UInt8(ascii: "{"), "\(output)")
            let fault = try schema.fault(ofLinesIn: output.stdoutBytes)
            #expect(fault == nil, "\(script)")
        }
    }
}
