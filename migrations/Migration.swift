/// One step of the history of Garner's own schema.
package struct Migration: Sendable {
    /// 1, 2, ...: the number that the file's name begins with.
    package let version: Int
    package let name: String
    package let sql: String

    /// All migrations in order. A released one is never edited; a new one is added at the end.
    package static let all = [
        Migration(version: 1, name: "0001_initial", sql: PackageResources._001_initial_sql),
        Migration(version: 2, name: "0002_requests", sql: PackageResources._002_requests_sql),
        Migration(version: 3, name: "0003_slices", sql: PackageResources._003_slices_sql),
        Migration(version: 4, name: "0004_attachments", sql: PackageResources._004_attachments_sql),
        Migration(version: 5, name: "0005_fingerprints", sql: PackageResources._005_fingerprints_sql),
        Migration(version: 6, name: "0006_replacing", sql: PackageResources._006_replacing_sql),
        Migration(version: 7, name: "0007_child_tables", sql: PackageResources._007_child_tables_sql),
        Migration(version: 8, name: "0008_contract", sql: PackageResources._008_contract_sql),
        Migration(version: 9, name: "0009_history", sql: PackageResources._009_history_sql),
        Migration(version: 10, name: "0010_schedules", sql: PackageResources._010_schedules_sql),
        Migration(version: 11, name: "0011_hashes", sql: PackageResources._011_hashes_sql),
        Migration(version: 12, name: "0012_completeness", sql: PackageResources._012_completeness_sql),
        Migration(version: 13, name: "0013_full_reads", sql: PackageResources._013_full_reads_sql),
        Migration(version: 14, name: "0014_record_hashes", sql: PackageResources._014_record_hashes_sql),
        Migration(version: 15, name: "0015_full_pages", sql: PackageResources._015_full_pages_sql),
        Migration(version: 16, name: "0016_overdue_streams", sql: PackageResources._016_overdue_streams_sql),
        Migration(version: 17, name: "0017_head_totals", sql: PackageResources._017_head_totals_sql),
        Migration(version: 18, name: "0018_kept_rows", sql: PackageResources._018_kept_rows_sql),
        Migration(version: 19, name: "0019_change_check", sql: PackageResources._019_change_check_sql),
        Migration(version: 20, name: "0020_earlier_answers", sql: PackageResources._020_earlier_answers_sql),
        Migration(version: 21, name: "0021_odd_columns", sql: PackageResources._021_odd_columns_sql),
        Migration(version: 22, name: "0022_runs_not_begun", sql: PackageResources._022_runs_not_begun_sql),
        Migration(version: 23, name: "0023_named_fields", sql: PackageResources._023_named_fields_sql),
        Migration(version: 24, name: "0024_emptied_columns", sql: PackageResources._024_emptied_columns_sql),
        Migration(version: 25, name: "0025_publication", sql: PackageResources._025_publication_sql),
    ]

    /// The SQL that does in an empty database what all migrations do, in a fifteenth of the time. `script/schema` writes it.
    package static let schema = String(decoding: PackageResources.schema_sql, as: UTF8.self)

    private init(version: Int, name: String, sql: [UInt8]) {
        self.version = version
        self.name = name
        self.sql = String(decoding: sql, as: UTF8.self)
    }
}
