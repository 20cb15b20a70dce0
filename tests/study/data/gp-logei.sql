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
INSERT INTO "reports" VALUES(11,1,'{"round":1,"values":[["log_posterior",2.4924472968607843],["iterations",14.0],["points",5.0]],"message":"","recommendation":{"id":1,"mean":10.149394991393173,"deviation":0.00849490399954611}}');
INSERT INTO "reports" VALUES(13,2,'{"round":2,"values":[["log_posterior",2.441084337279361],["iterations",2.0],["points",6.0]],"message":"","recommendation":{"id":1,"mean":10.149428491949353,"deviation":0.00853000942178106}}');
INSERT INTO "reports" VALUES(15,3,'{"round":3,"values":[["log_posterior",1.9830220438083206],["iterations",3.0],["points",7.0]],"message":"","recommendation":{"id":7,"mean":10.039081105016844,"deviation":0.0016913256239803331}}');
INSERT INTO "reports" VALUES(17,4,'{"round":4,"values":[["log_posterior",1.1012324797735795],["iterations",2.0],["points",8.0]],"message":"","recommendation":{"id":7,"mean":10.039085560630426,"deviation":0.0015915317908552495}}');
INSERT INTO "reports" VALUES(19,5,'{"round":5,"values":[["log_posterior",6.8261098781441945],["iterations",5.0],["points",9.0]],"message":"","recommendation":{"id":9,"mean":10.00193591148834,"deviation":0.007022575379681761}}');
INSERT INTO "reports" VALUES(21,6,'{"round":6,"values":[["log_posterior",6.061242029225864],["iterations",1.0],["points",10.0]],"message":"","recommendation":{"id":9,"mean":10.001597728041363,"deviation":0.0064832758224051545}}');
INSERT INTO "reports" VALUES(23,7,'{"round":7,"values":[["log_posterior",10.891093898495967],["iterations",3.0],["points",11.0]],"message":"","recommendation":{"id":11,"mean":10.000073920822908,"deviation":0.002500948362163413}}');
INSERT INTO "reports" VALUES(25,8,'{"round":8,"values":[["log_posterior",11.652067259167112],["iterations",8.0],["points",12.0]],"message":"","recommendation":{"id":12,"mean":10.000048482185646,"deviation":0.00037645306658884437}}');
INSERT INTO "reports" VALUES(27,9,'{"round":9,"values":[["log_posterior",17.35869453548774],["iterations",5.0],["points",13.0]],"message":"","recommendation":{"id":12,"mean":10.000032506795831,"deviation":0.0014369854205318333}}');
INSERT INTO "reports" VALUES(29,10,'{"round":10,"values":[["log_posterior",16.974023355459238],["iterations",9.0],["points",14.0]],"message":"","recommendation":{"id":14,"mean":10.000022567155673,"deviation":0.0002650710604408246}}');
INSERT INTO "reports" VALUES(31,11,'{"round":11,"values":[["log_posterior",16.807595083731027],["iterations",3.0],["points",15.0]],"message":"","recommendation":{"id":14,"mean":10.00002289277998,"deviation":0.00028305145049234426}}');
INSERT INTO "reports" VALUES(33,12,'{"round":12,"values":[["log_posterior",23.498003646445028],["iterations",6.0],["points",16.0]],"message":"","recommendation":{"id":14,"mean":10.000021464348926,"deviation":0.0012917326925494521}}');
INSERT INTO "reports" VALUES(35,13,'{"round":13,"values":[["log_posterior",22.10737027236096],["iterations",8.0],["points",17.0]],"message":"","recommendation":{"id":17,"mean":10.000014021893856,"deviation":0.00024222806808449349}}');
INSERT INTO "reports" VALUES(37,14,'{"round":14,"values":[["log_posterior",28.00109586831119],["iterations",1.0],["points",18.0]],"message":"","recommendation":{"id":18,"mean":10.000002706377794,"deviation":0.00021526281725492424}}');
INSERT INTO "reports" VALUES(39,15,'{"round":15,"values":[["log_posterior",33.86896550455991],["iterations",0.0],["points",19.0]],"message":"","recommendation":{"id":18,"mean":10.000002323766385,"deviation":0.00019795659479626693}}');
INSERT INTO "reports" VALUES(41,16,'{"round":16,"values":[["log_posterior",39.71809486668735],["iterations",0.0],["points",20.0]],"message":"","recommendation":{"id":18,"mean":10.000002039580885,"deviation":0.000183723199238095}}');
INSERT INTO "reports" VALUES(43,17,'{"round":17,"values":[["log_posterior",45.553230459039135],["iterations",0.0],["points",21.0]],"message":"","recommendation":{"id":21,"mean":10.000001817668378,"deviation":0.00017170963712320741}}');
INSERT INTO "reports" VALUES(47,18,'{"round":18,"values":[["log_posterior",57.19830814544801],["iterations",1.0],["points",23.0]],"message":"","recommendation":{"id":23,"mean":10.00000139217681,"deviation":0.0001523986468194849}}');
CREATE TABLE snapshot (
         id          INTEGER PRIMARY KEY CHECK (id = 1),
         after_event INTEGER NOT NULL,
         bytes       BLOB    NOT NULL
       ) STRICT;
INSERT INTO "snapshot" VALUES(1,48,X'015255530500000000000000180000000000000012000000000000000400000000000000040000000000000001000000000000007E89545FCC23F0BFD2E435D0F889FCBF40C72457C3A1E8BFA0FF8F998AA12BC001000000000000001700000000000000');
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
INSERT INTO "study" VALUES(1,'gp-logei','minimize',24,'[{"name":"x","type":"float","low":0.1,"high":0.7,"log":false},{"name":"n","type":"int","low":1.0,"high":9.0,"log":false}]','{"method":"gp-logei","seed":3,"batch":4,"budget":24,"settings":{}}','{"command":["python3","-c","import os,json; p=json.loads(os.environ[''VBO_PARAMS'']); print(10 + (p[''x'']-0.3)**2*40 + (p[''n'']-4)**2)"]}','vbo 0.1.0');
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
INSERT INTO "trials" VALUES(1,'completed','{"x":0.23889953398072478,"n":4}',1.0149330677910903375e+01,NULL,NULL,0.653745018,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',1,2);
INSERT INTO "trials" VALUES(2,'completed','{"x":0.6608450952822497,"n":9}',4.02083673115702353592e+01,NULL,NULL,0.652770732,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',3,4);
INSERT INTO "trials" VALUES(3,'completed','{"x":0.5218308033255128,"n":1}',2.096835621216169443e+01,NULL,NULL,0.790757564,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',5,6);
INSERT INTO "trials" VALUES(4,'completed','{"x":0.3436364822575336,"n":7}',1.90761657033524798521e+01,NULL,NULL,0.979924956,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',7,8);
INSERT INTO "trials" VALUES(5,'completed','{"x":0.3076690038210017,"n":2}',1.40023525447842622781e+01,NULL,NULL,0.924977469,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',9,10);
INSERT INTO "trials" VALUES(6,'completed','{"x":0.14655588041443546,"n":4}',1.09418039134155620217e+01,NULL,NULL,0.960757902,1,'{"source":"acquisition","acquisition":-2.2171299777885713,"terms":[["mean",-10.721388352883524],["deviation",1.612382401378917]],"notes":[]}',11,12);
INSERT INTO "trials" VALUES(7,'completed','{"x":0.3312550213115764,"n":4}',1.00390750542874833688e+01,NULL,NULL,0.80595196,1,'{"source":"acquisition","acquisition":-3.115169294998349,"terms":[["mean",-10.635135298300433],["deviation",0.8590955962040994]],"notes":[]}',13,14);
INSERT INTO "trials" VALUES(8,'completed','{"x":0.32139993602438577,"n":5}',1.10183182904739123135e+01,NULL,NULL,0.628992968,1,'{"source":"acquisition","acquisition":-3.352755300387361,"terms":[["mean",-10.431172302762159],["deviation",0.6159766851688673]],"notes":[]}',15,16);
INSERT INTO "trials" VALUES(9,'completed','{"x":0.3061859581102873,"n":4}',1.00015306431096888677e+01,NULL,NULL,0.383587097,1,'{"source":"acquisition","acquisition":-3.9994835047698283,"terms":[["mean",-10.034860949194707],["deviation",0.01729460798114779]],"notes":[]}',17,18);
INSERT INTO "trials" VALUES(10,'completed','{"x":0.7,"n":4}',16.4,NULL,NULL,0.406048927,1,'{"source":"acquisition","acquisition":-6.1606099218906625,"terms":[["mean",-14.713405808295441],["deviation",3.3319492285652554]],"notes":[]}',19,20);
INSERT INTO "trials" VALUES(11,'completed','{"x":0.2983199382637372,"n":4}',1.00001129042975058782e+01,NULL,NULL,0.394966864,1,'{"source":"acquisition","acquisition":-6.450408458923261,"terms":[["mean",-10.000074131630615],["deviation",0.007739821049232987]],"notes":[]}',21,22);
INSERT INTO "trials" VALUES(12,'completed','{"x":0.29889232403368077,"n":4}',1.0000049077841854483e+01,NULL,NULL,0.470015794,1,'{"source":"acquisition","acquisition":-7.77455805654054,"terms":[["mean",-10.000019513161652],["deviation",0.00244430375835325]],"notes":[]}',23,24);
INSERT INTO "trials" VALUES(13,'completed','{"x":0.2826484411070346,"n":3}',1.10120430638406414654e+01,NULL,NULL,0.403456285,1,'{"source":"acquisition","acquisition":-6.181848766895283,"terms":[["mean",-10.581489201710705],["deviation",0.47512808853741983]],"notes":[]}',25,26);
INSERT INTO "trials" VALUES(14,'completed','{"x":0.29926119006985474,"n":4}',1.00000218336045154643e+01,NULL,NULL,0.512002619,1,'{"source":"acquisition","acquisition":-8.288670129319103,"terms":[["mean",-10.000010108283645],["deviation",0.0014133803085378815]],"notes":[]}',27,28);
INSERT INTO "trials" VALUES(15,'completed','{"x":0.1,"n":9}',36.6,NULL,NULL,0.620233313,1,'{"source":"acquisition","acquisition":-7.568487850891633,"terms":[["mean",-18.026555520421603],["deviation",12.20785667306447]],"notes":[]}',29,30);
INSERT INTO "trials" VALUES(16,'completed','{"x":0.1,"n":6}',15.6,NULL,NULL,0.531507125,1,'{"source":"acquisition","acquisition":-8.295235682539298,"terms":[["mean",-15.841826635706669],["deviation",7.356428273658037]],"notes":[]}',31,32);
INSERT INTO "trials" VALUES(17,'completed','{"x":0.29943692037925496,"n":4}',1.0000012682346371307e+01,NULL,NULL,0.565598412,1,'{"source":"acquisition","acquisition":-8.485069997491061,"terms":[["mean",-10.000014793317016],["deviation",0.0012845028149897075]],"notes":[]}',33,34);
INSERT INTO "trials" VALUES(18,'completed','{"x":0.2999413714889853,"n":4}',1.00000001374920923782e+01,NULL,NULL,0.471214653,1,'{"source":"acquisition","acquisition":-8.549077567449528,"terms":[["mean",-10.000003140488904],["deviation",0.00023719287108114884]],"notes":[]}',35,36);
INSERT INTO "trials" VALUES(19,'completed','{"x":0.2999387346785405,"n":4}',1.00000001501375841424e+01,NULL,NULL,0.44459644,1,'{"source":"acquisition","acquisition":-8.711145506820893,"terms":[["mean",-10.000002710183125],["deviation",0.00021526776854141616]],"notes":[]}',37,38);
INSERT INTO "trials" VALUES(20,'completed','{"x":0.29994120184529877,"n":4}',1.00000001382889198704e+01,NULL,NULL,0.534686635,1,'{"source":"acquisition","acquisition":-8.790966044341445,"terms":[["mean",-10.000002323993906],["deviation",0.0001979568785497321]],"notes":[]}',39,40);
INSERT INTO "trials" VALUES(21,'completed','{"x":0.2999432354537444,"n":4}',1.00000001288885478347e+01,NULL,NULL,0.457612472,1,'{"source":"acquisition","acquisition":-8.859737095806713,"terms":[["mean",-10.000002037236833],["deviation",0.00018372038549419045]],"notes":[]}',41,42);
INSERT INTO "trials" VALUES(22,'completed','{"x":0.29994492545696555,"n":4}',1.00000001213282114771e+01,NULL,NULL,0.475565377,1,'{"source":"acquisition","acquisition":-8.920215816875253,"terms":[["mean",-10.00000181578597],["deviation",0.00017170737516813972]],"notes":[]}',43,44);
INSERT INTO "trials" VALUES(23,'completed','{"x":0.2999461984552502,"n":4}',1.00000001157842479673e+01,NULL,NULL,0.447055161,1,'{"source":"acquisition","acquisition":-8.974063687450196,"terms":[["mean",-10.00000163968258],["deviation",0.00016260490503317016]],"notes":[]}',45,46);
INSERT INTO "trials" VALUES(24,'completed','{"x":0.1,"n":1}',20.6,NULL,NULL,0.47506998,1,'{"source":"acquisition","acquisition":-8.712495402550514,"terms":[["mean",-17.155140504562297],["deviation",9.144634720888032]],"notes":[]}',47,48);
CREATE INDEX trials_by_state ON trials (state, value);
COMMIT;
