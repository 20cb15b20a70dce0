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
INSERT INTO "reports" VALUES(13,1,'{"round":1,"values":[["information",2.0369238185230643],["information_inputs",1.9378309947205707],["information_model",0.09909282380249351],["ceiling",3.4657359027997265],["exploitation",0.677915267762728],["held_out_information",-0.026930580125688497],["local_deviation",0.13876772304437504]],"message":"","recommendation":{"id":1,"mean":10.149412946033753,"deviation":0.007855390001664908}}');
INSERT INTO "reports" VALUES(21,2,'{"round":2,"values":[["information",1.6525659981416538],["information_inputs",1.411487979348749],["information_model",0.2410780187929049],["ceiling",3.4657359027997265],["exploitation",0.691164368763566],["held_out_information",-13.059843549714921],["local_deviation",0.14366622123662537]],"message":"","recommendation":{"id":8,"mean":10.001592038401519,"deviation":1.4624777411320622e-05}}');
INSERT INTO "reports" VALUES(29,3,'{"round":3,"values":[["information",1.2258937214501202],["information_inputs",1.034496151842177],["information_model",0.1913975696079433],["ceiling",3.4657359027997265],["exploitation",0.6077506829751655],["held_out_information",-17.908428678499103],["local_deviation",0.0346022677227967]],"message":"","recommendation":{"id":8,"mean":10.001592021012662,"deviation":3.8470244394517294e-06}}');
INSERT INTO "reports" VALUES(37,4,'{"round":4,"values":[["information",1.2844294626265764],["information_inputs",1.0663307858631015],["information_model",0.21809867676347494],["ceiling",3.4657359027997265],["exploitation",0.34533851395826787],["held_out_information",-3.1204452609881153],["local_deviation",0.017284380226926483]],"message":"","recommendation":{"id":16,"mean":10.000283272410186,"deviation":1.5296221178573433e-08}}');
INSERT INTO "reports" VALUES(45,5,'{"round":5,"values":[["information",1.4463456319645047],["information_inputs",1.0271202335134149],["information_model",0.41922539845108986],["ceiling",3.4657359027997265],["exploitation",-0.5558742258581333],["held_out_information",-0.5591836070879688],["local_deviation",0.015218679297128206]],"message":"","recommendation":{"id":19,"mean":10.000003199520185,"deviation":2.8781069083549937e-08}}');
CREATE TABLE snapshot (
         id          INTEGER PRIMARY KEY CHECK (id = 1),
         after_event INTEGER NOT NULL,
         bytes       BLOB    NOT NULL
       ) STRICT;
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
INSERT INTO "study" VALUES(1,'vbo','minimize',24,'[{"name":"x","type":"float","low":0.1,"high":0.7,"log":false},{"name":"n","type":"int","low":1.0,"high":9.0,"log":false}]','{"method":"vbo","seed":3,"batch":4,"budget":24,"settings":{}}','{"command":["python3","-c","import os,json; p=json.loads(os.environ[''VBO_PARAMS'']); print(10 + (p[''x'']-0.3)**2*40 + (p[''n'']-4)**2)"]}','vbo 0.1.0');
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
INSERT INTO "trials" VALUES(1,'completed','{"x":0.23889953398072478,"n":4}',1.0149330677910903375e+01,NULL,NULL,0.434784093,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',1,2);
INSERT INTO "trials" VALUES(2,'completed','{"x":0.6608450952822497,"n":9}',4.02083673115702353592e+01,NULL,NULL,0.371876362,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',3,4);
INSERT INTO "trials" VALUES(3,'completed','{"x":0.5218308033255128,"n":1}',2.096835621216169443e+01,NULL,NULL,0.395895512,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',5,6);
INSERT INTO "trials" VALUES(4,'completed','{"x":0.3436364822575336,"n":7}',1.90761657033524798521e+01,NULL,NULL,0.366243829,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',7,8);
INSERT INTO "trials" VALUES(5,'completed','{"x":0.3076690038210017,"n":2}',1.40023525447842622781e+01,NULL,NULL,0.455759219,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',9,10);
INSERT INTO "trials" VALUES(6,'completed','{"x":0.429464379332915,"n":5}',1.1670441020642275731e+01,NULL,NULL,0.429038302,1,'{"source":"design","acquisition":0.0,"terms":[],"notes":[]}',11,12);
INSERT INTO "trials" VALUES(7,'completed','{"x":0.2343067705631256,"n":4}',1.01726240157538327935e+01,NULL,NULL,0.391454553,1,'{"source":"climb","acquisition":1.268696416002058,"terms":[["exploitation",0.8990705609321594],["information_inputs",0.3695119321346283],["information_model",0.00011392293527023867]],"notes":[["I(X;Y)_nats",2.61284392941739],["I(f;Y|X)_nats",0.0008055568006226187],["sqrt_beta",0.1414213562373095],["round_information_nats",2.0369238185230643],["ceiling_nats",3.4657359027997265]]}',13,14);
INSERT INTO "trials" VALUES(8,'completed','{"x":0.29369125810947916,"n":4}',1.00015920089696486172e+01,NULL,NULL,0.46262008,1,'{"source":"local","acquisition":1.130277743563056,"terms":[["exploitation",0.9178500771522522],["information_inputs",0.18546664714813232],["information_model",0.02696101926267147]],"notes":[["I(X;Y)_nats",1.3114472388237701],["I(f;Y|X)_nats",0.19064319548336128],["sqrt_beta",0.1414213562373095],["round_information_nats",2.0369238185230643],["ceiling_nats",3.4657359027997265]]}',15,16);
INSERT INTO "trials" VALUES(9,'completed','{"x":0.5091149463411416,"n":6}',1.57491624313303422155e+01,NULL,NULL,0.446847272,1,'{"source":"elsewhere","acquisition":0.36590782925486565,"terms":[["exploitation",0.1471274048089981],["information_inputs",0.19594886898994446],["information_model",0.02283155545592308]],"notes":[["I(X;Y)_nats",1.3855677402862412],["I(f;Y|X)_nats",0.16144347687919927],["sqrt_beta",0.1414213562373095],["round_information_nats",2.0369238185230643],["ceiling_nats",3.4657359027997265]]}',17,18);
INSERT INTO "trials" VALUES(10,'completed','{"x":0.2736244724837557,"n":4}',1.002782673807040581e+01,NULL,NULL,0.496154408,1,'{"source":"jump","acquisition":1.3537545278668404,"terms":[["exploitation",0.9176900386810303],["information_inputs",0.4176480174064636],["information_model",0.018416471779346466]],"notes":[["I(X;Y)_nats",2.9532174525722765],["I(f;Y|X)_nats",0.1302241208070657],["sqrt_beta",0.1414213562373095],["round_information_nats",2.0369238185230643],["ceiling_nats",3.4657359027997265]]}',19,20);
INSERT INTO "trials" VALUES(11,'completed','{"x":0.32287908342314264,"n":4}',1.00209380983313245394e+01,NULL,NULL,0.343850942,1,'{"source":"local","acquisition":1.0874349686782807,"terms":[["exploitation",0.9891476631164551],["information_inputs",0.096115842461586],["information_model",0.0021714631002396345]],"notes":[["I(X;Y)_nats",0.6796416398404537],["I(f;Y|X)_nats",0.015354562832758094],["sqrt_beta",0.1414213562373095],["round_information_nats",1.6525659981416538],["ceiling_nats",3.4657359027997265]]}',21,22);
INSERT INTO "trials" VALUES(12,'completed','{"x":0.3479555606842041,"n":4}',1.00919894320214549305e+01,NULL,NULL,0.328777496,1,'{"source":"climb","acquisition":1.029835163615644,"terms":[["exploitation",0.9628775715827942],["information_inputs",0.008175901137292385],["information_model",0.058781690895557404]],"notes":[["I(X;Y)_nats",0.057812351364902516],["I(f;Y|X)_nats",0.4156493224186018],["sqrt_beta",0.1414213562373095],["round_information_nats",1.6525659981416538],["ceiling_nats",3.4657359027997265]]}',23,24);
INSERT INTO "trials" VALUES(13,'completed','{"x":0.31564041376113894,"n":4}',1.00097849017047852977e+01,NULL,NULL,0.459574886,1,'{"source":"action-net","acquisition":1.1894613199401647,"terms":[["exploitation",0.9908934831619263],["information_inputs",0.19679930806159973],["information_model",0.0017685287166386843]],"notes":[["I(X;Y)_nats",1.3915812526317757],["I(f;Y|X)_nats",0.012505386482583558],["sqrt_beta",0.1414213562373095],["round_information_nats",1.6525659981416538],["ceiling_nats",3.4657359027997265]]}',25,26);
INSERT INTO "trials" VALUES(14,'completed','{"x":0.34846763665450015,"n":4}',1.00939644721149051069e+01,NULL,NULL,0.409253984,1,'{"source":"elsewhere","acquisition":1.2167770639061928,"terms":[["exploitation",0.9620566368103027],["information_inputs",0.19605116546154022],["information_model",0.05866926163434982]],"notes":[["I(X;Y)_nats",1.3862910855738095],["I(f;Y|X)_nats",0.4148543274885651],["sqrt_beta",0.1414213562373095],["round_information_nats",1.6525659981416538],["ceiling_nats",3.4657359027997265]]}',27,28);
INSERT INTO "trials" VALUES(15,'completed','{"x":0.29595736265182493,"n":4}',1.00006537166691540359e+01,NULL,NULL,0.50824256,1,'{"source":"climb","acquisition":1.0561718260869384,"terms":[["exploitation",0.7571249604225159],["information_inputs",0.29193171858787537],["information_model",0.007115147076547146]],"notes":[["I(X;Y)_nats",2.0642689785692956],["I(f;Y|X)_nats",0.05031168746966126],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2258937214501202],["ceiling_nats",3.4657359027997265]]}',29,30);
INSERT INTO "trials" VALUES(16,'completed','{"x":0.29733883322135124,"n":4}',1.00002832723449515124e+01,NULL,NULL,0.344571356,1,'{"source":"local","acquisition":0.9181390972808003,"terms":[["exploitation",0.7582410573959351],["information_inputs",0.1455489844083786],["information_model",0.014349055476486683]],"notes":[["I(X;Y)_nats",1.029186738699796],["I(f;Y|X)_nats",0.101463144310457],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2258937214501202],["ceiling_nats",3.4657359027997265]]}',31,32);
INSERT INTO "trials" VALUES(17,'completed','{"x":0.48034700784722134,"n":3}',1.23010017295778286696e+01,NULL,NULL,0.416838554,1,'{"source":"elsewhere","acquisition":0.27287617255933583,"terms":[["exploitation",0.15522412955760956],["information_inputs",0.11450368165969849],["information_model",0.0031483613420277834]],"notes":[["I(X;Y)_nats",0.8096632977239852],["I(f;Y|X)_nats",0.02226227654573425],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2258937214501202],["ceiling_nats",3.4657359027997265]]}',33,34);
INSERT INTO "trials" VALUES(18,'completed','{"x":0.30277864933013915,"n":4}',1.00003088356839953121e+01,NULL,NULL,0.463381384,1,'{"source":"action-net","acquisition":1.1330774053931236,"terms":[["exploitation",0.75651615858078],["information_inputs",0.3460983633995056],["information_model",0.030462883412837982]],"notes":[["I(X;Y)_nats",2.4472849971735644],["I(f;Y|X)_nats",0.21540511435712936],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2258937214501202],["ceiling_nats",3.4657359027997265]]}',35,36);
INSERT INTO "trials" VALUES(19,'completed','{"x":0.29971718152047333,"n":4}',1.00000031994516938029e+01,NULL,NULL,0.410366376,1,'{"source":"local","acquisition":0.809797864407301,"terms":[["exploitation",0.7048512101173401],["information_inputs",0.0937872976064682],["information_model",0.01115935668349266]],"notes":[["I(X;Y)_nats",0.6631763412669452],["I(f;Y|X)_nats",0.07890856784577081],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2844294626265764],["ceiling_nats",3.4657359027997265]]}',37,38);
INSERT INTO "trials" VALUES(20,'completed','{"x":0.29892229437828066,"n":4}',1.00000464579762837757e+01,NULL,NULL,0.210877122,1,'{"source":"climb","acquisition":0.8543853526934981,"terms":[["exploitation",0.7075080871582031],["information_inputs",0.13834594190120697],["information_model",0.00853132363408804]],"notes":[["I(X;Y)_nats",0.9782535366798357],["I(f;Y|X)_nats",0.06032556794160713],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2844294626265764],["ceiling_nats",3.4657359027997265]]}',39,40);
INSERT INTO "trials" VALUES(21,'completed','{"x":0.30699634468581427,"n":4}',1.00019579535585094736e+01,NULL,NULL,0.284178761,1,'{"source":"local","acquisition":0.6732211534399539,"terms":[["exploitation",0.6563234925270081],["information_inputs",0.014175682328641415],["information_model",0.002721978584304452]],"notes":[["I(X;Y)_nats",0.10023721102528653],["I(f;Y|X)_nats",0.019247295152062364],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2844294626265764],["ceiling_nats",3.4657359027997265]]}',41,42);
INSERT INTO "trials" VALUES(22,'completed','{"x":0.30172093461712574,"n":4}',1.00001184646382572655e+01,NULL,NULL,0.444031455,1,'{"source":"local","acquisition":0.840677454136312,"terms":[["exploitation",0.6872121691703796],["information_inputs",0.14698286354541779],["information_model",0.006482421420514584]],"notes":[["I(X;Y)_nats",1.0393257953118191],["I(f;Y|X)_nats",0.045837641449547946],["sqrt_beta",0.1414213562373095],["round_information_nats",1.2844294626265764],["ceiling_nats",3.4657359027997265]]}',43,44);
INSERT INTO "trials" VALUES(23,'completed','{"x":0.29969229070153247,"n":4}',1.00000037874004945594e+01,NULL,NULL,0.474525049,1,'{"source":"jump","acquisition":1.7387781062861905,"terms":[["exploitation",1.3113330602645874],["information_inputs",0.4262348413467407],["information_model",0.0012102046748623252]],"notes":[["I(X;Y)_nats",3.013935466942526],["I(f;Y|X)_nats",0.008557439322188111],["sqrt_beta",0.1414213562373095],["round_information_nats",1.4463456319645047],["ceiling_nats",3.4657359027997265]]}',45,46);
INSERT INTO "trials" VALUES(24,'completed','{"x":0.29925955053001607,"n":4}',1.00000219306167039692e+01,NULL,NULL,0.567316918,1,'{"source":"local","acquisition":1.268169256974943,"terms":[["exploitation",1.172171711921692],["information_inputs",0.09431172162294388],["information_model",0.0016858234303072095]],"notes":[["I(X;Y)_nats",0.6668845790496156],["I(f;Y|X)_nats",0.011920571794533949],["sqrt_beta",0.1414213562373095],["round_information_nats",1.4463456319645047],["ceiling_nats",3.4657359027997265]]}',47,48);
CREATE INDEX trials_by_state ON trials (state, value);
COMMIT;
