/// The player of a video site, which a page can show in a frame.
public struct VideoPlayer: Sendable, Equatable {
    /// The address of the player.
    public let address: String
    /// The origin of the player, for a content security policy.
    public let origin: String
    /// The page of the video on its site.
    public let page: String

    /// Returns nil if the address is not a video on YouTube or Vimeo.
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
        } else {
            return nil
        }
    }
}
