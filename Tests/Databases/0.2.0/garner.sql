PRAGMA page_size = 8192;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE _garner_migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;
INSERT INTO _garner_migrations VALUES(1,'0001_initial','f354c9cf0ebec3cc','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(2,'0002_requests','86f26f0d86166bf3','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(3,'0003_slices','b5d1433056b94ba8','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(4,'0004_attachments','d5c68372e7864c99','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(5,'0005_fingerprints','57ae594eae4a30ee','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(6,'0006_replacing','ac4c9d984e96a4c9','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(7,'0007_child_tables','50bdc4d033731489','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(8,'0008_contract','d39329df543e11fc','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(9,'0009_history','702840de47661542','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(10,'0010_schedules','96492132bb28e56f','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(11,'0011_hashes','d21ca07b746c9a52','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(12,'0012_completeness','205e79977e972c1c','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(13,'0013_full_reads','c3dbaa9014432147','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(14,'0014_record_hashes','cf52c3e5623c714e','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(15,'0015_full_pages','af5d30e156d08bea','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(16,'0016_overdue_streams','53c2d17d55850feb','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(17,'0017_head_totals','712b81aff6b956cd','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(18,'0018_kept_rows','e3a717bad441e0f6','2026-11-29T23:29:46.736Z');
INSERT INTO _garner_migrations VALUES(19,'0019_change_check','8e90bb7e6d4b7d6','2026-11-29T23:29:46.736Z');
CREATE TABLE _garner_streams (
    stream_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    table_name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- The run that ended the first read. Rows without an entry in _garner_changes came with it or before.
    baseline_run INTEGER REFERENCES _garner_runs (run_id)
, pages_are_apart INTEGER NOT NULL DEFAULT 0, is_touched INTEGER NOT NULL DEFAULT 0, follows_as_before INTEGER NOT NULL DEFAULT 0 CHECK (follows_as_before IN (0, 1)), paging_place_identity TEXT, whole_identity TEXT, first_records BLOB, full_read_at TEXT, full_read_identity TEXT, parent_through INTEGER, full_page INTEGER, kept_rows INTEGER, kept_since TEXT) STRICT;
INSERT INTO _garner_streams VALUES(1,'zoo.linked','linked',1,1,0,0,'d316a1e99bf2d837','d316a1e99bf2d837',NULL,NULL,NULL,NULL,10,NULL,NULL);
INSERT INTO _garner_streams VALUES(2,'zoo.nexts','nexts',2,1,0,0,'89fb5a718c4557fc','89fb5a718c4557fc',NULL,NULL,NULL,NULL,5,NULL,NULL);
INSERT INTO _garner_streams VALUES(3,'zoo.cursors','cursors',3,1,0,0,'ca810a769ef4935d','ca810a769ef4935d',NULL,NULL,NULL,NULL,4,NULL,NULL);
INSERT INTO _garner_streams VALUES(4,'zoo.numbered','numbered',4,1,0,0,'69de459e06e72774','69de459e06e72774',NULL,NULL,NULL,NULL,10,NULL,NULL);
INSERT INTO _garner_streams VALUES(5,'zoo.fromzero','fromzero',5,1,0,0,'e7e5a4c3a44c033c','e7e5a4c3a44c033c',NULL,NULL,NULL,NULL,10,NULL,NULL);
INSERT INTO _garner_streams VALUES(6,'zoo.offsets','offsets',6,1,0,0,'d8a706ec8aa7b8a7','d8a706ec8aa7b8a7',NULL,NULL,NULL,NULL,2,NULL,NULL);
INSERT INTO _garner_streams VALUES(7,'zoo.parts','parts',7,1,0,0,NULL,'76d5837cdbefdc98',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(8,'zoo.notes','notes',8,1,0,0,NULL,'c6bfd1f9f2260e8c',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(9,'zoo.changing','changing',9,1,0,0,NULL,'8a853ff7fd7384d0',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(10,'zoo.replaced','replaced',10,1,0,0,NULL,'eebf6aed5502a4da',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(11,'zoo.orders','orders',11,1,0,0,NULL,'bb6978bc0919c946',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(12,'zoo.shapes','shapes',12,1,0,0,NULL,'a3ac0f16e5f1775c',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(13,'zoo.single','single',13,1,0,0,NULL,'1d02e9842e45eb8b',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(14,'zoo.orders$[''lines'']','orders__lines',NULL,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(15,'zoo.keyless','keyless',14,1,0,0,NULL,'ec2b7827b5bdc444',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(16,'zoo.health','health',15,1,0,0,NULL,'3ea43b08cf597973',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(17,'zoo.search','search',16,1,0,0,NULL,'ec283722f32e98c7',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
INSERT INTO _garner_streams VALUES(18,'zoo.typed','typed',17,1,0,0,NULL,'a45fb7b38046f179',NULL,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE _garner_columns (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position INTEGER NOT NULL,
    name TEXT NOT NULL,
    -- A normalized JSONPath relative to the record, such as $['weight']['min'] (RFC 9535, section 2.7).
    path TEXT NOT NULL,
    -- NULL while every value was null.
    type TEXT,
    -- 1, 2, ... in the primary key; NULL outside it.
    key_position INTEGER,
    first_seen_run INTEGER NOT NULL,
    PRIMARY KEY (stream_id, position),
    UNIQUE (stream_id, path)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_columns VALUES(1,0,'id','$[''id'']','INTEGER',1,1);
INSERT INTO _garner_columns VALUES(1,1,'name','$[''name'']','TEXT',NULL,1);
INSERT INTO _garner_columns VALUES(2,0,'id','$[''id'']','INTEGER',1,2);
INSERT INTO _garner_columns VALUES(2,1,'name','$[''name'']','TEXT',NULL,2);
INSERT INTO _garner_columns VALUES(3,0,'id','$[''id'']','INTEGER',1,3);
INSERT INTO _garner_columns VALUES(3,1,'name','$[''name'']','TEXT',NULL,3);
INSERT INTO _garner_columns VALUES(4,0,'id','$[''id'']','INTEGER',1,4);
INSERT INTO _garner_columns VALUES(4,1,'name','$[''name'']','TEXT',NULL,4);
INSERT INTO _garner_columns VALUES(5,0,'id','$[''id'']','INTEGER',1,5);
INSERT INTO _garner_columns VALUES(5,1,'name','$[''name'']','TEXT',NULL,5);
INSERT INTO _garner_columns VALUES(6,0,'id','$[''id'']','INTEGER',1,6);
INSERT INTO _garner_columns VALUES(6,1,'name','$[''name'']','TEXT',NULL,6);
INSERT INTO _garner_columns VALUES(7,0,'_region','$[''_region'']','TEXT',NULL,7);
INSERT INTO _garner_columns VALUES(7,1,'id','$[''id'']','TEXT',1,7);
INSERT INTO _garner_columns VALUES(7,2,'n','$[''n'']','INTEGER',NULL,7);
INSERT INTO _garner_columns VALUES(8,0,'_nexts_name','$[''_nexts_name'']','TEXT',NULL,8);
INSERT INTO _garner_columns VALUES(8,1,'id','$[''id'']','INTEGER',1,8);
INSERT INTO _garner_columns VALUES(8,2,'text','$[''text'']','TEXT',NULL,8);
INSERT INTO _garner_columns VALUES(9,0,'id','$[''id'']','INTEGER',1,9);
INSERT INTO _garner_columns VALUES(9,1,'updated_at','$[''updated_at'']','TEXT',NULL,9);
INSERT INTO _garner_columns VALUES(10,0,'id','$[''id'']','INTEGER',1,10);
INSERT INTO _garner_columns VALUES(10,1,'name','$[''name'']','TEXT',NULL,10);
INSERT INTO _garner_columns VALUES(11,0,'id','$[''id'']','INTEGER',1,11);
INSERT INTO _garner_columns VALUES(11,1,'note','$[''note'']','TEXT',NULL,11);
INSERT INTO _garner_columns VALUES(12,0,'id','$[''id'']','INTEGER',1,12);
INSERT INTO _garner_columns VALUES(12,1,'at__x','$[''at''][''x'']','REAL',NULL,12);
INSERT INTO _garner_columns VALUES(12,2,'at__y','$[''at''][''y'']','INTEGER',NULL,12);
INSERT INTO _garner_columns VALUES(12,3,'tags','$[''tags'']','JSON TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,4,'big','$[''big'']','TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,5,'real','$[''real'']','REAL',NULL,12);
INSERT INTO _garner_columns VALUES(12,6,'at','$[''at'']',NULL,NULL,12);
INSERT INTO _garner_columns VALUES(13,0,'id','$[''id'']','INTEGER',1,13);
INSERT INTO _garner_columns VALUES(13,1,'name','$[''name'']','TEXT',NULL,13);
INSERT INTO _garner_columns VALUES(14,0,'_parent_id','parent[''id'']','INTEGER',1,11);
INSERT INTO _garner_columns VALUES(14,1,'_index','index','INTEGER',2,11);
INSERT INTO _garner_columns VALUES(14,2,'sku','$[''sku'']','TEXT',NULL,11);
INSERT INTO _garner_columns VALUES(14,3,'count','$[''count'']','INTEGER',NULL,11);
INSERT INTO _garner_columns VALUES(15,0,'a','$[''a'']','INTEGER',NULL,14);
INSERT INTO _garner_columns VALUES(15,1,'b','$[''b'']','TEXT',NULL,14);
INSERT INTO _garner_columns VALUES(15,2,'_garner_content','$','TEXT',1,14);
INSERT INTO _garner_columns VALUES(16,0,'status','$[''status'']','TEXT',1,15);
INSERT INTO _garner_columns VALUES(16,1,'checks__db','$[''checks''][''db'']','TEXT',NULL,15);
INSERT INTO _garner_columns VALUES(17,0,'id','$[''id'']','INTEGER',1,16);
INSERT INTO _garner_columns VALUES(17,1,'name','$[''name'']','TEXT',NULL,16);
INSERT INTO _garner_columns VALUES(18,0,'id','$[''id'']','INTEGER',1,17);
INSERT INTO _garner_columns VALUES(18,1,'code','$[''code'']','TEXT',NULL,17);
INSERT INTO _garner_columns VALUES(18,2,'price','$[''price'']','REAL',NULL,17);
CREATE TABLE _garner_schema_changes (
    change_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    column_name TEXT NOT NULL,
    old_type TEXT,
    new_type TEXT
) STRICT;
CREATE TABLE _garner_runs (
    run_id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The run that began the read which this run continues; its own number where it began one.
    read_id INTEGER NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('running', 'succeeded', 'failed', 'cancelled', 'skipped', 'interrupted')),
    nominal_at TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    -- Whether the read reached its last page.
    is_complete INTEGER NOT NULL DEFAULT 0 CHECK (is_complete IN (0, 1)),
    pages INTEGER NOT NULL DEFAULT 0,
    requests INTEGER NOT NULL DEFAULT 0,
    not_modified INTEGER NOT NULL DEFAULT 0,
    inserted INTEGER NOT NULL DEFAULT 0,
    updated INTEGER NOT NULL DEFAULT 0,
    unchanged INTEGER NOT NULL DEFAULT 0,
    deleted INTEGER NOT NULL DEFAULT 0,
    quarantined INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    warning TEXT,
    error_code INTEGER,
    error_kind TEXT,
    error_message TEXT,
    error_url TEXT,
    error_hint TEXT
, discarded INTEGER NOT NULL DEFAULT 0, is_retry INTEGER NOT NULL DEFAULT 0 CHECK (is_retry IN (0, 1)), trigger TEXT NOT NULL DEFAULT 'manual' CHECK (trigger IN ('schedule', 'manual')), due_at TEXT, was_stopped INTEGER NOT NULL DEFAULT 0 CHECK (was_stopped IN (0, 1)), error_is_permanent INTEGER NOT NULL DEFAULT 0 CHECK (error_is_permanent IN (0, 1)), skip_first TEXT, skip_count INTEGER, verdict TEXT
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed')), completeness TEXT AS (
    CASE
        WHEN verdict IN ('complete', 'document') THEN 'complete'
        WHEN verdict IN ('silent', 'contradicted') THEN 'unknown'
        WHEN verdict IN ('chosen', 'missed') THEN 'partial'
    END
) VIRTUAL, completeness_reason TEXT) STRICT;
INSERT INTO _garner_runs VALUES(1,1,1,'succeeded',NULL,'2026-11-29T23:29:46.781Z','2026-11-29T23:29:46.842Z',1,3,3,0,24,0,0,0,0,555,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(2,2,2,'succeeded',NULL,'2026-11-29T23:29:46.782Z','2026-11-29T23:29:46.821Z',1,2,2,0,8,0,0,0,0,264,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(3,3,3,'succeeded',NULL,'2026-11-29T23:29:46.782Z','2026-11-29T23:29:46.829Z',1,2,2,0,6,0,0,0,0,191,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(4,4,4,'succeeded',NULL,'2026-11-29T23:29:46.782Z','2026-11-29T23:29:46.837Z',1,3,3,0,25,0,0,0,0,713,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(5,5,5,'succeeded',NULL,'2026-11-29T23:29:46.841Z','2026-11-29T23:29:46.869Z',1,3,3,0,25,0,0,0,0,687,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(6,6,6,'succeeded',NULL,'2026-11-29T23:29:46.841Z','2026-11-29T23:29:46.874Z',1,3,3,0,5,0,0,0,0,228,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(7,7,7,'succeeded',NULL,'2026-11-29T23:29:46.844Z','2026-11-29T23:29:46.850Z',1,2,2,0,6,0,0,0,0,176,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(8,8,8,'succeeded',NULL,'2026-11-29T23:29:46.846Z','2026-11-29T23:29:46.877Z',0,8,8,0,9,0,0,0,0,289,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'silent','no sign of the end after 1 record');
INSERT INTO _garner_runs VALUES(9,9,9,'succeeded',NULL,'2026-11-29T23:29:46.868Z','2026-11-29T23:29:46.883Z',1,1,1,0,3,0,0,0,0,157,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(10,10,10,'succeeded',NULL,'2026-11-29T23:29:46.880Z','2026-11-29T23:29:46.888Z',1,1,1,0,5,0,0,0,0,125,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(11,11,11,'succeeded',NULL,'2026-11-29T23:29:46.881Z','2026-11-29T23:29:46.895Z',1,1,1,0,3,0,0,0,0,298,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(12,12,12,'succeeded',NULL,'2026-11-29T23:29:46.882Z','2026-11-29T23:29:46.901Z',1,1,1,0,2,0,0,0,0,159,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(13,13,13,'succeeded',NULL,'2026-11-29T23:29:46.886Z','2026-11-29T23:29:46.906Z',1,1,1,0,7,0,0,0,0,157,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(14,15,14,'succeeded',NULL,'2026-11-29T23:29:46.945Z','2026-11-29T23:29:46.957Z',1,1,1,0,2,0,0,0,0,54,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(15,16,15,'succeeded',NULL,'2026-11-29T23:29:46.946Z','2026-11-29T23:29:46.955Z',1,1,1,0,1,0,0,0,0,36,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'document',NULL);
INSERT INTO _garner_runs VALUES(16,17,16,'succeeded',NULL,'2026-11-29T23:29:46.946Z','2026-11-29T23:29:46.953Z',1,1,1,0,3,0,0,0,0,83,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(17,18,17,'succeeded',NULL,'2026-11-29T23:29:46.947Z','2026-11-29T23:29:46.951Z',1,1,1,0,2,0,0,0,0,85,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(18,2,18,'succeeded',NULL,'2026-11-29T23:29:47.003Z','2026-11-29T23:29:47.039Z',1,2,2,0,0,0,8,0,0,264,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(19,1,19,'succeeded',NULL,'2026-11-29T23:29:47.005Z','2026-11-29T23:29:47.040Z',1,3,3,0,0,0,24,0,0,555,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(20,3,20,'succeeded',NULL,'2026-11-29T23:29:47.005Z','2026-11-29T23:29:47.049Z',1,2,2,0,0,0,6,0,0,191,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(21,4,21,'succeeded',NULL,'2026-11-29T23:29:47.005Z','2026-11-29T23:29:47.052Z',1,3,3,0,0,0,25,0,0,713,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(22,5,22,'succeeded',NULL,'2026-11-29T23:29:47.046Z','2026-11-29T23:29:47.087Z',1,3,3,0,0,0,25,0,0,687,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(23,6,23,'succeeded',NULL,'2026-11-29T23:29:47.048Z','2026-11-29T23:29:47.085Z',1,3,3,0,0,0,5,0,0,228,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(24,7,24,'succeeded',NULL,'2026-11-29T23:29:47.056Z','2026-11-29T23:29:47.076Z',1,2,2,0,0,0,6,0,0,176,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(25,8,25,'succeeded',NULL,'2026-11-29T23:29:47.056Z','2026-11-29T23:29:47.070Z',0,8,8,0,0,0,9,0,0,289,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'silent','no sign of the end after 1 record');
INSERT INTO _garner_runs VALUES(26,9,26,'succeeded',NULL,'2026-11-29T23:29:47.086Z','2026-11-29T23:29:47.099Z',1,1,1,0,0,0,1,0,0,67,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(27,10,27,'succeeded',NULL,'2026-11-29T23:29:47.086Z','2026-11-29T23:29:47.102Z',1,1,1,0,0,0,5,0,0,125,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(28,11,28,'succeeded',NULL,'2026-11-29T23:29:47.094Z','2026-11-29T23:29:47.101Z',1,1,1,0,0,0,3,0,0,298,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(29,12,29,'succeeded',NULL,'2026-11-29T23:29:47.096Z','2026-11-29T23:29:47.104Z',1,1,1,0,0,0,2,0,0,159,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(30,13,30,'succeeded',NULL,'2026-11-29T23:29:47.108Z','2026-11-29T23:29:47.115Z',1,1,1,0,0,0,7,0,0,157,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(31,15,31,'succeeded',NULL,'2026-11-29T23:29:47.109Z','2026-11-29T23:29:47.113Z',1,1,1,0,0,0,2,0,0,54,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(32,16,32,'succeeded',NULL,'2026-11-29T23:29:47.110Z','2026-11-29T23:29:47.116Z',1,1,1,0,0,0,1,0,0,36,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'document',NULL);
INSERT INTO _garner_runs VALUES(33,17,33,'succeeded',NULL,'2026-11-29T23:29:47.110Z','2026-11-29T23:29:47.120Z',1,1,1,0,0,0,3,0,0,83,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(34,18,34,'succeeded',NULL,'2026-11-29T23:29:47.124Z','2026-11-29T23:29:47.126Z',1,1,1,0,0,0,2,0,0,85,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(35,1,35,'succeeded',NULL,'2026-11-29T23:29:47.181Z','2026-11-29T23:29:47.220Z',1,3,3,0,0,0,24,0,0,555,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(36,2,36,'succeeded',NULL,'2026-11-29T23:29:47.182Z','2026-11-29T23:29:47.214Z',1,2,2,0,0,0,8,0,0,264,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(37,3,37,'succeeded',NULL,'2026-11-29T23:29:47.183Z','2026-11-29T23:29:47.218Z',1,2,2,0,0,0,6,0,0,191,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(38,4,38,'succeeded',NULL,'2026-11-29T23:29:47.183Z','2026-11-29T23:29:47.229Z',1,3,3,0,0,0,25,0,0,713,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(39,5,39,'succeeded',NULL,'2026-11-29T23:29:47.230Z','2026-11-29T23:29:47.257Z',1,3,3,0,0,0,25,0,0,687,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(40,6,40,'succeeded',NULL,'2026-11-29T23:29:47.231Z','2026-11-29T23:29:47.269Z',1,3,3,0,0,0,5,0,0,228,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(41,7,41,'succeeded',NULL,'2026-11-29T23:29:47.231Z','2026-11-29T23:29:47.242Z',1,2,2,0,0,0,6,0,0,176,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(42,8,42,'succeeded',NULL,'2026-11-29T23:29:47.237Z','2026-11-29T23:29:47.252Z',0,8,8,0,0,0,9,0,0,289,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'silent','no sign of the end after 1 record');
INSERT INTO _garner_runs VALUES(43,9,43,'succeeded',NULL,'2026-11-29T23:29:47.245Z','2026-11-29T23:29:47.261Z',1,1,1,0,0,0,1,0,0,67,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(44,10,44,'succeeded',NULL,'2026-11-29T23:29:47.261Z','2026-11-29T23:29:47.277Z',1,1,1,0,0,0,5,0,0,125,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(45,11,45,'succeeded',NULL,'2026-11-29T23:29:47.269Z','2026-11-29T23:29:47.280Z',1,1,1,0,0,0,3,0,0,298,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(46,12,46,'succeeded',NULL,'2026-11-29T23:29:47.273Z','2026-11-29T23:29:47.284Z',1,1,1,0,0,0,2,0,0,159,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(47,13,47,'succeeded',NULL,'2026-11-29T23:29:47.274Z','2026-11-29T23:29:47.288Z',1,1,1,0,0,0,7,0,0,157,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(48,15,48,'succeeded',NULL,'2026-11-29T23:29:47.292Z','2026-11-29T23:29:47.297Z',1,1,1,0,0,0,2,0,0,54,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(49,16,49,'succeeded',NULL,'2026-11-29T23:29:47.293Z','2026-11-29T23:29:47.308Z',1,1,1,0,0,0,1,0,0,36,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'document',NULL);
INSERT INTO _garner_runs VALUES(50,17,50,'succeeded',NULL,'2026-11-29T23:29:47.294Z','2026-11-29T23:29:47.304Z',1,1,1,0,0,0,3,0,0,83,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
INSERT INTO _garner_runs VALUES(51,18,51,'succeeded',NULL,'2026-11-29T23:29:47.294Z','2026-11-29T23:29:47.299Z',1,1,1,0,0,0,2,0,0,85,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL,'complete',NULL);
CREATE TABLE _garner_pages (
    page_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position TEXT NOT NULL,
    read_id INTEGER NOT NULL,
    -- A hash of the keys of its records: while it stays, so do its members.
    validator TEXT, summary TEXT, scope TEXT, record_count INTEGER NOT NULL DEFAULT 0, fingerprint TEXT, has_members INTEGER NOT NULL DEFAULT 0, keys_digest TEXT, bindings TEXT,
    UNIQUE (stream_id, position)
) STRICT;
INSERT INTO _garner_pages VALUES(1,2,'http://api.zoo.example/v1/nexts',36,NULL,'{"count":5,"before":0,"member":"data","next":"http://api.zoo.example/v1/nexts?page=2","is_numbered":true,"more":"$.next","saw_place":true}','a7464fb061af2fb6b525dc42494976825a563854876723716c7dca1ff4711b01',5,'69d8eabbfa1fe120f2d7e2d9206b855b',1,'b26dc4dabf7ca4168f202a936497caa7',NULL);
INSERT INTO _garner_pages VALUES(2,4,'http://api.zoo.example/v1/numbered?page=1',38,NULL,'{"count":10,"before":0,"member":"data","digest":"cfb0c8c0706b3e5a58c3a52c1bdf9392","next":"http://api.zoo.example/v1/numbered?page=2","is_numbered":true,"total":25,"total_pages":3,"page":1}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',10,'6d850f9d239e7de645a3ebf856c235da',1,'d385710a7a0feb7b8c389a4ffb050880',NULL);
INSERT INTO _garner_pages VALUES(3,3,'http://api.zoo.example/v1/cursors',37,NULL,'{"count":4,"before":0,"member":"results","next":"http://api.zoo.example/v1/cursors?cursor=abc","is_by_cursor":true,"more":"$.next_cursor","saw_place":true}','b727d2f47732dadbf2205a51a05b7bbec0e913b8bdf21a90b6a02c87d676a30d',4,'6b44e52f3cf7cc202b350b31968e4815',0,'8a773c9d7f3ce71c7134263be39d554f',NULL);
INSERT INTO _garner_pages VALUES(4,1,'http://api.zoo.example/v1/linked',35,'ETag: "l1"','{"count":10,"before":0,"is_array":true,"next":"http://api.zoo.example/v1/linked?page=2","is_from_head":true,"is_numbered":true,"more":"Link","saw_place":true}','c9086d424ac4672d205d59a9d69eddbd11686bbc315b9ac4e385554fe85ffe81',10,'955970154fe15df4c2ee96fa299fc980',1,'d385710a7a0feb7b8c389a4ffb050880',NULL);
INSERT INTO _garner_pages VALUES(5,2,'http://api.zoo.example/v1/nexts?page=2',36,NULL,'{"count":3,"before":5,"member":"data","end":"$.next","saw_place":true}','a7464fb061af2fb6b525dc42494976825a563854876723716c7dca1ff4711b01',3,'426fcce29566b57b3ef1589039b7c443',1,'0dc8a9edab3bf76848fe8350300ee8db',NULL);
INSERT INTO _garner_pages VALUES(6,4,'http://api.zoo.example/v1/numbered?page=2',38,NULL,'{"count":10,"before":10,"member":"data","digest":"6344afdaece71510512afd7d921f2482","next":"http://api.zoo.example/v1/numbered?page=3","is_numbered":true,"total":25,"total_pages":3,"page":2}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',10,'64a4e2b2e1cd9b85c2f0e738135db678',1,'7eb593ffe9adf8b4cea3ed8245f2b153',NULL);
INSERT INTO _garner_pages VALUES(7,3,'http://api.zoo.example/v1/cursors?cursor=abc',37,NULL,'{"count":2,"before":4,"member":"results","end":"$.next_cursor","saw_place":true}','b727d2f47732dadbf2205a51a05b7bbec0e913b8bdf21a90b6a02c87d676a30d',2,'cc92138d3553293c1ef0916823de2f1c',0,'0753402d97ee45b75b1b24b49afc9e7d',NULL);
INSERT INTO _garner_pages VALUES(8,1,'http://api.zoo.example/v1/linked?page=2',35,'ETag: "l2"','{"count":10,"before":10,"is_array":true,"next":"http://api.zoo.example/v1/linked?page=3","is_from_head":true,"is_numbered":true,"more":"Link","saw_place":true}','c9086d424ac4672d205d59a9d69eddbd11686bbc315b9ac4e385554fe85ffe81',10,'a1b6b1f1b6c1e67eb9c8535084a5744f',1,'7eb593ffe9adf8b4cea3ed8245f2b153',NULL);
INSERT INTO _garner_pages VALUES(9,4,'http://api.zoo.example/v1/numbered?page=3',38,NULL,'{"count":5,"before":20,"member":"data","digest":"55a17f8cf8eaa77e03f98109cc3f2dc1","total":25,"total_pages":3,"page":3}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',5,'72067a818d37b46aee2032142ba25fe1',1,'460f2cc18a3c7e1f7a025b08a5c66426',NULL);
INSERT INTO _garner_pages VALUES(10,1,'http://api.zoo.example/v1/linked?page=3',35,NULL,'{"count":4,"before":20,"is_array":true,"is_of_body":true}','c9086d424ac4672d205d59a9d69eddbd11686bbc315b9ac4e385554fe85ffe81',4,'6a54754aa54d5879fb3446bb12660607',1,'94e58fc7a09be3b53d0e3fd50cb665ad',NULL);
INSERT INTO _garner_pages VALUES(11,7,'http://api.zoo.example/v1/parts/north',41,NULL,'{"count":3,"before":0,"member":"data","end":"$.next","saw_place":true}','d8c566165469a5887d5804865d8f14ebade2146c85881384d10a9e77a4a7f387',3,'98c74a4c70e0027493c1caf7e0a0e81b',1,'28e8f616de64c85d739010c46862305c','{"partition.region":"north"}');
INSERT INTO _garner_pages VALUES(12,5,'http://api.zoo.example/v1/fromzero',39,NULL,'{"count":10,"before":0,"member":"data","digest":"1ab380a1d7cb60311e80b600398b87c5","next":"http://api.zoo.example/v1/fromzero?page=1","is_numbered":true,"total_pages":3,"page":0,"size":10,"is_of_body":true}','d829468f13d1631be7a2f6574d8cfebc9a9ec31b6691d2f6cc345fc7c05df95e',10,'e007a47e85fc91e0370b77a736cef9d1',1,'280befb8f3f772e7b2e6d204c768c099',NULL);
INSERT INTO _garner_pages VALUES(13,7,'http://api.zoo.example/v1/parts/south',41,NULL,'{"count":3,"before":0,"member":"data","end":"$.next","saw_place":true}','32e88db04029b4ef29724608b960a4e46ae50058b9408e33fd15f326cb634d1f',3,'e7ebe387c6017f59fbac02de4fee9749',1,'055b7486d7312bb6fa9ce373191a08f9','{"partition.region":"south"}');
INSERT INTO _garner_pages VALUES(14,6,'http://api.zoo.example/v1/offsets?offset=0&limit=2',40,NULL,'{"count":2,"before":0,"member":"data","digest":"688d3651a37a7a5911c273073c04133a","next":"http://api.zoo.example/v1/offsets?offset=2&limit=2","is_numbered":true,"total":5}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',2,'d788c4537213cb94f3067a180debc1f4',0,'468f23961162b48a6449b2f3ede82053',NULL);
INSERT INTO _garner_pages VALUES(15,5,'http://api.zoo.example/v1/fromzero?page=1',39,NULL,'{"count":10,"before":10,"member":"data","digest":"cfb0c8c0706b3e5a58c3a52c1bdf9392","next":"http://api.zoo.example/v1/fromzero?page=2","is_numbered":true,"total_pages":3,"page":1,"size":10,"is_of_body":true}','d829468f13d1631be7a2f6574d8cfebc9a9ec31b6691d2f6cc345fc7c05df95e',10,'a009940347e9a22162d5960b16705c79',1,'d385710a7a0feb7b8c389a4ffb050880',NULL);
INSERT INTO _garner_pages VALUES(16,6,'http://api.zoo.example/v1/offsets?offset=2&limit=2',40,NULL,'{"count":2,"before":2,"member":"data","digest":"47e1200cc14bd93c4b36a19f2399ff3c","next":"http://api.zoo.example/v1/offsets?offset=4&limit=2","is_numbered":true,"total":5}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',2,'a4b095dc9b14e97ce1e7a44e6a51363c',0,'e9eb9f849c1928cdebb70e3fc4fe8075',NULL);
INSERT INTO _garner_pages VALUES(17,8,'http://api.zoo.example/v1/nexts/10/notes',42,NULL,'{"count":1,"before":0,"member":"data","is_of_body":true}','73649adafa63e782562e0d00dfbece18b37376b8fddd5f12071ac0a45872e14b',1,'3eba944664cb224bf9d410e4a5440832',0,'14fce8c3c4795f8b0d4e118279b7f4c2','{"parent.id":"10"}');
INSERT INTO _garner_pages VALUES(18,8,'http://api.zoo.example/v1/nexts/11/notes',42,NULL,'{"count":2,"before":0,"member":"data","is_of_body":true}','e6744e3740f71bd11dba04f0d9748678be10ac38106ff709fb52735d00671fd1',2,'79ad72e267ef8ae37b2e7f0a62d16945',0,'b0ebd82732cee3b8e49892cc9b524ce3','{"parent.id":"11"}');
INSERT INTO _garner_pages VALUES(19,5,'http://api.zoo.example/v1/fromzero?page=2',39,NULL,'{"count":5,"before":20,"member":"data","digest":"b9694ad8d263231b77c61d7d15f7d34c","total_pages":3,"page":2,"size":10,"is_of_body":true}','d829468f13d1631be7a2f6574d8cfebc9a9ec31b6691d2f6cc345fc7c05df95e',5,'c71d77e856d87ff2b2b24ecdac29c073',1,'314f64ba80bd0a92a9004ebe1ccdf074',NULL);
INSERT INTO _garner_pages VALUES(20,8,'http://api.zoo.example/v1/nexts/13/notes',42,NULL,'{"count":1,"before":0,"member":"data","is_of_body":true}','e5b0e064aabaa4e00afc4faf741c8c17e9938c12b5249c49f1204aa6089fd1fc',1,'ce47f34499629084eb3ad6a643e1b314',0,'f78485c188eab5d8c1692609ff95d1d9','{"parent.id":"13"}');
INSERT INTO _garner_pages VALUES(21,8,'http://api.zoo.example/v1/nexts/12/notes',42,NULL,'{"count":0,"before":0,"member":"data","is_of_body":true}','5c17ac4c406ad3be81bff1a7ddece169a477174b4925b5bdefe33a74d55f82b1',0,'35b8564af43c1302eac9a53676625934',0,'00000000000000000000000000000000','{"parent.id":"12"}');
INSERT INTO _garner_pages VALUES(22,8,'http://api.zoo.example/v1/nexts/21/notes',42,NULL,'{"count":0,"before":0,"member":"data","is_of_body":true}','a6db5baada2ee62b5bdff0b7a473a327e76ddf629387888ccfba60bdcc082bce',0,'35b8564af43c1302eac9a53676625934',0,'00000000000000000000000000000000','{"parent.id":"21"}');
INSERT INTO _garner_pages VALUES(23,8,'http://api.zoo.example/v1/nexts/14/notes',42,NULL,'{"count":2,"before":0,"member":"data","is_of_body":true}','9d98e6d49075d1ca1ed8502225086b44d7d4f99e08cb41240d702cd743c3fdcc',2,'4cc914bc586da71ee12a9effa91f36a8',0,'db21bc1e7494d89ea17156579064292d','{"parent.id":"14"}');
INSERT INTO _garner_pages VALUES(24,8,'http://api.zoo.example/v1/nexts/20/notes',42,NULL,'{"count":2,"before":0,"member":"data","is_of_body":true}','2bcb42f91c5290613b112e3efae99ac2d0c9d562a0c72d75295bd1dc7185bf07',2,'7a651208dc0bb172b26af98464eed1c4',0,'f386275a037419296ac1cf8afc530857','{"parent.id":"20"}');
INSERT INTO _garner_pages VALUES(25,6,'http://api.zoo.example/v1/offsets?offset=4&limit=2',40,NULL,'{"count":1,"before":4,"member":"data","digest":"57b378f7a56dc54b9e91cc0de2ce51fb","total":5}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',1,'a0501fa1955504aefe0b6ba56d1184ff',0,'21ecd5bb0f47384289a9cf0be96600d1',NULL);
INSERT INTO _garner_pages VALUES(26,8,'http://api.zoo.example/v1/nexts/22/notes',42,NULL,'{"count":1,"before":0,"member":"data","is_of_body":true}','3194820219e55a1015634ad5615cdb7bbbd7259ebb439a6ad93a4816f3683356',1,'f4335873f043e0d0b8ce5c6ec37f6564',0,'426bab88bfc4e1955b9565c0eebe0cd5','{"parent.id":"22"}');
INSERT INTO _garner_pages VALUES(28,10,'http://api.zoo.example/v1/replaced',44,NULL,'{"count":5,"before":0,"member":"data","total":5,"is_of_body":true}','3bc16afe942ab94c5a79bc6d11a8079de06f87cde47ef2534a471443ff68c6a8',5,'1f18f56452c044189f85668723a65ff9',1,'1e86b4e91ac3dae5359aae27b4e04871',NULL);
INSERT INTO _garner_pages VALUES(29,11,'http://api.zoo.example/v1/orders',45,NULL,'{"count":3,"before":0,"member":"data","end":"$.next","saw_place":true}','36402ccdc473699fec4874427766136852edb78c186e6b42802ca59a28e01743',3,'402c2d58bf72e3396fc43975b10fbf7a',0,'3cfe915a7c89263673df2e390a82e7d6',NULL);
INSERT INTO _garner_pages VALUES(30,12,'http://api.zoo.example/v1/shapes',46,NULL,'{"count":2,"before":0,"member":"data","end":"$.next","saw_place":true}','7178426d0dec782c6124dcb3105e13d6aea5215a65399c8b24d66ea6f7591ec1',2,'8f8836f91e4c54de9189756f80a8b137',0,'686d95602454358b72ce8492f1be02dc',NULL);
INSERT INTO _garner_pages VALUES(31,13,'http://api.zoo.example/v1/single',47,NULL,'{"count":7,"before":0,"member":"data"}','4c845c38b00809046c5b13f8c0b70d1a40a65946c19ddb721e5e665c87cbf8ed',7,'d6288558c902b84b25e96089cfcb1243',1,'f5db7af09e8eed36e4d5d1dd249450fe',NULL);
INSERT INTO _garner_pages VALUES(32,18,'http://api.zoo.example/v1/typed',51,NULL,'{"count":2,"before":0,"member":"data","end":"$.next","saw_place":true}','cf7a735dbd7fe7ca5ffb333e4d4c16819cde8ac7ccd9057f2a5671dfc2226104',2,'a0d59ff8ea611373ecc4e03aa2e791bf',0,'686d95602454358b72ce8492f1be02dc',NULL);
INSERT INTO _garner_pages VALUES(33,17,'http://api.zoo.example/v1/search {"size":3}',50,NULL,'{"count":3,"before":0,"member":"hits","total":3,"is_of_body":true}','88b6184fd1f81bd88b714c3bd8c74162551190177e0f4843f39b47eb7ef0e8e3',3,'0bad8afb235a3da6ac5a21e6ee8ebfb0',0,'a8010e8616c2756d7983d8429e146ff7',NULL);
INSERT INTO _garner_pages VALUES(34,16,'http://api.zoo.example/v1/health',49,NULL,'{"count":1,"before":0,"is_document":true}','bfba633b1ef1502e49bcbfc20215ae5042618ea88cdfc7ace8258037ee83052d',1,'1155cf2bb67b4c1549f868174a982dde',0,'9c69711ba5b0278144dafa9c480877b0',NULL);
INSERT INTO _garner_pages VALUES(35,15,'http://api.zoo.example/v1/keyless',48,NULL,'{"count":2,"before":0,"member":"data","end":"$.next","saw_place":true}','603fe3feb74a330430fa392073588e7535284c038affca77943d96af9f3f1e87',2,'364670c4c362b6f084a5200248bf8769',0,'b780d43ed2647d36da9929d8abb29efe',NULL);
INSERT INTO _garner_pages VALUES(36,9,'http://api.zoo.example/v1/changing?since=2026-01-03T00%3A00%3A00Z',43,NULL,'{"count":1,"before":0,"member":"data","end":"$.next","saw_place":true}','3ff0a5d2f4ed2f9f4173dcb4623ae6ddc9e829fe97f74b397873ae9424efe712',1,'b3b964ab3dee2bf93ed77f9cc9e9a265',0,'c28745c6a4ad454404e25455c59014c7',NULL);
CREATE TABLE _garner_members (
    page_id INTEGER NOT NULL REFERENCES _garner_pages (page_id),
    record_key ANY NOT NULL,
    PRIMARY KEY (page_id, record_key)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_members VALUES(1,10);
INSERT INTO _garner_members VALUES(1,11);
INSERT INTO _garner_members VALUES(1,12);
INSERT INTO _garner_members VALUES(1,13);
INSERT INTO _garner_members VALUES(1,14);
INSERT INTO _garner_members VALUES(2,10);
INSERT INTO _garner_members VALUES(2,11);
INSERT INTO _garner_members VALUES(2,12);
INSERT INTO _garner_members VALUES(2,13);
INSERT INTO _garner_members VALUES(2,14);
INSERT INTO _garner_members VALUES(2,15);
INSERT INTO _garner_members VALUES(2,16);
INSERT INTO _garner_members VALUES(2,17);
INSERT INTO _garner_members VALUES(2,18);
INSERT INTO _garner_members VALUES(2,19);
INSERT INTO _garner_members VALUES(4,10);
INSERT INTO _garner_members VALUES(4,11);
INSERT INTO _garner_members VALUES(4,12);
INSERT INTO _garner_members VALUES(4,13);
INSERT INTO _garner_members VALUES(4,14);
INSERT INTO _garner_members VALUES(4,15);
INSERT INTO _garner_members VALUES(4,16);
INSERT INTO _garner_members VALUES(4,17);
INSERT INTO _garner_members VALUES(4,18);
INSERT INTO _garner_members VALUES(4,19);
INSERT INTO _garner_members VALUES(5,20);
INSERT INTO _garner_members VALUES(5,21);
INSERT INTO _garner_members VALUES(5,22);
INSERT INTO _garner_members VALUES(6,20);
INSERT INTO _garner_members VALUES(6,21);
INSERT INTO _garner_members VALUES(6,22);
INSERT INTO _garner_members VALUES(6,23);
INSERT INTO _garner_members VALUES(6,24);
INSERT INTO _garner_members VALUES(6,25);
INSERT INTO _garner_members VALUES(6,26);
INSERT INTO _garner_members VALUES(6,27);
INSERT INTO _garner_members VALUES(6,28);
INSERT INTO _garner_members VALUES(6,29);
INSERT INTO _garner_members VALUES(8,20);
INSERT INTO _garner_members VALUES(8,21);
INSERT INTO _garner_members VALUES(8,22);
INSERT INTO _garner_members VALUES(8,23);
INSERT INTO _garner_members VALUES(8,24);
INSERT INTO _garner_members VALUES(8,25);
INSERT INTO _garner_members VALUES(8,26);
INSERT INTO _garner_members VALUES(8,27);
INSERT INTO _garner_members VALUES(8,28);
INSERT INTO _garner_members VALUES(8,29);
INSERT INTO _garner_members VALUES(9,30);
INSERT INTO _garner_members VALUES(9,31);
INSERT INTO _garner_members VALUES(9,32);
INSERT INTO _garner_members VALUES(9,33);
INSERT INTO _garner_members VALUES(9,34);
INSERT INTO _garner_members VALUES(10,30);
INSERT INTO _garner_members VALUES(10,31);
INSERT INTO _garner_members VALUES(10,32);
INSERT INTO _garner_members VALUES(10,33);
INSERT INTO _garner_members VALUES(11,'north0');
INSERT INTO _garner_members VALUES(11,'north1');
INSERT INTO _garner_members VALUES(11,'north2');
INSERT INTO _garner_members VALUES(12,0);
INSERT INTO _garner_members VALUES(12,1);
INSERT INTO _garner_members VALUES(12,2);
INSERT INTO _garner_members VALUES(12,3);
INSERT INTO _garner_members VALUES(12,4);
INSERT INTO _garner_members VALUES(12,5);
INSERT INTO _garner_members VALUES(12,6);
INSERT INTO _garner_members VALUES(12,7);
INSERT INTO _garner_members VALUES(12,8);
INSERT INTO _garner_members VALUES(12,9);
INSERT INTO _garner_members VALUES(13,'south0');
INSERT INTO _garner_members VALUES(13,'south1');
INSERT INTO _garner_members VALUES(13,'south2');
INSERT INTO _garner_members VALUES(15,10);
INSERT INTO _garner_members VALUES(15,11);
INSERT INTO _garner_members VALUES(15,12);
INSERT INTO _garner_members VALUES(15,13);
INSERT INTO _garner_members VALUES(15,14);
INSERT INTO _garner_members VALUES(15,15);
INSERT INTO _garner_members VALUES(15,16);
INSERT INTO _garner_members VALUES(15,17);
INSERT INTO _garner_members VALUES(15,18);
INSERT INTO _garner_members VALUES(15,19);
INSERT INTO _garner_members VALUES(19,20);
INSERT INTO _garner_members VALUES(19,21);
INSERT INTO _garner_members VALUES(19,22);
INSERT INTO _garner_members VALUES(19,23);
INSERT INTO _garner_members VALUES(19,24);
INSERT INTO _garner_members VALUES(28,0);
INSERT INTO _garner_members VALUES(28,1);
INSERT INTO _garner_members VALUES(28,2);
INSERT INTO _garner_members VALUES(28,3);
INSERT INTO _garner_members VALUES(28,4);
INSERT INTO _garner_members VALUES(31,0);
INSERT INTO _garner_members VALUES(31,1);
INSERT INTO _garner_members VALUES(31,2);
INSERT INTO _garner_members VALUES(31,3);
INSERT INTO _garner_members VALUES(31,4);
INSERT INTO _garner_members VALUES(31,5);
INSERT INTO _garner_members VALUES(31,6);
CREATE TABLE _garner_requests (
    request_id INTEGER PRIMARY KEY,
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    sent_at TEXT NOT NULL,
    url TEXT NOT NULL,
    -- Of the last response; NULL where none came.
    status INTEGER,
    attempts INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    not_modified INTEGER NOT NULL CHECK (not_modified IN (0, 1)),
    -- How many requests the server said it would still take; NULL where it said nothing.
    rate_limit_remaining INTEGER,
    -- Why the page did not come in; NULL where it did.
    error_kind TEXT
) STRICT;
INSERT INTO _garner_requests VALUES(1,2,'2026-11-29T23:29:46.795Z','http://api.zoo.example/v1/nexts',200,1,173,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(2,4,'2026-11-29T23:29:46.795Z','http://api.zoo.example/v1/numbered?page=1',200,1,276,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(3,3,'2026-11-29T23:29:46.795Z','http://api.zoo.example/v1/cursors',200,1,117,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(4,1,'2026-11-29T23:29:46.795Z','http://api.zoo.example/v1/linked',200,1,231,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(5,2,'2026-11-29T23:29:46.802Z','http://api.zoo.example/v1/nexts?page=2',200,1,91,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(6,4,'2026-11-29T23:29:46.803Z','http://api.zoo.example/v1/numbered?page=2',200,1,276,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(7,3,'2026-11-29T23:29:46.805Z','http://api.zoo.example/v1/cursors?cursor=abc',200,1,74,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(8,1,'2026-11-29T23:29:46.806Z','http://api.zoo.example/v1/linked?page=2',200,1,231,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(9,4,'2026-11-29T23:29:46.807Z','http://api.zoo.example/v1/numbered?page=3',200,1,161,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(10,1,'2026-11-29T23:29:46.809Z','http://api.zoo.example/v1/linked?page=3',200,1,93,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(11,7,'2026-11-29T23:29:46.845Z','http://api.zoo.example/v1/parts/north',200,1,88,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(12,5,'2026-11-29T23:29:46.846Z','http://api.zoo.example/v1/fromzero',200,1,254,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(13,7,'2026-11-29T23:29:46.846Z','http://api.zoo.example/v1/parts/south',200,1,88,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(14,6,'2026-11-29T23:29:46.846Z','http://api.zoo.example/v1/offsets?offset=0&limit=2',200,1,83,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(15,5,'2026-11-29T23:29:46.846Z','http://api.zoo.example/v1/fromzero?page=1',200,1,274,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(16,6,'2026-11-29T23:29:46.848Z','http://api.zoo.example/v1/offsets?offset=2&limit=2',200,1,83,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(17,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/10/notes',200,1,33,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(18,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/11/notes',200,1,56,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(19,5,'2026-11-29T23:29:46.851Z','http://api.zoo.example/v1/fromzero?page=2',200,1,159,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(20,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/13/notes',200,1,33,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(21,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/12/notes',200,1,11,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(22,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/21/notes',200,1,11,12,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(23,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/14/notes',200,1,56,12,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(24,8,'2026-11-29T23:29:46.854Z','http://api.zoo.example/v1/nexts/20/notes',200,1,56,12,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(25,6,'2026-11-29T23:29:46.858Z','http://api.zoo.example/v1/offsets?offset=4&limit=2',200,1,62,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(26,8,'2026-11-29T23:29:46.868Z','http://api.zoo.example/v1/nexts/22/notes',200,1,33,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(27,9,'2026-11-29T23:29:46.881Z','http://api.zoo.example/v1/changing',200,1,157,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(28,10,'2026-11-29T23:29:46.885Z','http://api.zoo.example/v1/replaced',200,1,125,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(29,11,'2026-11-29T23:29:46.886Z','http://api.zoo.example/v1/orders',200,1,298,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(30,12,'2026-11-29T23:29:46.888Z','http://api.zoo.example/v1/shapes',200,1,159,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(31,13,'2026-11-29T23:29:46.904Z','http://api.zoo.example/v1/single',200,1,157,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(32,17,'2026-11-29T23:29:46.948Z','http://api.zoo.example/v1/typed',200,1,85,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(33,16,'2026-11-29T23:29:46.948Z','http://api.zoo.example/v1/search',200,1,83,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(34,15,'2026-11-29T23:29:46.948Z','http://api.zoo.example/v1/health',200,1,36,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(35,14,'2026-11-29T23:29:46.947Z','http://api.zoo.example/v1/keyless',200,1,54,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(36,19,'2026-11-29T23:29:47.025Z','http://api.zoo.example/v1/linked',200,1,231,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(37,19,'2026-11-29T23:29:47.032Z','http://api.zoo.example/v1/linked?page=2',200,1,231,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(38,20,'2026-11-29T23:29:47.025Z','http://api.zoo.example/v1/cursors',200,1,117,8,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(39,21,'2026-11-29T23:29:47.025Z','http://api.zoo.example/v1/numbered?page=1',200,1,276,8,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(40,18,'2026-11-29T23:29:47.028Z','http://api.zoo.example/v1/nexts',200,1,173,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(41,21,'2026-11-29T23:29:47.035Z','http://api.zoo.example/v1/numbered?page=2',200,1,276,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(42,18,'2026-11-29T23:29:47.036Z','http://api.zoo.example/v1/nexts?page=2',200,1,91,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(43,19,'2026-11-29T23:29:47.035Z','http://api.zoo.example/v1/linked?page=3',200,1,93,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(44,20,'2026-11-29T23:29:47.035Z','http://api.zoo.example/v1/cursors?cursor=abc',200,1,74,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(45,21,'2026-11-29T23:29:47.038Z','http://api.zoo.example/v1/numbered?page=3',200,1,161,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(46,22,'2026-11-29T23:29:47.058Z','http://api.zoo.example/v1/fromzero',200,1,254,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(47,24,'2026-11-29T23:29:47.058Z','http://api.zoo.example/v1/parts/north',200,1,88,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(48,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/10/notes',200,1,33,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(49,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/11/notes',200,1,56,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(50,23,'2026-11-29T23:29:47.058Z','http://api.zoo.example/v1/offsets?offset=0&limit=2',200,1,83,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(51,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/13/notes',200,1,33,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(52,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/12/notes',200,1,11,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(53,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/20/notes',200,1,56,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(54,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/14/notes',200,1,56,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(55,25,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/nexts/21/notes',200,1,11,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(56,23,'2026-11-29T23:29:47.063Z','http://api.zoo.example/v1/offsets?offset=2&limit=2',200,1,83,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(57,25,'2026-11-29T23:29:47.065Z','http://api.zoo.example/v1/nexts/22/notes',200,1,33,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(58,24,'2026-11-29T23:29:47.059Z','http://api.zoo.example/v1/parts/south',200,1,88,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(59,22,'2026-11-29T23:29:47.061Z','http://api.zoo.example/v1/fromzero?page=1',200,1,274,8,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(60,23,'2026-11-29T23:29:47.069Z','http://api.zoo.example/v1/offsets?offset=4&limit=2',200,1,62,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(61,22,'2026-11-29T23:29:47.069Z','http://api.zoo.example/v1/fromzero?page=2',200,1,159,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(62,26,'2026-11-29T23:29:47.097Z','http://api.zoo.example/v1/changing?since=2026-01-03T00%3A00%3A00Z',200,1,67,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(63,28,'2026-11-29T23:29:47.098Z','http://api.zoo.example/v1/orders',200,1,298,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(64,27,'2026-11-29T23:29:47.097Z','http://api.zoo.example/v1/replaced',200,1,125,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(65,29,'2026-11-29T23:29:47.098Z','http://api.zoo.example/v1/shapes',200,1,159,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(66,31,'2026-11-29T23:29:47.111Z','http://api.zoo.example/v1/keyless',200,1,54,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(67,30,'2026-11-29T23:29:47.112Z','http://api.zoo.example/v1/single',200,1,157,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(68,32,'2026-11-29T23:29:47.112Z','http://api.zoo.example/v1/health',200,1,36,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(69,33,'2026-11-29T23:29:47.112Z','http://api.zoo.example/v1/search',200,1,83,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(70,34,'2026-11-29T23:29:47.125Z','http://api.zoo.example/v1/typed',200,1,85,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(71,36,'2026-11-29T23:29:47.193Z','http://api.zoo.example/v1/nexts',200,1,173,16,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(72,35,'2026-11-29T23:29:47.194Z','http://api.zoo.example/v1/linked',200,1,231,16,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(73,36,'2026-11-29T23:29:47.210Z','http://api.zoo.example/v1/nexts?page=2',200,1,91,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(74,37,'2026-11-29T23:29:47.194Z','http://api.zoo.example/v1/cursors',200,1,117,17,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(75,38,'2026-11-29T23:29:47.194Z','http://api.zoo.example/v1/numbered?page=1',200,1,276,17,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(76,35,'2026-11-29T23:29:47.211Z','http://api.zoo.example/v1/linked?page=2',200,1,231,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(77,37,'2026-11-29T23:29:47.213Z','http://api.zoo.example/v1/cursors?cursor=abc',200,1,74,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(78,38,'2026-11-29T23:29:47.215Z','http://api.zoo.example/v1/numbered?page=2',200,1,276,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(79,35,'2026-11-29T23:29:47.215Z','http://api.zoo.example/v1/linked?page=3',200,1,93,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(80,38,'2026-11-29T23:29:47.218Z','http://api.zoo.example/v1/numbered?page=3',200,1,161,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(81,41,'2026-11-29T23:29:47.238Z','http://api.zoo.example/v1/parts/north',200,1,88,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(82,41,'2026-11-29T23:29:47.238Z','http://api.zoo.example/v1/parts/south',200,1,88,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(83,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/13/notes',200,1,33,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(84,39,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/fromzero',200,1,254,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(85,40,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/offsets?offset=0&limit=2',200,1,83,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(86,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/12/notes',200,1,11,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(87,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/14/notes',200,1,56,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(88,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/11/notes',200,1,56,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(89,39,'2026-11-29T23:29:47.243Z','http://api.zoo.example/v1/fromzero?page=1',200,1,274,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(90,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/20/notes',200,1,56,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(91,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/10/notes',200,1,33,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(92,42,'2026-11-29T23:29:47.239Z','http://api.zoo.example/v1/nexts/21/notes',200,1,11,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(93,42,'2026-11-29T23:29:47.248Z','http://api.zoo.example/v1/nexts/22/notes',200,1,33,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(94,40,'2026-11-29T23:29:47.244Z','http://api.zoo.example/v1/offsets?offset=2&limit=2',200,1,83,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(95,39,'2026-11-29T23:29:47.247Z','http://api.zoo.example/v1/fromzero?page=2',200,1,159,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(96,43,'2026-11-29T23:29:47.248Z','http://api.zoo.example/v1/changing?since=2026-01-03T00%3A00%3A00Z',200,1,67,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(97,40,'2026-11-29T23:29:47.252Z','http://api.zoo.example/v1/offsets?offset=4&limit=2',200,1,62,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(98,44,'2026-11-29T23:29:47.274Z','http://api.zoo.example/v1/replaced',200,1,125,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(99,45,'2026-11-29T23:29:47.275Z','http://api.zoo.example/v1/orders',200,1,298,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(100,46,'2026-11-29T23:29:47.276Z','http://api.zoo.example/v1/shapes',200,1,159,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(101,47,'2026-11-29T23:29:47.276Z','http://api.zoo.example/v1/single',200,1,157,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(102,48,'2026-11-29T23:29:47.295Z','http://api.zoo.example/v1/keyless',200,1,54,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(103,51,'2026-11-29T23:29:47.296Z','http://api.zoo.example/v1/typed',200,1,85,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(104,50,'2026-11-29T23:29:47.296Z','http://api.zoo.example/v1/search',200,1,83,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(105,49,'2026-11-29T23:29:47.296Z','http://api.zoo.example/v1/health',200,1,36,1,0,NULL,NULL);
CREATE TABLE _garner_reads (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    -- The run that began it.
    read_id INTEGER NOT NULL,
    -- What the read is made from: a read that would now be another one does not go on.
    identity TEXT NOT NULL,
    -- No cursor passes this: what changed later may be on a page that was read before.
    began_at TEXT NOT NULL,
    saved_at TEXT NOT NULL,
    -- Why what was read is not all that there is; NULL while it is.
    verdict TEXT NOT NULL DEFAULT 'complete'
CHECK (verdict IN ('complete', 'document', 'silent', 'contradicted', 'chosen', 'missed')), verdict_reason TEXT, is_full INTEGER NOT NULL DEFAULT 0 CHECK (is_full IN (0, 1)), parent_through INTEGER) STRICT;
CREATE TABLE _garner_slices (
    slice_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- A JSON object of placeholders' names and values; {} where the stream has none.
    bindings TEXT NOT NULL,
    -- A JSON object of the parent's fields that are stored with the slice's records.
    added TEXT,
    -- Where the slice goes on; NULL for its first page.
    next_position TEXT,
    -- The greatest cursor on the pages that were read.
    watermark TEXT,
    UNIQUE (stream_id, bindings)
) STRICT;
CREATE TABLE _garner_cursors (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    -- A cursor of another read than this one says nothing.
    identity TEXT NOT NULL,
    value TEXT NOT NULL,
    moved_at TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_cursors VALUES(9,'{}','8a853ff7fd7384d0','2026-01-03T00:00:00Z','2026-11-29T23:29:46.883Z');
CREATE TABLE _garner_blobs (
    -- In 64 lowercase hexadecimal digits.
    sha256 TEXT PRIMARY KEY,
    media_type TEXT NOT NULL,
    length INTEGER NOT NULL,
    content BLOB NOT NULL
) STRICT;
CREATE TABLE _garner_attachments (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    field TEXT NOT NULL,
    -- As it stands in the record.
    url TEXT NOT NULL,
    -- The file as it last came in; NULL while it never did.
    sha256 TEXT REFERENCES _garner_blobs (sha256),
    -- What the server calls that state of it. Only for the configuration and the credential that `scope` is a hash of.
    validator TEXT,
    scope TEXT,
    -- The latest read and run that asked for it.
    read_id INTEGER NOT NULL,
    run_id INTEGER NOT NULL,
    asked_at TEXT NOT NULL,
    -- Why it did not come in then; NULL where it did.
    error_kind TEXT,
    error_message TEXT,
    PRIMARY KEY (stream_id, field, url)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_staged (
    staged_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Those of the slice that it is a page of.
    bindings TEXT NOT NULL,
    position TEXT NOT NULL,
    url TEXT NOT NULL,
    -- A JSON object of what is stored with each of its records.
    added TEXT,
    -- One record a line; NULL for a page that has not changed since it was stored.
    records TEXT,
    record_count INTEGER NOT NULL,
    -- A hash of the records; NULL where nobody compares it.
    validator TEXT,
    fingerprint TEXT,
    summary TEXT,
    scope TEXT NOT NULL
, records_digest TEXT) STRICT;
CREATE TABLE _garner_replacements (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    read_id INTEGER NOT NULL,
    -- What it made of a table without a key; NULL where records were left out, or the table has a key.
    row_count INTEGER
, content_digest TEXT) STRICT;
INSERT INTO _garner_replacements VALUES(10,44,0,NULL);
CREATE TABLE _garner_children (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    parent_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Where the array is in the parent's record, as in _garner_columns.
    path TEXT NOT NULL,
    UNIQUE (parent_id, path)
) STRICT;
INSERT INTO _garner_children VALUES(14,11,'$[''lines'']');
CREATE TABLE _garner_histories (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    since TEXT NOT NULL,
    -- NULL: they are kept.
    until TEXT CHECK (until >= since),
    PRIMARY KEY (stream_id, since)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_histories VALUES(2,'2026-11-29T23:29:46.783Z',NULL);
CREATE TABLE _garner_schedules (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    -- The latest nominal instant that was run to its end or skipped.
    settled_at TEXT,
    -- The end of the latest run.
    ended_at TEXT,
    -- Failed runs in a row, and those of them that will fail again as long as nobody changes something.
    failures INTEGER NOT NULL DEFAULT 0,
    permanent_failures INTEGER NOT NULL DEFAULT 0,
    circuit_opened_at TEXT,
    -- No run is started before but by a person.
    held_until TEXT,
    hold_reason TEXT,
    -- NULL: runs are started.
    paused_at TEXT,
    next_due_at TEXT
, overdue_told_at TEXT) STRICT;
CREATE TABLE _garner_triggers (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    request_id TEXT NOT NULL,
    requested_at TEXT NOT NULL,
    -- Whether it begins with the first page even where an earlier read was not finished, and after how many pages it ends.
    restarts INTEGER NOT NULL DEFAULT 0 CHECK (restarts IN (0, 1)),
    maximum_pages INTEGER CHECK (maximum_pages > 0),
    -- NULL until it begins.
    run_id INTEGER REFERENCES _garner_runs (run_id),
    PRIMARY KEY (stream_id, request_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_hash_key (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL CHECK (length(secret) = 192)
) STRICT;
INSERT INTO _garner_hash_key VALUES(1,X'a4b008671fec511871d8d4c5fa75877078db0fa0e93ede08540522a6e172ed5c146291dcb4a45d7472c389c73c6c701cdfe8112c372bf1bb6fa2a99e6ed199f380403112669fc971acb433ab02eb1d89c29752a36c7a4968483ca84b9b47125cbe762e90c6577b23cb9a337e28173ad5baf3074f3d0b610baf01308cb91221db1dcec28a734ea6e848fe38713a1fbdd5d1ba21be871e18f2d5024add55d96b144b5983f766e81744a2d64fd9c53c70a00a1932ad9f4cbb8a52f7e530aee9760c');
CREATE TABLE IF NOT EXISTS "_garner_quarantine" (
    quarantine_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- The latest run that met it.
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    url TEXT NOT NULL,
    reason TEXT NOT NULL,
    record TEXT NOT NULL,
    -- A JSON object of the parent's fields that are stored with the record.
    added TEXT,
    -- Of the record and the parent's fields, in 32 hexadecimal digits; NULL until the stream's next record comes here.
    record_digest TEXT,
    times INTEGER NOT NULL DEFAULT 1,
    quarantined_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    UNIQUE (stream_id, record_digest)
) STRICT;
CREATE TABLE _garner_due_slices (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    bindings TEXT NOT NULL,
    PRIMARY KEY (stream_id, bindings)
) STRICT, WITHOUT ROWID;
CREATE TABLE _garner_record_hashes (
    page_id INTEGER PRIMARY KEY REFERENCES _garner_pages (page_id) ON DELETE CASCADE,
    shape INTEGER NOT NULL,
    hashes BLOB NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS "_garner_changes" (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    record_key ANY NOT NULL,
    operation TEXT NOT NULL CHECK (operation = 'insert' OR operation = 'update' OR operation = 'delete'),
    PRIMARY KEY (stream_id, run_id, record_key)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS "nexts" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT,
    _garner_deleted_at TEXT
);
INSERT INTO nexts VALUES(10,'n10',NULL);
INSERT INTO nexts VALUES(11,'n11',NULL);
INSERT INTO nexts VALUES(12,'n12',NULL);
INSERT INTO nexts VALUES(13,'n13',NULL);
INSERT INTO nexts VALUES(14,'n14',NULL);
INSERT INTO nexts VALUES(20,'n20',NULL);
INSERT INTO nexts VALUES(21,'n21',NULL);
INSERT INTO nexts VALUES(22,'n22',NULL);
CREATE TABLE IF NOT EXISTS "_garner_history_nexts" (
    _garner_valid_from TEXT NOT NULL,
    _garner_valid_to TEXT CHECK (_garner_valid_to >= _garner_valid_from),
    _garner_run INTEGER,
    _garner_end_run INTEGER,
    "id" ANY,
    "name" ANY,
    "_garner_deleted_at" ANY
) STRICT;
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.803Z',NULL,2,NULL,10,'n10',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.803Z',NULL,2,NULL,11,'n11',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.803Z',NULL,2,NULL,12,'n12',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.803Z',NULL,2,NULL,13,'n13',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.803Z',NULL,2,NULL,14,'n14',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.821Z',NULL,2,NULL,20,'n20',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.821Z',NULL,2,NULL,21,'n21',NULL);
INSERT INTO _garner_history_nexts VALUES('2026-11-29T23:29:46.821Z',NULL,2,NULL,22,'n22',NULL);
CREATE TABLE IF NOT EXISTS "numbered" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO numbered VALUES(10,'n10');
INSERT INTO numbered VALUES(11,'n11');
INSERT INTO numbered VALUES(12,'n12');
INSERT INTO numbered VALUES(13,'n13');
INSERT INTO numbered VALUES(14,'n14');
INSERT INTO numbered VALUES(15,'n15');
INSERT INTO numbered VALUES(16,'n16');
INSERT INTO numbered VALUES(17,'n17');
INSERT INTO numbered VALUES(18,'n18');
INSERT INTO numbered VALUES(19,'n19');
INSERT INTO numbered VALUES(20,'n20');
INSERT INTO numbered VALUES(21,'n21');
INSERT INTO numbered VALUES(22,'n22');
INSERT INTO numbered VALUES(23,'n23');
INSERT INTO numbered VALUES(24,'n24');
INSERT INTO numbered VALUES(25,'n25');
INSERT INTO numbered VALUES(26,'n26');
INSERT INTO numbered VALUES(27,'n27');
INSERT INTO numbered VALUES(28,'n28');
INSERT INTO numbered VALUES(29,'n29');
INSERT INTO numbered VALUES(30,'n30');
INSERT INTO numbered VALUES(31,'n31');
INSERT INTO numbered VALUES(32,'n32');
INSERT INTO numbered VALUES(33,'n33');
INSERT INTO numbered VALUES(34,'n34');
CREATE TABLE IF NOT EXISTS "cursors" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO cursors VALUES(0,'n0');
INSERT INTO cursors VALUES(1,'n1');
INSERT INTO cursors VALUES(2,'n2');
INSERT INTO cursors VALUES(3,'n3');
INSERT INTO cursors VALUES(4,'n4');
INSERT INTO cursors VALUES(5,'n5');
CREATE TABLE IF NOT EXISTS "linked" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO linked VALUES(10,'n10');
INSERT INTO linked VALUES(11,'n11');
INSERT INTO linked VALUES(12,'n12');
INSERT INTO linked VALUES(13,'n13');
INSERT INTO linked VALUES(14,'n14');
INSERT INTO linked VALUES(15,'n15');
INSERT INTO linked VALUES(16,'n16');
INSERT INTO linked VALUES(17,'n17');
INSERT INTO linked VALUES(18,'n18');
INSERT INTO linked VALUES(19,'n19');
INSERT INTO linked VALUES(20,'n20');
INSERT INTO linked VALUES(21,'n21');
INSERT INTO linked VALUES(22,'n22');
INSERT INTO linked VALUES(23,'n23');
INSERT INTO linked VALUES(24,'n24');
INSERT INTO linked VALUES(25,'n25');
INSERT INTO linked VALUES(26,'n26');
INSERT INTO linked VALUES(27,'n27');
INSERT INTO linked VALUES(28,'n28');
INSERT INTO linked VALUES(29,'n29');
INSERT INTO linked VALUES(30,'n30');
INSERT INTO linked VALUES(31,'n31');
INSERT INTO linked VALUES(32,'n32');
INSERT INTO linked VALUES(33,'n33');
CREATE TABLE IF NOT EXISTS "parts" (
    "_region" TEXT,
    "id" TEXT NOT NULL,
    "n" INTEGER,
    PRIMARY KEY ("id")
);
INSERT INTO parts VALUES('north','north0',0);
INSERT INTO parts VALUES('north','north1',1);
INSERT INTO parts VALUES('north','north2',2);
INSERT INTO parts VALUES('south','south0',0);
INSERT INTO parts VALUES('south','south1',1);
INSERT INTO parts VALUES('south','south2',2);
CREATE TABLE IF NOT EXISTS "fromzero" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO fromzero VALUES(0,'n0');
INSERT INTO fromzero VALUES(1,'n1');
INSERT INTO fromzero VALUES(2,'n2');
INSERT INTO fromzero VALUES(3,'n3');
INSERT INTO fromzero VALUES(4,'n4');
INSERT INTO fromzero VALUES(5,'n5');
INSERT INTO fromzero VALUES(6,'n6');
INSERT INTO fromzero VALUES(7,'n7');
INSERT INTO fromzero VALUES(8,'n8');
INSERT INTO fromzero VALUES(9,'n9');
INSERT INTO fromzero VALUES(10,'n10');
INSERT INTO fromzero VALUES(11,'n11');
INSERT INTO fromzero VALUES(12,'n12');
INSERT INTO fromzero VALUES(13,'n13');
INSERT INTO fromzero VALUES(14,'n14');
INSERT INTO fromzero VALUES(15,'n15');
INSERT INTO fromzero VALUES(16,'n16');
INSERT INTO fromzero VALUES(17,'n17');
INSERT INTO fromzero VALUES(18,'n18');
INSERT INTO fromzero VALUES(19,'n19');
INSERT INTO fromzero VALUES(20,'n20');
INSERT INTO fromzero VALUES(21,'n21');
INSERT INTO fromzero VALUES(22,'n22');
INSERT INTO fromzero VALUES(23,'n23');
INSERT INTO fromzero VALUES(24,'n24');
CREATE TABLE IF NOT EXISTS "offsets" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO offsets VALUES(0,'n0');
INSERT INTO offsets VALUES(1,'n1');
INSERT INTO offsets VALUES(2,'n2');
INSERT INTO offsets VALUES(3,'n3');
INSERT INTO offsets VALUES(4,'n4');
CREATE TABLE IF NOT EXISTS "notes" (
    "_nexts_name" TEXT,
    "id" INTEGER PRIMARY KEY,
    "text" TEXT
);
INSERT INTO notes VALUES('n10',100,'t0');
INSERT INTO notes VALUES('n11',110,'t0');
INSERT INTO notes VALUES('n11',111,'t1');
INSERT INTO notes VALUES('n13',130,'t0');
INSERT INTO notes VALUES('n14',140,'t0');
INSERT INTO notes VALUES('n14',141,'t1');
INSERT INTO notes VALUES('n20',200,'t0');
INSERT INTO notes VALUES('n20',201,'t1');
INSERT INTO notes VALUES('n22',220,'t0');
CREATE TABLE IF NOT EXISTS "changing" (
    "id" INTEGER PRIMARY KEY,
    "updated_at" TEXT
);
INSERT INTO changing VALUES(0,'2026-01-01T00:00:00Z');
INSERT INTO changing VALUES(1,'2026-01-02T00:00:00Z');
INSERT INTO changing VALUES(2,'2026-01-03T00:00:00Z');
CREATE TABLE IF NOT EXISTS "replaced" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO replaced VALUES(0,'n0');
INSERT INTO replaced VALUES(1,'n1');
INSERT INTO replaced VALUES(2,'n2');
INSERT INTO replaced VALUES(3,'n3');
INSERT INTO replaced VALUES(4,'n4');
CREATE TABLE IF NOT EXISTS "orders" (
    "id" INTEGER PRIMARY KEY,
    "note" TEXT
);
INSERT INTO orders VALUES(0,'a note of order 0');
INSERT INTO orders VALUES(1,'a note of order 1');
INSERT INTO orders VALUES(2,'a note of order 2');
CREATE VIRTUAL TABLE _garner_search_11 USING fts5("note", tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO _garner_search_11(rowid, note) VALUES(0,'a note of order 0');
INSERT INTO _garner_search_11(rowid, note) VALUES(1,'a note of order 1');
INSERT INTO _garner_search_11(rowid, note) VALUES(2,'a note of order 2');
CREATE TABLE IF NOT EXISTS "orders__lines" (
    "_parent_id" INTEGER NOT NULL,
    "_index" INTEGER NOT NULL,
    "sku" TEXT,
    "count" INTEGER,
    PRIMARY KEY ("_parent_id", "_index")
);
INSERT INTO orders__lines VALUES(0,0,'s0',0);
INSERT INTO orders__lines VALUES(1,0,'s0',0);
INSERT INTO orders__lines VALUES(1,1,'s1',1);
INSERT INTO orders__lines VALUES(2,0,'s0',0);
INSERT INTO orders__lines VALUES(2,1,'s1',1);
INSERT INTO orders__lines VALUES(2,2,'s2',2);
CREATE TABLE IF NOT EXISTS "shapes" (
    "id" INTEGER PRIMARY KEY,
    "at__x" REAL,
    "at__y" INTEGER,
    "tags" JSON TEXT,
    "big" TEXT,
    "real" REAL,
    "at" TEXT
);
INSERT INTO shapes VALUES(1,1.5,2,'["a","b"]','123456789012345678901',0.10000000000000000555,NULL);
INSERT INTO shapes VALUES(2,NULL,NULL,'[]',NULL,2.5,NULL);
CREATE TABLE IF NOT EXISTS "single" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT,
    _garner_deleted_at TEXT
);
INSERT INTO single VALUES(0,'n0',NULL);
INSERT INTO single VALUES(1,'n1',NULL);
INSERT INTO single VALUES(2,'n2',NULL);
INSERT INTO single VALUES(3,'n3',NULL);
INSERT INTO single VALUES(4,'n4',NULL);
INSERT INTO single VALUES(5,'n5',NULL);
INSERT INTO single VALUES(6,'n6',NULL);
CREATE TABLE IF NOT EXISTS "typed" (
    "id" INTEGER PRIMARY KEY,
    "code" TEXT,
    "price" REAL
);
INSERT INTO typed VALUES(1,'007',1.1000000000000000888);
INSERT INTO typed VALUES(2,'8',2.0);
CREATE TABLE IF NOT EXISTS "search" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO search VALUES(1,'n1');
INSERT INTO search VALUES(2,'n2');
INSERT INTO search VALUES(3,'n3');
CREATE TABLE IF NOT EXISTS "health" (
    "status" TEXT NOT NULL,
    "checks__db" TEXT,
    PRIMARY KEY ("status")
);
INSERT INTO health VALUES('up','ok');
CREATE TABLE IF NOT EXISTS "keyless" (
    "a" INTEGER,
    "b" TEXT,
    "_garner_content" TEXT NOT NULL,
    PRIMARY KEY ("_garner_content")
);
INSERT INTO keyless VALUES(1,'x','ecf9e98ec0641e23113ff3ce8bdc78d0');
INSERT INTO keyless VALUES(1,'y','17c386fd01ef29a74ce0aa6c3be5cfae');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('_garner_runs',51);
CREATE INDEX _garner_runs_by_stream ON _garner_runs (stream_id, run_id);
CREATE INDEX _garner_requests_by_run ON _garner_requests (run_id);
CREATE INDEX _garner_attachments_by_blob ON _garner_attachments (sha256);
CREATE INDEX _garner_staged_by_slice ON _garner_staged (stream_id, bindings);
CREATE INDEX _garner_triggers_by_run ON _garner_triggers (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX _garner_runs_by_instant ON _garner_runs (stream_id, nominal_at)
WHERE nominal_at IS NOT NULL AND status <> 'interrupted' AND was_stopped = 0;
CREATE INDEX _garner_runs_that_run ON _garner_runs (stream_id) WHERE status = 'running';
CREATE TRIGGER _garner_touched_2_update AFTER UPDATE ON "nexts"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 2 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_2_delete AFTER DELETE ON "nexts"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 2 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_2_insert BEFORE INSERT ON "nexts" WHEN EXISTS (SELECT 1 FROM "nexts" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 2 AND NOT is_touched;
END;
CREATE INDEX _garner_versions_2 ON "_garner_history_nexts" ("id", _garner_valid_from);
CREATE TRIGGER _garner_touched_4_update AFTER UPDATE ON "numbered"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 4 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_4_delete AFTER DELETE ON "numbered"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 4 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_4_insert BEFORE INSERT ON "numbered" WHEN EXISTS (SELECT 1 FROM "numbered" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 4 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_3_update AFTER UPDATE ON "cursors"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 3 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_3_delete AFTER DELETE ON "cursors"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 3 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_3_insert BEFORE INSERT ON "cursors" WHEN EXISTS (SELECT 1 FROM "cursors" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 3 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_1_update AFTER UPDATE ON "linked"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 1 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_1_delete AFTER DELETE ON "linked"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 1 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_1_insert BEFORE INSERT ON "linked" WHEN EXISTS (SELECT 1 FROM "linked" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 1 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_7_update AFTER UPDATE ON "parts"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 7 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_7_delete AFTER DELETE ON "parts"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 7 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_7_insert BEFORE INSERT ON "parts" WHEN EXISTS (SELECT 1 FROM "parts" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 7 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_5_update AFTER UPDATE ON "fromzero"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 5 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_5_delete AFTER DELETE ON "fromzero"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 5 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_5_insert BEFORE INSERT ON "fromzero" WHEN EXISTS (SELECT 1 FROM "fromzero" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 5 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_6_update AFTER UPDATE ON "offsets"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 6 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_6_delete AFTER DELETE ON "offsets"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 6 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_6_insert BEFORE INSERT ON "offsets" WHEN EXISTS (SELECT 1 FROM "offsets" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 6 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_8_update AFTER UPDATE ON "notes"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 8 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_8_delete AFTER DELETE ON "notes"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 8 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_8_insert BEFORE INSERT ON "notes" WHEN EXISTS (SELECT 1 FROM "notes" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 8 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_9_update AFTER UPDATE ON "changing"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 9 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_9_delete AFTER DELETE ON "changing"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 9 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_9_insert BEFORE INSERT ON "changing" WHEN EXISTS (SELECT 1 FROM "changing" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 9 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_10_update AFTER UPDATE ON "replaced"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 10 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_10_delete AFTER DELETE ON "replaced"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 10 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_10_insert BEFORE INSERT ON "replaced" WHEN EXISTS (SELECT 1 FROM "replaced" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 10 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_11_update AFTER UPDATE ON "orders"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_11_delete AFTER DELETE ON "orders"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_11_insert BEFORE INSERT ON "orders" WHEN EXISTS (SELECT 1 FROM "orders" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_14_update AFTER UPDATE ON "orders__lines"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_14_delete AFTER DELETE ON "orders__lines"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_14_insert BEFORE INSERT ON "orders__lines" WHEN EXISTS (SELECT 1 FROM "orders__lines" WHERE "_parent_id" = NEW."_parent_id" AND "_index" = NEW."_index") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_12_update AFTER UPDATE ON "shapes"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 12 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_12_delete AFTER DELETE ON "shapes"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 12 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_12_insert BEFORE INSERT ON "shapes" WHEN EXISTS (SELECT 1 FROM "shapes" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 12 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_13_update AFTER UPDATE ON "single"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 13 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_13_delete AFTER DELETE ON "single"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 13 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_13_insert BEFORE INSERT ON "single" WHEN EXISTS (SELECT 1 FROM "single" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 13 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_18_update AFTER UPDATE ON "typed"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 18 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_18_delete AFTER DELETE ON "typed"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 18 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_18_insert BEFORE INSERT ON "typed" WHEN EXISTS (SELECT 1 FROM "typed" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 18 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_17_update AFTER UPDATE ON "search"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 17 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_17_delete AFTER DELETE ON "search"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 17 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_17_insert BEFORE INSERT ON "search" WHEN EXISTS (SELECT 1 FROM "search" WHERE "id" = NEW."id") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 17 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_16_update AFTER UPDATE ON "health"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 16 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_16_delete AFTER DELETE ON "health"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 16 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_16_insert BEFORE INSERT ON "health" WHEN EXISTS (SELECT 1 FROM "health" WHERE "status" = NEW."status") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 16 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_15_update AFTER UPDATE ON "keyless"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 15 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_15_delete AFTER DELETE ON "keyless"  BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 15 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_15_insert BEFORE INSERT ON "keyless" WHEN EXISTS (SELECT 1 FROM "keyless" WHERE "_garner_content" = NEW."_garner_content") BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 15 AND NOT is_touched;
END;
COMMIT;
PRAGMA application_id = 1196576338;
PRAGMA user_version = 19;
