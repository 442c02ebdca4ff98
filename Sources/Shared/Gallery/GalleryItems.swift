import Records
import Support

/// The items of a gallery, in the order in which they were added.
struct GalleryItems: Sendable {
    private(set) var items: [GalleryItem] = []
    private var indices: [String: Int] = [:]
    private var ids: [String: String] = [:]
    private var ofDays: [CalendarDay: [String]] = [:]
    private var numbers: Set<Int> = []
    private var lastNumber = 0

    subscript(key: String) -> GalleryItem? { indices[key].map { items[$0] } }

    /// Adds an item, or replaces the item with the same key. A failure never replaces a picture. Returns the item
    /// that the collection contains afterwards. If the new item is a failure and another item of its day has a
    /// picture, adds nothing and returns nil.
    @discardableResult
    mutating func add(_ item: GalleryItem) -> GalleryItem? {
        takeOver(item.formerKey, as: item.key, item.day)
        if let index = indices[item.key] {
            let old = items[index]
            guard item.hasPicture || !old.hasPicture else { return old }
            guard old.day == item.day else {
                remove([item.key])
                return add(item)
            }
            var item = item
            (item.id, item.number) = (old.id, old.number)
            items[index] = item
            return item
        }
        let neighbours = (item.day.flatMap { ofDays[$0] } ?? []).compactMap { self[$0] }
        if item.hasError, neighbours.contains(where: \.hasPicture) { return nil }
        if item.hasPicture {
            // Remove the failures of earlier runs for this day. Their keys differ, because the address of the picture
            // was unknown.
            remove(neighbours.filter { !$0.hasPicture && $0.hasError }.map(\.key))
        }
        var item = item
        item.id = reserveID(item.key, item.day, item.id)
        if item.number == 0 || numbers.contains(item.number) { item.number = lastNumber + 1 }
        numbers.insert(item.number)
        lastNumber = max(lastNumber, item.number)
        indices[item.key] = items.count
        if let day = item.day { ofDays[day, default: []].append(item.key) }
        items.append(item)
        return item
    }

    /// Changes the key of an item from `former`, which an earlier version of the tool computed, to `key`, unless the
    /// item has another day.
    mutating func takeOver(_ former: String?, as key: String, _ day: CalendarDay?) {
        guard let former, former != key, indices[key] == nil, let index = indices[former] else { return }
        let old = items[index]
        // The old day may be nil, because earlier versions did not read the day from the metadata of a file.
        guard old.isFormer, old.day == day || old.day == nil else { return }
        (items[index].key, items[index].isFormer) = (key, false)
        indices[former] = nil
        indices[key] = index
        ids[old.id] = key
        if let day = old.day, let item = ofDays[day]?.firstIndex(of: former) { ofDays[day]?[item] = key }
    }

    /// Returns the id of an existing item, or reserves an id for a new item. Prefers `wanted` if no other item has
    /// this id.
    mutating func reserveID(_ key: String, _ day: CalendarDay?, _ wanted: String = "") -> String {
        if let old = self[key], old.day == day { return old.id }
        let id =
            ([wanted] + GalleryItem.names(day: day, key: key)).first { !$0.isEmpty && (ids[$0] ?? key) == key } ?? key
        ids[id] = key
        return id
    }

    private mutating func remove(_ keys: [String]) {
        if !keys.isEmpty { keep { !keys.contains($0.key) } }
    }

    /// Removes the items that `isWanted` does not accept.
    mutating func keep(_ isWanted: (GalleryItem) -> Bool) {
        var kept = GalleryItems()
        for item in items where isWanted(item) { kept.add(item) }
        self = kept
    }

    mutating func removeGroups() {
        for index in items.indices where !items[index].groups.isEmpty { items[index].groups = [] }
    }

    /// Returns the key of the given item if the collection contains it, otherwise the keys of all items of its day.
    func keys(standingFor item: GalleryItem) -> [String] {
        if indices[item.key] != nil { return [item.key] }
        return item.day.flatMap { ofDays[$0] } ?? []
    }
}
