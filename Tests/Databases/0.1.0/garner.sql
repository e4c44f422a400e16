PRAGMA page_size = 8192;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE _garner_migrations (
    version INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at TEXT NOT NULL
) STRICT;
INSERT INTO _garner_migrations VALUES(1,'0001_initial','f354c9cf0ebec3cc','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(2,'0002_requests','86f26f0d86166bf3','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(3,'0003_slices','b5d1433056b94ba8','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(4,'0004_attachments','d5c68372e7864c99','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(5,'0005_fingerprints','57ae594eae4a30ee','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(6,'0006_replacing','ac4c9d984e96a4c9','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(7,'0007_child_tables','50bdc4d033731489','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(8,'0008_contract','d39329df543e11fc','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(9,'0009_history','702840de47661542','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(10,'0010_schedules','96492132bb28e56f','2026-11-23T14:49:37.896Z');
INSERT INTO _garner_migrations VALUES(11,'0011_hashes','d21ca07b746c9a52','2026-11-23T14:49:37.896Z');
CREATE TABLE _garner_streams (
    stream_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    table_name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    -- The run that ended the first read. Rows without an entry in _garner_changes came with it or before.
    baseline_run INTEGER REFERENCES _garner_runs (run_id)
, pages_are_apart INTEGER NOT NULL DEFAULT 0, is_touched INTEGER NOT NULL DEFAULT 0) STRICT;
INSERT INTO _garner_streams VALUES(1,'zoo.linked','linked',1,1,0);
INSERT INTO _garner_streams VALUES(2,'zoo.cursors','cursors',2,1,0);
INSERT INTO _garner_streams VALUES(3,'zoo.numbered','numbered',3,1,0);
INSERT INTO _garner_streams VALUES(4,'zoo.nexts','nexts',4,1,0);
INSERT INTO _garner_streams VALUES(5,'zoo.offsets','offsets',5,1,0);
INSERT INTO _garner_streams VALUES(6,'zoo.plain','plain',6,1,0);
INSERT INTO _garner_streams VALUES(7,'zoo.totals','totals',7,1,0);
INSERT INTO _garner_streams VALUES(8,'zoo.single','single',8,1,0);
INSERT INTO _garner_streams VALUES(9,'zoo.changing','changing',9,1,0);
INSERT INTO _garner_streams VALUES(10,'zoo.replaced','replaced',10,1,0);
INSERT INTO _garner_streams VALUES(11,'zoo.notes','notes',11,1,0);
INSERT INTO _garner_streams VALUES(12,'zoo.shapes','shapes',12,1,0);
INSERT INTO _garner_streams VALUES(13,'zoo.kept','kept',13,1,0);
INSERT INTO _garner_streams VALUES(14,'zoo.keyless','keyless',14,1,0);
INSERT INTO _garner_streams VALUES(15,'zoo.logged','logged',15,1,0);
INSERT INTO _garner_streams VALUES(16,'zoo.health','health',16,1,0);
INSERT INTO _garner_streams VALUES(17,'zoo.search','search',17,1,0);
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
INSERT INTO _garner_columns VALUES(7,0,'id','$[''id'']','INTEGER',1,7);
INSERT INTO _garner_columns VALUES(7,1,'name','$[''name'']','TEXT',NULL,7);
INSERT INTO _garner_columns VALUES(8,0,'id','$[''id'']','INTEGER',1,8);
INSERT INTO _garner_columns VALUES(8,1,'name','$[''name'']','TEXT',NULL,8);
INSERT INTO _garner_columns VALUES(9,0,'id','$[''id'']','INTEGER',1,9);
INSERT INTO _garner_columns VALUES(9,1,'updated_at','$[''updated_at'']','TEXT',NULL,9);
INSERT INTO _garner_columns VALUES(10,0,'id','$[''id'']','INTEGER',1,10);
INSERT INTO _garner_columns VALUES(10,1,'name','$[''name'']','TEXT',NULL,10);
INSERT INTO _garner_columns VALUES(11,0,'_plain_name','$[''_plain_name'']','TEXT',NULL,11);
INSERT INTO _garner_columns VALUES(11,1,'id','$[''id'']','INTEGER',1,11);
INSERT INTO _garner_columns VALUES(11,2,'text','$[''text'']','TEXT',NULL,11);
INSERT INTO _garner_columns VALUES(12,0,'id','$[''id'']','INTEGER',1,12);
INSERT INTO _garner_columns VALUES(12,1,'n','$[''n'']','TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,2,'d','$[''d'']','REAL',NULL,12);
INSERT INTO _garner_columns VALUES(12,3,'b','$[''b'']','BOOLEAN',NULL,12);
INSERT INTO _garner_columns VALUES(12,4,'tags','$[''tags'']','TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,5,'o__x','$[''o''][''x'']','TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,6,'t','$[''t'']','TEXT',NULL,12);
INSERT INTO _garner_columns VALUES(12,7,'o','$[''o'']',NULL,NULL,12);
INSERT INTO _garner_columns VALUES(13,0,'id','$[''id'']','INTEGER',1,13);
INSERT INTO _garner_columns VALUES(13,1,'name','$[''name'']','TEXT',NULL,13);
INSERT INTO _garner_columns VALUES(14,0,'a','$[''a'']','INTEGER',NULL,14);
INSERT INTO _garner_columns VALUES(14,1,'b','$[''b'']','TEXT',NULL,14);
INSERT INTO _garner_columns VALUES(14,2,'_garner_content','$','TEXT',1,14);
INSERT INTO _garner_columns VALUES(15,0,'at','$[''at'']','TEXT',NULL,15);
INSERT INTO _garner_columns VALUES(15,1,'m','$[''m'']','TEXT',NULL,15);
INSERT INTO _garner_columns VALUES(16,0,'status','$[''status'']','TEXT',1,16);
INSERT INTO _garner_columns VALUES(16,1,'checks__db','$[''checks''][''db'']','TEXT',NULL,16);
INSERT INTO _garner_columns VALUES(17,0,'id','$[''id'']','INTEGER',1,17);
INSERT INTO _garner_columns VALUES(17,1,'name','$[''name'']','TEXT',NULL,17);
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
, discarded INTEGER NOT NULL DEFAULT 0, is_retry INTEGER NOT NULL DEFAULT 0 CHECK (is_retry IN (0, 1)), trigger TEXT NOT NULL DEFAULT 'manual' CHECK (trigger IN ('schedule', 'manual')), due_at TEXT, was_stopped INTEGER NOT NULL DEFAULT 0 CHECK (was_stopped IN (0, 1)), error_is_permanent INTEGER NOT NULL DEFAULT 0 CHECK (error_is_permanent IN (0, 1)), skip_first TEXT, skip_count INTEGER) STRICT;
INSERT INTO _garner_runs VALUES(1,1,1,'succeeded',NULL,'2026-11-23T14:49:37.948Z','2026-11-23T14:49:38.028Z',1,3,3,0,24,0,0,0,0,555,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(2,2,2,'succeeded',NULL,'2026-11-23T14:49:37.948Z','2026-11-23T14:49:38.016Z',1,2,2,0,6,0,0,0,0,191,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(3,3,3,'succeeded',NULL,'2026-11-23T14:49:37.949Z','2026-11-23T14:49:38.037Z',1,3,3,0,9,0,0,0,0,271,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(4,4,4,'succeeded',NULL,'2026-11-23T14:49:37.949Z','2026-11-23T14:49:38.020Z',1,2,2,0,10,0,0,0,0,310,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(5,5,5,'succeeded',NULL,'2026-11-23T14:49:38.036Z','2026-11-23T14:49:38.097Z',1,3,3,0,5,0,0,0,0,168,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(6,6,6,'succeeded',NULL,'2026-11-23T14:49:38.036Z','2026-11-23T14:49:38.078Z',1,1,1,0,7,0,0,0,0,148,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(7,7,7,'succeeded',NULL,'2026-11-23T14:49:38.048Z','2026-11-23T14:49:38.063Z',1,1,1,0,10,0,0,0,0,254,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(8,8,8,'succeeded',NULL,'2026-11-23T14:49:38.049Z','2026-11-23T14:49:38.073Z',1,1,1,0,3,0,0,0,0,64,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(9,9,9,'succeeded',NULL,'2026-11-23T14:49:38.086Z','2026-11-23T14:49:38.133Z',1,1,1,0,3,0,0,0,0,145,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(10,10,10,'succeeded',NULL,'2026-11-23T14:49:38.086Z','2026-11-23T14:49:38.145Z',1,1,1,0,4,0,0,0,0,94,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(11,11,11,'succeeded',NULL,'2026-11-23T14:49:38.086Z','2026-11-23T14:49:38.153Z',1,7,7,0,14,0,0,0,0,376,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(12,12,12,'succeeded',NULL,'2026-11-23T14:49:38.102Z','2026-11-23T14:49:38.141Z',1,1,1,0,2,0,0,0,0,171,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(13,13,13,'succeeded',NULL,'2026-11-23T14:49:38.152Z','2026-11-23T14:49:38.167Z',1,1,1,0,5,0,0,0,0,115,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(14,14,14,'succeeded',NULL,'2026-11-23T14:49:38.152Z','2026-11-23T14:49:38.181Z',1,1,1,0,2,0,0,0,0,42,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(15,15,15,'succeeded',NULL,'2026-11-23T14:49:38.155Z','2026-11-23T14:49:38.172Z',1,1,1,0,2,0,0,0,0,48,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(16,16,16,'succeeded',NULL,'2026-11-23T14:49:38.162Z','2026-11-23T14:49:38.175Z',1,1,1,0,1,0,0,0,0,36,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(17,17,17,'succeeded',NULL,'2026-11-23T14:49:38.186Z','2026-11-23T14:49:38.196Z',1,1,1,0,3,0,0,0,0,109,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(18,1,18,'succeeded',NULL,'2026-11-23T14:49:38.495Z','2026-11-23T14:49:38.585Z',1,3,3,0,0,0,24,0,0,555,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(19,4,19,'succeeded',NULL,'2026-11-23T14:49:38.505Z','2026-11-23T14:49:38.566Z',1,2,2,0,0,0,10,0,0,310,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(20,2,20,'succeeded',NULL,'2026-11-23T14:49:38.505Z','2026-11-23T14:49:38.576Z',1,2,2,0,0,0,6,0,0,191,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(21,3,21,'succeeded',NULL,'2026-11-23T14:49:38.505Z','2026-11-23T14:49:38.582Z',1,3,3,0,0,0,9,0,0,271,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(22,5,22,'succeeded',NULL,'2026-11-23T14:49:38.581Z','2026-11-23T14:49:38.652Z',1,3,3,0,0,0,5,0,0,168,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(23,6,23,'succeeded',NULL,'2026-11-23T14:49:38.581Z','2026-11-23T14:49:38.604Z',1,1,1,0,0,0,7,0,0,148,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(24,7,24,'succeeded',NULL,'2026-11-23T14:49:38.592Z','2026-11-23T14:49:38.606Z',1,1,1,0,0,0,10,0,0,254,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(25,8,25,'succeeded',NULL,'2026-11-23T14:49:38.596Z','2026-11-23T14:49:38.617Z',1,1,1,0,0,0,3,0,0,64,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(26,11,26,'succeeded',NULL,'2026-11-23T14:49:38.609Z','2026-11-23T14:49:38.656Z',1,7,7,0,0,0,14,0,0,376,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(27,9,27,'succeeded',NULL,'2026-11-23T14:49:38.610Z','2026-11-23T14:49:38.628Z',1,1,1,0,0,0,1,0,0,55,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(28,10,28,'succeeded',NULL,'2026-11-23T14:49:38.620Z','2026-11-23T14:49:38.650Z',1,1,1,0,0,0,4,0,0,94,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(29,12,29,'succeeded',NULL,'2026-11-23T14:49:38.633Z','2026-11-23T14:49:38.659Z',1,1,1,0,0,0,2,0,0,171,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(30,13,30,'succeeded',NULL,'2026-11-23T14:49:38.656Z','2026-11-23T14:49:38.676Z',1,1,1,0,0,0,5,0,0,115,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(31,14,31,'succeeded',NULL,'2026-11-23T14:49:38.658Z','2026-11-23T14:49:38.677Z',1,1,1,0,0,0,2,0,0,42,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(32,15,32,'succeeded',NULL,'2026-11-23T14:49:38.668Z','2026-11-23T14:49:38.683Z',1,1,1,0,0,0,2,0,0,48,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(33,16,33,'succeeded',NULL,'2026-11-23T14:49:38.668Z','2026-11-23T14:49:38.688Z',1,1,1,0,0,0,1,0,0,36,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
INSERT INTO _garner_runs VALUES(34,17,34,'succeeded',NULL,'2026-11-23T14:49:38.681Z','2026-11-23T14:49:38.694Z',1,1,1,0,0,0,3,0,0,109,NULL,NULL,NULL,NULL,NULL,NULL,0,0,'manual',NULL,0,0,NULL,NULL);
CREATE TABLE _garner_pages (
    page_id INTEGER PRIMARY KEY,
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    position TEXT NOT NULL,
    read_id INTEGER NOT NULL,
    -- A hash of the keys of its records: while it stays, so do its members.
    validator TEXT, summary TEXT, scope TEXT, record_count INTEGER NOT NULL DEFAULT 0, fingerprint TEXT, has_members INTEGER NOT NULL DEFAULT 0, keys_digest TEXT,
    UNIQUE (stream_id, position)
) STRICT;
INSERT INTO _garner_pages VALUES(1,3,'http://api.zoo.example/v1/numbered?page=1',21,NULL,'{"count":3,"before":0,"member":"data","digest":"320aa194135f6a67db7c05dabe8eefdf","next":"http://api.zoo.example/v1/numbered?page=2"}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',3,'6e7dadfba9b3f8ace90ad14bc78b8b04',0,'e65df627a98f082cabcedce1468bb014');
INSERT INTO _garner_pages VALUES(2,2,'http://api.zoo.example/v1/cursors',20,NULL,'{"count":4,"before":0,"member":"results","next":"http://api.zoo.example/v1/cursors?cursor=abc"}','b727d2f47732dadbf2205a51a05b7bbec0e913b8bdf21a90b6a02c87d676a30d',4,'6b44e52f3cf7cc202b350b31968e4815',1,'d5686b0067dcb51cce9df79fbf393aa0');
INSERT INTO _garner_pages VALUES(3,4,'http://api.zoo.example/v1/nexts',19,NULL,'{"count":5,"before":0,"member":"data","next":"http://api.zoo.example/v1/nexts?page=2"}','a7464fb061af2fb6b525dc42494976825a563854876723716c7dca1ff4711b01',5,'69d8eabbfa1fe120f2d7e2d9206b855b',1,'567e8c95b8011ec74d9d829ece420bf0');
INSERT INTO _garner_pages VALUES(4,2,'http://api.zoo.example/v1/cursors?cursor=abc',20,NULL,'{"count":2,"before":4,"member":"results"}','b727d2f47732dadbf2205a51a05b7bbec0e913b8bdf21a90b6a02c87d676a30d',2,'cc92138d3553293c1ef0916823de2f1c',1,'e9fc662608783f33df303082d3e6a41b');
INSERT INTO _garner_pages VALUES(5,4,'http://api.zoo.example/v1/nexts?page=2',19,NULL,'{"count":5,"before":5,"member":"data"}','a7464fb061af2fb6b525dc42494976825a563854876723716c7dca1ff4711b01',5,'291e0ed8e86993ca8551d1dcb37da9f1',1,'08cd51c31eefe76ad5ca93533ba6c1d7');
INSERT INTO _garner_pages VALUES(6,3,'http://api.zoo.example/v1/numbered?page=2',21,NULL,'{"count":3,"before":3,"member":"data","digest":"294e2899fb07d15ea8bfbbffe8353d75","next":"http://api.zoo.example/v1/numbered?page=3"}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',3,'e41678f3b5d6901c133289592d1f87d4',0,'a0a7f3f4775bc6c66a821af5b82d5f30');
INSERT INTO _garner_pages VALUES(7,3,'http://api.zoo.example/v1/numbered?page=3',21,NULL,'{"count":3,"before":6,"member":"data","digest":"11a5bba883e34384897505ce6e400fdc"}','92d7552032d03181fc47284caf8de1921eecfe53d024e1a7827f4481e7076781',3,'03625e2910492b7b936b0df77408712d',0,'8d1231383ec3cb2b308f6ee83b202752');
INSERT INTO _garner_pages VALUES(8,7,'http://api.zoo.example/v1/totals',24,NULL,NULL,'edaab5d01485540ea37147ae20533dba60cee35c7f4a780d44fdb1a7c614f921',10,NULL,1,'7bc1d71dfb48bc386f31f1a25eeb68cc');
INSERT INTO _garner_pages VALUES(9,8,'http://api.zoo.example/v1/single',25,NULL,'{"count":3,"before":0,"is_array":true}','4c845c38b00809046c5b13f8c0b70d1a40a65946c19ddb721e5e665c87cbf8ed',3,'70489be17ac0b089b35f6d22574bed65',1,'57c43258274102b2772963eb9fc375b9');
INSERT INTO _garner_pages VALUES(10,6,'http://api.zoo.example/v1/plain',23,NULL,NULL,'1a70c341d8dcf7cdb44b7f94c6fb09af289e46abf6df910002fb8a8a9e4cf3c0',7,NULL,1,'19ddda3dea87b5b2ce142208e5b301a3');
INSERT INTO _garner_pages VALUES(11,5,'http://api.zoo.example/v1/offsets?offset=0&limit=2',22,NULL,'{"count":2,"before":0,"member":"items","digest":"688d3651a37a7a5911c273073c04133a","next":"http://api.zoo.example/v1/offsets?offset=2&limit=2"}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',2,'20e955b419f0e35c0d7e0777b9bed782',1,'bd5f9f5d37b98bd35334d5e034b89a08');
INSERT INTO _garner_pages VALUES(12,5,'http://api.zoo.example/v1/offsets?offset=2&limit=2',22,NULL,'{"count":2,"before":2,"member":"items","digest":"47e1200cc14bd93c4b36a19f2399ff3c","next":"http://api.zoo.example/v1/offsets?offset=4&limit=2"}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',2,'fec1f016e6c26e2539875cdf19a28d5e',1,'8882b5368839c3b9513c14cf38585f29');
INSERT INTO _garner_pages VALUES(13,5,'http://api.zoo.example/v1/offsets?offset=4&limit=2',22,NULL,'{"count":1,"before":4,"member":"items","digest":"57b378f7a56dc54b9e91cc0de2ce51fb"}','21c8f39fd06949e44c98be8116c2c5f0bce82dfb81b6739b4aada0f303f07a28',1,'0cdd66b948d06190961bbac3a2ab13ab',1,'00c6f38eb26c6a7c1b43f283c0d2cf43');
INSERT INTO _garner_pages VALUES(14,10,'http://api.zoo.example/v1/replaced',28,NULL,NULL,'3bc16afe942ab94c5a79bc6d11a8079de06f87cde47ef2534a471443ff68c6a8',4,NULL,1,'d5686b0067dcb51cce9df79fbf393aa0');
INSERT INTO _garner_pages VALUES(15,16,'http://api.zoo.example/v1/health',33,NULL,'{"count":1,"before":0}','bfba633b1ef1502e49bcbfc20215ae5042618ea88cdfc7ace8258037ee83052d',1,'1155cf2bb67b4c1549f868174a982dde',0,'4243bef3bef38267aae116de6d9270c3');
INSERT INTO _garner_pages VALUES(16,17,'http://api.zoo.example/v1/search {"size":3}',34,NULL,'{"count":3,"before":0,"member":"results"}','88b6184fd1f81bd88b714c3bd8c74162551190177e0f4843f39b47eb7ef0e8e3',3,'ce3ed046af089f45285847a443afd0b6',0,'57c43258274102b2772963eb9fc375b9');
CREATE TABLE _garner_members (
    page_id INTEGER NOT NULL REFERENCES _garner_pages (page_id),
    record_key ANY NOT NULL,
    PRIMARY KEY (page_id, record_key)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_members VALUES(2,0);
INSERT INTO _garner_members VALUES(2,1);
INSERT INTO _garner_members VALUES(2,2);
INSERT INTO _garner_members VALUES(2,3);
INSERT INTO _garner_members VALUES(3,10);
INSERT INTO _garner_members VALUES(3,11);
INSERT INTO _garner_members VALUES(3,12);
INSERT INTO _garner_members VALUES(3,13);
INSERT INTO _garner_members VALUES(3,14);
INSERT INTO _garner_members VALUES(4,4);
INSERT INTO _garner_members VALUES(4,5);
INSERT INTO _garner_members VALUES(5,20);
INSERT INTO _garner_members VALUES(5,21);
INSERT INTO _garner_members VALUES(5,22);
INSERT INTO _garner_members VALUES(5,23);
INSERT INTO _garner_members VALUES(5,24);
INSERT INTO _garner_members VALUES(8,0);
INSERT INTO _garner_members VALUES(8,1);
INSERT INTO _garner_members VALUES(8,2);
INSERT INTO _garner_members VALUES(8,3);
INSERT INTO _garner_members VALUES(8,4);
INSERT INTO _garner_members VALUES(8,5);
INSERT INTO _garner_members VALUES(8,6);
INSERT INTO _garner_members VALUES(8,7);
INSERT INTO _garner_members VALUES(8,8);
INSERT INTO _garner_members VALUES(8,9);
INSERT INTO _garner_members VALUES(9,0);
INSERT INTO _garner_members VALUES(9,1);
INSERT INTO _garner_members VALUES(9,2);
INSERT INTO _garner_members VALUES(10,0);
INSERT INTO _garner_members VALUES(10,1);
INSERT INTO _garner_members VALUES(10,2);
INSERT INTO _garner_members VALUES(10,3);
INSERT INTO _garner_members VALUES(10,4);
INSERT INTO _garner_members VALUES(10,5);
INSERT INTO _garner_members VALUES(10,6);
INSERT INTO _garner_members VALUES(11,0);
INSERT INTO _garner_members VALUES(11,1);
INSERT INTO _garner_members VALUES(12,2);
INSERT INTO _garner_members VALUES(12,3);
INSERT INTO _garner_members VALUES(13,4);
INSERT INTO _garner_members VALUES(14,0);
INSERT INTO _garner_members VALUES(14,1);
INSERT INTO _garner_members VALUES(14,2);
INSERT INTO _garner_members VALUES(14,3);
CREATE TABLE _garner_changes (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    run_id INTEGER NOT NULL REFERENCES _garner_runs (run_id),
    record_key ANY NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('insert', 'update', 'delete')),
    PRIMARY KEY (stream_id, run_id, record_key)
) STRICT, WITHOUT ROWID;
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
INSERT INTO _garner_requests VALUES(1,1,'2026-11-23T14:49:37.959Z','http://api.zoo.example/v1/linked',200,1,231,26,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(2,3,'2026-11-23T14:49:37.959Z','http://api.zoo.example/v1/numbered?page=1',200,1,89,25,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(3,2,'2026-11-23T14:49:37.963Z','http://api.zoo.example/v1/cursors',200,1,117,24,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(4,4,'2026-11-23T14:49:37.959Z','http://api.zoo.example/v1/nexts',200,1,173,28,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(5,1,'2026-11-23T14:49:37.987Z','http://api.zoo.example/v1/linked?page=2',200,1,231,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(6,2,'2026-11-23T14:49:37.993Z','http://api.zoo.example/v1/cursors?cursor=abc',200,1,74,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(7,4,'2026-11-23T14:49:37.993Z','http://api.zoo.example/v1/nexts?page=2',200,1,137,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(8,3,'2026-11-23T14:49:37.990Z','http://api.zoo.example/v1/numbered?page=2',200,1,89,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(9,1,'2026-11-23T14:49:37.999Z','http://api.zoo.example/v1/linked?page=3',200,1,93,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(10,3,'2026-11-23T14:49:38.008Z','http://api.zoo.example/v1/numbered?page=3',200,1,93,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(11,7,'2026-11-23T14:49:38.052Z','http://api.zoo.example/v1/totals',200,1,254,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(12,8,'2026-11-23T14:49:38.052Z','http://api.zoo.example/v1/single',200,1,64,8,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(13,6,'2026-11-23T14:49:38.050Z','http://api.zoo.example/v1/plain',200,1,148,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(14,5,'2026-11-23T14:49:38.050Z','http://api.zoo.example/v1/offsets?offset=0&limit=2',200,1,63,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(15,5,'2026-11-23T14:49:38.074Z','http://api.zoo.example/v1/offsets?offset=2&limit=2',200,1,63,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(16,5,'2026-11-23T14:49:38.093Z','http://api.zoo.example/v1/offsets?offset=4&limit=2',200,1,42,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(17,11,'2026-11-23T14:49:38.101Z','http://api.zoo.example/v1/plain/2/notes',200,1,54,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(18,11,'2026-11-23T14:49:38.101Z','http://api.zoo.example/v1/plain/1/notes',200,1,54,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(19,11,'2026-11-23T14:49:38.100Z','http://api.zoo.example/v1/plain/0/notes',200,1,52,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(20,11,'2026-11-23T14:49:38.101Z','http://api.zoo.example/v1/plain/3/notes',200,1,54,14,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(21,11,'2026-11-23T14:49:38.101Z','http://api.zoo.example/v1/plain/4/notes',200,1,54,14,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(22,11,'2026-11-23T14:49:38.101Z','http://api.zoo.example/v1/plain/5/notes',200,1,54,15,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(23,9,'2026-11-23T14:49:38.103Z','http://api.zoo.example/v1/changing',200,1,145,15,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(24,12,'2026-11-23T14:49:38.105Z','http://api.zoo.example/v1/shapes',200,1,171,14,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(25,10,'2026-11-23T14:49:38.103Z','http://api.zoo.example/v1/replaced',200,1,94,17,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(26,11,'2026-11-23T14:49:38.116Z','http://api.zoo.example/v1/plain/6/notes',200,1,54,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(27,13,'2026-11-23T14:49:38.160Z','http://api.zoo.example/v1/kept',200,1,115,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(28,15,'2026-11-23T14:49:38.161Z','http://api.zoo.example/v1/logged',200,1,48,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(29,16,'2026-11-23T14:49:38.164Z','http://api.zoo.example/v1/health',200,1,36,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(30,14,'2026-11-23T14:49:38.160Z','http://api.zoo.example/v1/keyless',200,1,42,5,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(31,17,'2026-11-23T14:49:38.193Z','http://api.zoo.example/v1/search',200,1,109,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(32,19,'2026-11-23T14:49:38.521Z','http://api.zoo.example/v1/nexts',200,1,173,26,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(33,21,'2026-11-23T14:49:38.540Z','http://api.zoo.example/v1/numbered?page=1',200,1,89,8,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(34,18,'2026-11-23T14:49:38.521Z','http://api.zoo.example/v1/linked',200,1,231,27,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(35,20,'2026-11-23T14:49:38.533Z','http://api.zoo.example/v1/cursors',200,1,117,14,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(36,19,'2026-11-23T14:49:38.551Z','http://api.zoo.example/v1/nexts?page=2',200,1,137,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(37,20,'2026-11-23T14:49:38.552Z','http://api.zoo.example/v1/cursors?cursor=abc',200,1,74,4,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(38,21,'2026-11-23T14:49:38.551Z','http://api.zoo.example/v1/numbered?page=2',200,1,89,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(39,18,'2026-11-23T14:49:38.552Z','http://api.zoo.example/v1/linked?page=2',200,1,231,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(40,21,'2026-11-23T14:49:38.577Z','http://api.zoo.example/v1/numbered?page=3',200,1,93,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(41,18,'2026-11-23T14:49:38.577Z','http://api.zoo.example/v1/linked?page=3',200,1,93,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(42,23,'2026-11-23T14:49:38.597Z','http://api.zoo.example/v1/plain',200,1,148,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(43,24,'2026-11-23T14:49:38.599Z','http://api.zoo.example/v1/totals',200,1,254,0,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(44,22,'2026-11-23T14:49:38.597Z','http://api.zoo.example/v1/offsets?offset=0&limit=2',200,1,63,11,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(45,25,'2026-11-23T14:49:38.607Z','http://api.zoo.example/v1/single',200,1,64,9,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(46,27,'2026-11-23T14:49:38.620Z','http://api.zoo.example/v1/changing?since=2026-01-03T00%3A00%3A00Z',200,1,55,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(47,22,'2026-11-23T14:49:38.609Z','http://api.zoo.example/v1/offsets?offset=2&limit=2',200,1,63,12,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(48,26,'2026-11-23T14:49:38.621Z','http://api.zoo.example/v1/plain/0/notes',200,1,52,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(49,26,'2026-11-23T14:49:38.629Z','http://api.zoo.example/v1/plain/2/notes',200,1,54,12,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(50,26,'2026-11-23T14:49:38.629Z','http://api.zoo.example/v1/plain/1/notes',200,1,54,13,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(51,26,'2026-11-23T14:49:38.629Z','http://api.zoo.example/v1/plain/3/notes',200,1,54,14,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(52,26,'2026-11-23T14:49:38.629Z','http://api.zoo.example/v1/plain/4/notes',200,1,54,17,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(53,26,'2026-11-23T14:49:38.641Z','http://api.zoo.example/v1/plain/5/notes',200,1,54,6,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(54,28,'2026-11-23T14:49:38.632Z','http://api.zoo.example/v1/replaced',200,1,94,16,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(55,22,'2026-11-23T14:49:38.631Z','http://api.zoo.example/v1/offsets?offset=4&limit=2',200,1,42,18,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(56,26,'2026-11-23T14:49:38.641Z','http://api.zoo.example/v1/plain/6/notes',200,1,54,10,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(57,29,'2026-11-23T14:49:38.649Z','http://api.zoo.example/v1/shapes',200,1,171,7,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(58,30,'2026-11-23T14:49:38.669Z','http://api.zoo.example/v1/kept',200,1,115,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(59,31,'2026-11-23T14:49:38.670Z','http://api.zoo.example/v1/keyless',200,1,42,1,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(60,32,'2026-11-23T14:49:38.679Z','http://api.zoo.example/v1/logged',200,1,48,2,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(61,33,'2026-11-23T14:49:38.680Z','http://api.zoo.example/v1/health',200,1,36,3,0,NULL,NULL);
INSERT INTO _garner_requests VALUES(62,34,'2026-11-23T14:49:38.692Z','http://api.zoo.example/v1/search',200,1,109,1,0,NULL,NULL);
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
    omission TEXT
) STRICT;
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
INSERT INTO _garner_cursors VALUES(9,'{}','8a853ff7fd7384d0','2026-01-03T00:00:00Z','2026-11-23T14:49:38.132Z');
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
INSERT INTO _garner_replacements VALUES(10,28,0,NULL);
INSERT INTO _garner_replacements VALUES(15,32,2,'95859a3cceb08fd4450d8118e4c70d8a');
CREATE TABLE _garner_children (
    stream_id INTEGER PRIMARY KEY REFERENCES _garner_streams (stream_id),
    parent_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    -- Where the array is in the parent's record, as in _garner_columns.
    path TEXT NOT NULL,
    UNIQUE (parent_id, path)
) STRICT;
CREATE TABLE _garner_histories (
    stream_id INTEGER NOT NULL REFERENCES _garner_streams (stream_id),
    since TEXT NOT NULL,
    -- NULL: they are kept.
    until TEXT CHECK (until >= since),
    PRIMARY KEY (stream_id, since)
) STRICT, WITHOUT ROWID;
INSERT INTO _garner_histories VALUES(13,'2026-11-23T14:49:38.154Z',NULL);
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
) STRICT;
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
INSERT INTO _garner_hash_key VALUES(1,X'1d2d9f5c386239e89529b61775c54808d72261584e552f519efe158e0c179af3f8d66a7506dfcd3d3ef957feb69d909ca56e803cd46a2e23bc70898eb1c119c39d3d624c75466217d01b6ebbb30bc7103e6207912ab89d4f1e314b61f06626d90010bb7c0d3c051170c68c990800bfed76085af74ed6d1b836ba73851bc2d719c7a220900d0a8d0b03ca8a6a2fa58d9fdcb56b92f54b913d8d46fce9e1c45bd64d7ec8b24da25e2e297179734621c5488a251b77acceac99ac0bf2e8c38e7779');
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
CREATE TABLE IF NOT EXISTS "numbered" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO numbered VALUES(3,'n3');
INSERT INTO numbered VALUES(4,'n4');
INSERT INTO numbered VALUES(5,'n5');
INSERT INTO numbered VALUES(6,'n6');
INSERT INTO numbered VALUES(7,'n7');
INSERT INTO numbered VALUES(8,'n8');
INSERT INTO numbered VALUES(9,'n9');
INSERT INTO numbered VALUES(10,'n10');
INSERT INTO numbered VALUES(11,'n11');
CREATE TABLE IF NOT EXISTS "cursors" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT,
    _garner_deleted_at TEXT
);
INSERT INTO cursors VALUES(0,'n0',NULL);
INSERT INTO cursors VALUES(1,'n1',NULL);
INSERT INTO cursors VALUES(2,'n2',NULL);
INSERT INTO cursors VALUES(3,'n3',NULL);
INSERT INTO cursors VALUES(4,'n4',NULL);
INSERT INTO cursors VALUES(5,'n5',NULL);
CREATE TABLE IF NOT EXISTS "nexts" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO nexts VALUES(10,'n10');
INSERT INTO nexts VALUES(11,'n11');
INSERT INTO nexts VALUES(12,'n12');
INSERT INTO nexts VALUES(13,'n13');
INSERT INTO nexts VALUES(14,'n14');
INSERT INTO nexts VALUES(20,'n20');
INSERT INTO nexts VALUES(21,'n21');
INSERT INTO nexts VALUES(22,'n22');
INSERT INTO nexts VALUES(23,'n23');
INSERT INTO nexts VALUES(24,'n24');
CREATE TABLE IF NOT EXISTS "totals" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO totals VALUES(0,'n0');
INSERT INTO totals VALUES(1,'n1');
INSERT INTO totals VALUES(2,'n2');
INSERT INTO totals VALUES(3,'n3');
INSERT INTO totals VALUES(4,'n4');
INSERT INTO totals VALUES(5,'n5');
INSERT INTO totals VALUES(6,'n6');
INSERT INTO totals VALUES(7,'n7');
INSERT INTO totals VALUES(8,'n8');
INSERT INTO totals VALUES(9,'n9');
CREATE TABLE IF NOT EXISTS "single" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT,
    _garner_deleted_at TEXT
);
INSERT INTO single VALUES(0,'n0',NULL);
INSERT INTO single VALUES(1,'n1',NULL);
INSERT INTO single VALUES(2,'n2',NULL);
CREATE TABLE IF NOT EXISTS "plain" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO plain VALUES(0,'n0');
INSERT INTO plain VALUES(1,'n1');
INSERT INTO plain VALUES(2,'n2');
INSERT INTO plain VALUES(3,'n3');
INSERT INTO plain VALUES(4,'n4');
INSERT INTO plain VALUES(5,'n5');
INSERT INTO plain VALUES(6,'n6');
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
    "_plain_name" TEXT,
    "id" INTEGER PRIMARY KEY,
    "text" TEXT
);
INSERT INTO notes VALUES('n0',0,'t0');
INSERT INTO notes VALUES('n0',1,'t1');
INSERT INTO notes VALUES('n1',10,'t0');
INSERT INTO notes VALUES('n1',11,'t1');
INSERT INTO notes VALUES('n2',20,'t0');
INSERT INTO notes VALUES('n2',21,'t1');
INSERT INTO notes VALUES('n3',30,'t0');
INSERT INTO notes VALUES('n3',31,'t1');
INSERT INTO notes VALUES('n4',40,'t0');
INSERT INTO notes VALUES('n4',41,'t1');
INSERT INTO notes VALUES('n5',50,'t0');
INSERT INTO notes VALUES('n5',51,'t1');
INSERT INTO notes VALUES('n6',60,'t0');
INSERT INTO notes VALUES('n6',61,'t1');
CREATE TABLE IF NOT EXISTS "changing" (
    "id" INTEGER PRIMARY KEY,
    "updated_at" TEXT
);
INSERT INTO changing VALUES(0,'2026-01-01T00:00:00Z');
INSERT INTO changing VALUES(1,'2026-01-02T00:00:00Z');
INSERT INTO changing VALUES(2,'2026-01-03T00:00:00Z');
CREATE TABLE IF NOT EXISTS "shapes" (
    "id" INTEGER PRIMARY KEY,
    "n" TEXT,
    "d" REAL,
    "b" BOOLEAN,
    "tags" TEXT,
    "o__x" TEXT,
    "t" TEXT,
    "o" TEXT
);
INSERT INTO shapes VALUES(1,'12345678901234567890',0.10000000000000000555,1,'["a","b"]','{"y":{"z":1}}','[]',NULL);
INSERT INTO shapes VALUES(2,'2',3.0,0,'[]',NULL,'{}',NULL);
CREATE TABLE IF NOT EXISTS "replaced" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO replaced VALUES(0,'n0');
INSERT INTO replaced VALUES(1,'n1');
INSERT INTO replaced VALUES(2,'n2');
INSERT INTO replaced VALUES(3,'n3');
CREATE TABLE IF NOT EXISTS "kept" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO kept VALUES(0,'n0');
INSERT INTO kept VALUES(1,'n1');
INSERT INTO kept VALUES(2,'n2');
INSERT INTO kept VALUES(3,'n3');
INSERT INTO kept VALUES(4,'n4');
CREATE TABLE IF NOT EXISTS "_garner_history_kept" (
    _garner_valid_from TEXT NOT NULL,
    _garner_valid_to TEXT CHECK (_garner_valid_to >= _garner_valid_from),
    _garner_run INTEGER,
    _garner_end_run INTEGER,
    "id" ANY,
    "name" ANY
) STRICT;
INSERT INTO _garner_history_kept VALUES('2026-11-23T14:49:38.166Z',NULL,13,NULL,0,'n0');
INSERT INTO _garner_history_kept VALUES('2026-11-23T14:49:38.166Z',NULL,13,NULL,1,'n1');
INSERT INTO _garner_history_kept VALUES('2026-11-23T14:49:38.166Z',NULL,13,NULL,2,'n2');
INSERT INTO _garner_history_kept VALUES('2026-11-23T14:49:38.166Z',NULL,13,NULL,3,'n3');
INSERT INTO _garner_history_kept VALUES('2026-11-23T14:49:38.166Z',NULL,13,NULL,4,'n4');
CREATE TABLE IF NOT EXISTS "logged" (
    "at" TEXT,
    "m" TEXT
);
INSERT INTO logged VALUES('1','x');
INSERT INTO logged VALUES('2','y');
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
CREATE TABLE IF NOT EXISTS "search" (
    "id" INTEGER PRIMARY KEY,
    "name" TEXT
);
INSERT INTO search VALUES(0,'n0');
INSERT INTO search VALUES(1,'n1');
INSERT INTO search VALUES(2,'n2');
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('_garner_runs',34);
CREATE INDEX _garner_runs_by_stream ON _garner_runs (stream_id, run_id);
CREATE INDEX _garner_requests_by_run ON _garner_requests (run_id);
CREATE INDEX _garner_attachments_by_blob ON _garner_attachments (sha256);
CREATE INDEX _garner_staged_by_slice ON _garner_staged (stream_id, bindings);
CREATE INDEX _garner_triggers_by_run ON _garner_triggers (run_id) WHERE run_id IS NOT NULL;
CREATE UNIQUE INDEX _garner_runs_by_instant ON _garner_runs (stream_id, nominal_at)
WHERE nominal_at IS NOT NULL AND status <> 'interrupted' AND was_stopped = 0;
CREATE INDEX _garner_runs_that_run ON _garner_runs (stream_id) WHERE status = 'running';
CREATE TRIGGER _garner_touched_1_update AFTER UPDATE ON "linked" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 1 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_1_delete AFTER DELETE ON "linked" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 1 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_3_update AFTER UPDATE ON "numbered" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 3 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_3_delete AFTER DELETE ON "numbered" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 3 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_2_update AFTER UPDATE ON "cursors" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 2 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_2_delete AFTER DELETE ON "cursors" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 2 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_4_update AFTER UPDATE ON "nexts" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 4 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_4_delete AFTER DELETE ON "nexts" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 4 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_7_update AFTER UPDATE ON "totals" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 7 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_7_delete AFTER DELETE ON "totals" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 7 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_8_update AFTER UPDATE ON "single" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 8 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_8_delete AFTER DELETE ON "single" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 8 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_6_update AFTER UPDATE ON "plain" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 6 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_6_delete AFTER DELETE ON "plain" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 6 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_5_update AFTER UPDATE ON "offsets" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 5 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_5_delete AFTER DELETE ON "offsets" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 5 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_11_update AFTER UPDATE ON "notes" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_11_delete AFTER DELETE ON "notes" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 11 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_9_update AFTER UPDATE ON "changing" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 9 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_9_delete AFTER DELETE ON "changing" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 9 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_12_update AFTER UPDATE ON "shapes" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 12 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_12_delete AFTER DELETE ON "shapes" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 12 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_10_update AFTER UPDATE ON "replaced" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 10 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_10_delete AFTER DELETE ON "replaced" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 10 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_13_update AFTER UPDATE ON "kept" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 13 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_13_delete AFTER DELETE ON "kept" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 13 AND NOT is_touched;
END;
CREATE INDEX _garner_versions_13 ON "_garner_history_kept" ("id", _garner_valid_from);
CREATE TRIGGER _garner_touched_16_update AFTER UPDATE ON "health" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 16 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_16_delete AFTER DELETE ON "health" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 16 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_14_update AFTER UPDATE ON "keyless" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 14 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_14_delete AFTER DELETE ON "keyless" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 14 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_17_update AFTER UPDATE ON "search" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 17 AND NOT is_touched;
END;
CREATE TRIGGER _garner_touched_17_delete AFTER DELETE ON "search" BEGIN
    UPDATE _garner_streams SET is_touched = 1 WHERE stream_id = 17 AND NOT is_touched;
END;
COMMIT;
PRAGMA application_id = 1196576338;
PRAGMA user_version = 11;
