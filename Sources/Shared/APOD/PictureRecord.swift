import Records
import Support

/// A picture of the day as the record that it becomes: all its fields but those that say where it was read from.
///
/// This is what is kept, so that a day from the cache is a line that is written as it was read.
public struct PictureRecord: Sendable, Equatable {
    public let service: Service
    public let day: CalendarDay
    public let mediaType: Picture.MediaType
    public let fields: Record

    public init(_ picture: Picture) {
        service = picture.service
        day = picture.day
        mediaType = picture.mediaType
        fields = picture.fields
    }

    /// A record that was kept; nil if it isn't about that day or of no known type.
    init?(kept fields: Record, of day: CalendarDay, from service: Service) {
        guard let type = fields.string("media_type").flatMap(Picture.MediaType.init),
            fields.string("date") == day.description
        else { return nil }
        self.service = service
        self.day = day
        mediaType = type
        self.fields = fields
    }
}
