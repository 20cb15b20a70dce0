-- A study of the first release, as its storage held it (schema 1).
PRAGMA application_id = 1986162481;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE outputs (
         trial  INTEGER PRIMARY KEY REFERENCES trials (id),
         stderr TEXT NOT NULL
       ) STRICT;
CREATE TABLE reports (
         event  INTEGER PRIMARY KEY,
         round  INTEGER NOT NULL,
         report TEXT    NOT NULL
       ) STRICT;
INSERT INTO "reports" VALUES(1,0,'{"round":0,"values":[["run",0.0],["population",8.0]],"message":"","recommendation":null}');
INSERT INTO "reports" VALUES(17,1,'{"round":1,"values":[["run",1.0],["population",8.0],["sigma",0.3],["condition",1.0]],"message":"","recommendation":null}');
INSERT INTO "reports" VALUES(33,2,'{"round":2,"values":[["run",1.0],["population",8.0],["sigma",0.22240810330295277],["condition",1.0464938059105904]],"message":"","recommendation":null}');
CREATE TABLE snapshot (
         id          INTEGER PRIMARY KEY CHECK (id = 1),
         after_event INTEGER NOT NULL,
         bytes       BLOB    NOT NULL
       ) STRICT;
INSERT INTO "snapshot" VALUES(1,48,X'01414D43000000000000000000000000000000000000000000000000080000000000000003000000000000000100000000000000080000000000000000000000000000006CD51312754C24C000000000000000000002000000000000000100000000000000208A9A0513A025C06403C6F2F88F24C0020000000000000001000000000000001D599FC929BF2CC048E7BD89FB2926C0000000000000000000000000000000000100F3260173EE07C73F02000000000000000200000000000000020000000000000001000000000000002879E417CDFCC93F975804681354DA3F020000000000000002000000000000000A878AA63581E33F4B9421B6003EB3BF4B9421B6003EB3BFD0851BE01D30E13F020000000000000001000000000000002D9F1C265A4FD3BFA4BCCBCA18EFD33F0200000000000000010000000000000042596909AD7DD2BF844D59FE2B8ED23F020000000000000002000000000000007DAA1E975406E13F9A5D9DA06918EB3F9A5D9DA06918EB3F7DAA1E975406E1BF020000000000000001000000000000001B4C36F8C965E63F6C364E43CFEEE93F');
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
INSERT INTO "study" VALUES(1,'cmaes','minimize',24,'[{"name":"x","type":"float","low":0.1,"high":0.7,"log":false},{"name":"n","type":"int","low":1.0,"high":9.0,"log":false}]','{"method":"cmaes","seed":3,"batch":4,"budget":24,"settings":{}}','{"command":["python3","-c","import os,json; p=json.loads(os.environ[''VBO_PARAMS'']); print(10 + (p[''x'']-0.3)**2*40 + (p[''n'']-4)**2)"]}','vbo 0.1.0');
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
INSERT INTO "trials" VALUES(1,'completed','{"x":0.23889953398072478,"n":4}',1.0149330677910903375e+01,NULL,NULL,0.502630863,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',1,2);
INSERT INTO "trials" VALUES(2,'completed','{"x":0.6608450952822497,"n":9}',4.02083673115702353592e+01,NULL,NULL,0.370990879,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',3,4);
INSERT INTO "trials" VALUES(3,'completed','{"x":0.5218308033255128,"n":1}',2.096835621216169443e+01,NULL,NULL,0.383942466,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',5,6);
INSERT INTO "trials" VALUES(4,'completed','{"x":0.3436364822575336,"n":7}',1.90761657033524798521e+01,NULL,NULL,0.32193726,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',7,8);
INSERT INTO "trials" VALUES(5,'completed','{"x":0.3076690038210017,"n":2}',1.40023525447842622781e+01,NULL,NULL,0.458753031,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',9,10);
INSERT INTO "trials" VALUES(6,'completed','{"x":0.429464379332915,"n":5}',1.1670441020642275731e+01,NULL,NULL,0.419739448,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',11,12);
INSERT INTO "trials" VALUES(7,'completed','{"x":0.5878145130002136,"n":5}',1.43134877557420061577e+01,NULL,NULL,0.475226564,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',13,14);
INSERT INTO "trials" VALUES(8,'completed','{"x":0.10976808897332735,"n":7}',2.04475271989143934101e+01,NULL,NULL,0.533638709,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',15,16);
INSERT INTO "trials" VALUES(9,'completed','{"x":0.39661336462844327,"n":2}',1.43733656889931413758e+01,NULL,NULL,0.39006305,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',17,18);
INSERT INTO "trials" VALUES(10,'completed','{"x":0.40256192674403174,"n":2}',1.44207579526979259298e+01,NULL,NULL,0.723874157,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',19,20);
INSERT INTO "trials" VALUES(11,'completed','{"x":0.5726753059227675,"n":3}',1.39740728984029942698e+01,NULL,NULL,0.742093935,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',21,22);
INSERT INTO "trials" VALUES(12,'completed','{"x":0.6421527138294666,"n":1}',2.3682739183234755131e+01,NULL,NULL,0.619822752,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',23,24);
INSERT INTO "trials" VALUES(13,'completed','{"x":0.41748428154157,"n":8}',2.65521022563735549222e+01,NULL,NULL,0.648276725,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',25,26);
INSERT INTO "trials" VALUES(14,'completed','{"x":0.15746534408270418,"n":4}',1.0812645125498477228e+01,NULL,NULL,0.542333462,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',27,28);
INSERT INTO "trials" VALUES(15,'completed','{"x":0.25664244035210887,"n":6}',1.40751951191448174682e+01,NULL,NULL,0.524725521,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',29,30);
INSERT INTO "trials" VALUES(16,'completed','{"x":0.2635642852761221,"n":3}',1.10531024522975922512e+01,NULL,NULL,0.545258503,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",0.0],["sigma",0.3]],"notes":[]}',31,32);
INSERT INTO "trials" VALUES(17,'completed','{"x":0.21615547124923074,"n":4}',1.02811962000575434221e+01,NULL,NULL,0.583829492,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',33,34);
INSERT INTO "trials" VALUES(18,'completed','{"x":0.11436346959528389,"n":4}',1.1378436856828043844e+01,NULL,NULL,0.647888296,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',35,36);
INSERT INTO "trials" VALUES(19,'completed','{"x":0.27482630099826766,"n":5}',1.10253486048571929249e+01,NULL,NULL,0.460324762,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',37,38);
INSERT INTO "trials" VALUES(20,'completed','{"x":0.28904830072768306,"n":5}',1.10047975886780502463e+01,NULL,NULL,0.497728092,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',39,40);
INSERT INTO "trials" VALUES(21,'completed','{"x":0.21961871561272542,"n":3}',1.12584460351899160455e+01,NULL,NULL,0.471852429,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',41,42);
INSERT INTO "trials" VALUES(22,'completed','{"x":0.31986016982612114,"n":6}',1.40157770538208943373e+01,NULL,NULL,0.574452037,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',43,44);
INSERT INTO "trials" VALUES(23,'completed','{"x":0.25472384511324386,"n":5}',1.1081997208053181225e+01,NULL,NULL,0.802066323,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',45,46);
INSERT INTO "trials" VALUES(24,'completed','{"x":0.19100079566021053,"n":4}',1.04752330618682876206e+01,NULL,NULL,0.683894512,1,'{"source":"cmaes","acquisition":0.0,"terms":[["generation",1.0],["sigma",0.22240810330295277]],"notes":[]}',47,48);
CREATE INDEX trials_by_state ON trials (state, value);
COMMIT;
