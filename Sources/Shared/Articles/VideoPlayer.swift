/// The player of a video: a player of a video site, which a page can show in a frame, or a file that browsers play.
public struct VideoPlayer: Sendable, Equatable {
    /// The address of the player or of the file.
    public let address: String
    /// The origin of the address, for a content security policy.
    public let origin: String
    /// The page of the video on its site, or the file.
    public let page: String
    /// Whether the address is a file.
    public let isFile: Bool

    /// Returns nil if the address is neither a video on YouTube or Vimeo nor a file that browsers play.
    public init?(_ media: MediaAddress) {
        if let id = media.youTubeID {
            // This host sets no cookies before the video plays.
            origin = "https://www.youtube-nocookie.com"
            address = "\(origin)/embed/\(id)?autoplay=1"
            page = "https://www.youtube.com/watch?v=\(id)"
        } else if let video = media.vimeoVideo {
            origin = "https://player.vimeo.com"
            // `dnt` turns tracking off.
            address = "\(origin)/video/\(video.id)?autoplay=1&dnt=1" + (video.key.map { "&h=\($0)" } ?? "")
            page = "https://vimeo.com/\(video.id)" + (video.key.map { "/\($0)" } ?? "")
        } else if media.isBrowserMovie, let host = media.origin {
            (origin, address, page) = (host, media.text, media.text)
        } else {
            return nil
        }
        isFile = address == page
    }
}
