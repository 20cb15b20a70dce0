PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE study (
id         INTEGER PRIMARY KEY CHECK (id = 1),
name       TEXT    NOT NULL,
goal       TEXT    NOT NULL CHECK (goal IN ('minimize', 'maximize')),
budget     INTEGER NOT NULL,
space      TEXT    NOT NULL,
optimizer  TEXT    NOT NULL,
evaluate   TEXT    NOT NULL,
created_by TEXT    NOT NULL
       ) STRICT;
INSERT INTO study VALUES(1,'old','minimize',8,'[{"name":"x","type":"float","low":-5.0,"high":10.0,"log":false},{"name":"kind","type":"categorical","choices":["plain","with space"]}]','{"method":"sobol","seed":7,"batch":2,"budget":8,"settings":{}}','','vbo 0.1.0');
CREATE TABLE trials (
id        INTEGER PRIMARY KEY,
state     TEXT    NOT NULL CHECK (state IN ('waiting', 'running', 'completed', 'failed')),
params    TEXT    NOT NULL,
value     REAL,
cause     TEXT,
message   TEXT,
seconds   REAL    NOT NULL DEFAULT 0,
attempts  INTEGER NOT NULL DEFAULT 0,
rationale TEXT    NOT NULL,
asked_in  INTEGER NOT NULL,
told_in   INTEGER,
CHECK ((state = 'completed') = (value IS NOT NULL)),
CHECK ((state = 'failed') = (cause IS NOT NULL)),
CHECK ((state IN ('completed', 'failed')) = (told_in IS NOT NULL))
       ) STRICT;
INSERT INTO trials VALUES(1,'failed','{"x":-0.4053566127210845,"kind":"with space"}',NULL,'reported','sample broke',0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',1,3);
INSERT INTO trials VALUES(2,'completed','{"x":9.461062257265667,"kind":"plain"}',1.5,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',1,2);
INSERT INTO trials VALUES(3,'waiting','{"x":4.23096158467861,"kind":"with space"}',NULL,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',1,NULL);
INSERT INTO trials VALUES(4,'completed','{"x":-2.8215650756112947,"kind":"plain"}',-0.25,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',1,4);
INSERT INTO trials VALUES(5,'waiting','{"x":-3.6871982077282865,"kind":"with space"}',NULL,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',1,NULL);
INSERT INTO trials VALUES(6,'waiting','{"x":5.2394026775261064,"kind":"plain"}',NULL,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',5,NULL);
INSERT INTO trials VALUES(7,'waiting','{"x":6.573944309281706,"kind":"with space"}',NULL,NULL,NULL,0.0,0,'{"source":"sobol","acquisition":0.0,"terms":[],"notes":[]}',5,NULL);
CREATE TABLE outputs (
trial  INTEGER PRIMARY KEY REFERENCES trials (id),
stderr TEXT NOT NULL
       ) STRICT;
CREATE TABLE reports (
event  INTEGER PRIMARY KEY,
round  INTEGER NOT NULL,
report TEXT    NOT NULL
       ) STRICT;
CREATE TABLE snapshot (
id          INTEGER PRIMARY KEY CHECK (id = 1),
after_event INTEGER NOT NULL,
bytes       BLOB    NOT NULL
       ) STRICT;
INSERT INTO snapshot VALUES(1,5,X'736f626f6c');
CREATE INDEX trials_by_state ON trials (state, value);
COMMIT;
PRAGMA application_id = 1986162481;
PRAGMA user_version = 1;
