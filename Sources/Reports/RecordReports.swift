package import GarnerDatabase
package import GarnerJSON
package import GarnerPersistence
package import GarnerPresentation

extension RecordChange {
    package var json: JSONText {
        var members: [(String, JSONText)] = [
            ("stream", .string(stream)), ("key", key.json), ("op", .string(operation.rawValue)),
            ("run_id", JSONText(run)), ("at", JSONText(at)),
        ]
        if let fields {
            members.append(("fields", .object(fields.map { ($0.name, .array([$0.old.json, $0.new.json])) })))
        }
        return .object(members)
    }
}

extension RecordChange.Key {
    package var json: JSONText {
        switch self {
        case .single(let value): value.json
        case .composite(let array): .verbatim(array)
        }
    }

    package var text: String? {
        switch self {
        case .single(let value): value.text
        case .composite(let array): array
        }
    }
}

extension Value {
    package var json: JSONText {
        switch self {
        case .null: .null
        case .integer(let integer): .integer(integer)
        case .real(let real): real.isFinite ? .number(real) : .string(real.description)
        case .text(let text): .string(text)
        case .blob(let bytes): .object([("$base64", .string(bytes.withUnsafeBufferPointer(Base64.text)))])
        }
    }

    package var text: String? {
        switch self {
        case .null: nil
        case .integer(let integer): String(integer)
        case .real(let real): real.description
        case .text(let text): text
        case .blob(let bytes): bytes.withUnsafeBufferPointer(Base64.text)
        }
    }
}

extension StoredAttachment {
    package var fields: [Report.Field] {
        [
            .init("field", field), .init("media_type", mediaType), .init("length", length), .init("sha256", sha256),
            .init("url", url), .init("error", error),
        ]
    }
}

extension QuarantineEntry {
    package var fields: [Report.Field] {
        [
            .init("id", Int(id)), .init("stream", stream), .init("run_id", run), .init("reason", reason),
            .init("times", times), .init("quarantined_at", quarantinedAt), .init("last_seen_at", lastSeenAt),
            .init("url", url),
        ]
    }
}
