import Records
import Testing

@testable import APOD

@Suite struct RecordTakingTests {
    private func taken(_ text: String) throws -> String {
        var record = try Record(parsing: Array(text.utf8))
        let video = try LegacyAnswer.picture(
            from: legacyAnswer("2026-11-20", ["media_type": "video", "url": "https://x.org/a.mp4", "hdurl": nil]))
        record.takePicture(video.record(fetchedAt: time("2026-11-20")))
        return String(decoding: record.line, as: UTF8.self)
    }

    private let apod = #""apod":{"service":"api","source":"network","fetched_at":"2026-11-20T12:00:00Z"}"#

    @Test func pictureFieldsFollowInputFields() throws {
        #expect(
            try taken(#"{"id":1.10, "date":"2026-11-20T05:00:00","raw":[1]}"#)
                == #"{"id":1.10, "date":"2026-11-20","raw":[1],"title":"A Ring of Dust","explanation":"Dust circles a star.","#
                + #""url":"https://x.org/a.mp4","media_type":"video","service_version":"v1",\#(apod)}"#)
    }

    @Test func fieldsOfAnEarlierPictureAreRemoved() throws {
        let text = try taken(
            #"{"hdurl":"https://x.org/old.jpg","date":"2026-11-20","copyright":"Old","thumbnail_url":"x","mine":true}"#)
        #expect(text.hasPrefix(#"{"date":"2026-11-20","mine":true,"title":"#))
    }
}
