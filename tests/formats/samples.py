"""One sentence in every format, written by us as the tools write it."""

import json

TEXT = "拜登在北京会见记者"
SPANS = [(0, 2, "PER"), (3, 5, "LOC")]


def lines(*records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def rows(*tagged, end="\n\n"):
    return "\n".join(tagged) + end


_BIO = ["B-PER", "I-PER", "O", "B-LOC", "I-LOC", "O", "O", "O", "O"]
_REGIONS = [
    {"start": s, "end": e, "text": TEXT[s:e], "labels": [label]} for s, e, label in SPANS
]  # what Label Studio calls a value
_WEBANNO_ROWS = [
    ("1-1", "0-1", "拜", "*[1]", "PER[1]"),
    ("1-2", "1-2", "登", "*[1]", "PER[1]"),
    ("1-3", "2-3", "在", "_", "_"),
    ("1-4", "3-5", "北京", "*", "LOC"),
    ("1-5", "5-7", "会见", "_", "_"),
    ("1-6", "7-9", "记者", "_", "_"),
]
ENTITY_LAYER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
WEBANNO_HEADER = f"#FORMAT=WebAnno TSV 3.3\n#T_SP={ENTITY_LAYER}|identifier|value\n\n\n"
CAS_JSON = {
    "%TYPES": {
        ENTITY_LAYER: {
            "%NAME": ENTITY_LAYER,
            "%SUPER_TYPE": "uima.tcas.Annotation",
            "value": {"%NAME": "value", "%RANGE": "uima.cas.String"},
        }
    },
    "%FEATURE_STRUCTURES": [
        {"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaNum": 1, "sofaID": "_InitialView", "sofaString": TEXT},
        {"%ID": 2, "%TYPE": ENTITY_LAYER, "@sofa": 1, "begin": 0, "end": 2, "value": "PER"},
        {"%ID": 3, "%TYPE": ENTITY_LAYER, "@sofa": 1, "begin": 3, "end": 5, "value": "LOC"},
    ],
    "%VIEWS": {"_InitialView": {"%SOFA": 1, "%MEMBERS": [2, 3]}},
}
CAS_XMI = (
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    '<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" '
    'xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmi:version="2.0">'
    '<cas:NULL xmi:id="0"/><type:NamedEntity xmi:id="2" sofa="1" begin="0" end="2" value="PER"/>'
    '<type:NamedEntity xmi:id="3" sofa="1" begin="3" end="5" value="LOC"/>'
    f'<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text/plain" sofaString="{TEXT}"/>'
    '<cas:View sofa="1" members="2 3"/></xmi:XMI>'
)
HIPE_COLUMNS = (
    "TOKEN", "NE-COARSE-LIT", "NE-COARSE-METO", "NE-FINE-LIT", "NE-FINE-METO", "NE-FINE-COMP", "NE-NESTED",
    "NEL-LIT", "NEL-METO", "MISC",
)  # fmt: skip
BIOC_XML = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE collection SYSTEM "BioC.dtd">\n<collection>'
    "<source>notes</source><date>2026</date><key>a.key</key><document><id>d1</id>"
    '<infon key="license">CC0</infon><passage><infon key="type">title</infon><offset>0</offset>'
    '<text>😀 拜登在北京</text><annotation id="A"><infon key="type">PER</infon>'
    '<infon key="identifier">Q6279</infon><location offset="2" length="2"/><text>拜登</text></annotation>'
    '<annotation id="B"><infon key="type">LOC</infon><location offset="5" length="2"/><text>北京</text>'
    '</annotation></passage><passage><infon key="type">abstract</infon><offset>9</offset>'
    '<text>会见 the press</text><annotation id="C"><infon key="type">DIS</infon>'
    '<location offset="9" length="2"/><location offset="16" length="5"/><text>会见 press</text></annotation>'
    '<relation id="R"><infon key="type">in</infon><node refid="A" role=""/><node refid="B" role=""/>'
    "</relation></passage></document></collection>\n"
)
BIOC_JSON = {
    "source": "notes",
    "date": "",
    "key": "",
    "infons": {},
    "documents": [
        {
            "id": "d1",
            "infons": {"license": "CC0"},
            "passages": [
                {
                    "infons": {"type": "title"},
                    "offset": 0,
                    "text": "😀 拜登在北京",
                    "sentences": [],
                    "annotations": [
                        {
                            "id": "A",
                            "infons": {"type": "PER", "identifier": "Q6279"},
                            "text": "拜登",
                            "locations": [{"offset": 2, "length": 2}],
                        },
                        {
                            "id": "B",
                            "infons": {"type": "LOC"},
                            "text": "北京",
                            "locations": [{"offset": 5, "length": 2}],
                        },
                    ],
                    "relations": [],
                },
                {
                    "infons": {"type": "abstract"},
                    "offset": 9,
                    "text": "会见 the press",
                    "annotations": [
                        {
                            "id": "C",
                            "infons": {"type": "DIS"},
                            "text": "会见 press",
                            "locations": [{"offset": 9, "length": 2}, {"offset": 16, "length": 5}],
                        }
                    ],
                    "relations": [
                        {
                            "id": "R",
                            "infons": {"type": "in"},
                            "nodes": [{"refid": "A", "role": ""}, {"refid": "B", "role": ""}],
                        }
                    ],
                },
            ],
        }
    ],
}
GATE = (
    "<?xml version='1.0' encoding='UTF-8'?>\n<GateDocument version=\"3\">\n<GateDocumentFeatures>\n"
    '<Feature><Name className="java.lang.String">MimeType</Name>'
    '<Value className="java.lang.String">text/plain</Value></Feature>\n'
    '<Feature><Name className="java.lang.String">topic</Name>'
    '<Value className="java.lang.String">news</Value></Feature>\n</GateDocumentFeatures>\n'
    '<TextWithNodes>😀 <Node id="3"/>拜登<Node id="5"/>在<Node id="6"/>北京<Node id="8"/>\n'
    '<Node id="9"/>met &amp; spoke<Node id="20"/></TextWithNodes>\n<AnnotationSet>\n'
    '<Annotation Id="1" Type="Token" StartNode="3" EndNode="5">\n</Annotation>\n'
    '<Annotation Id="2" Type="Person" StartNode="3" EndNode="5">\n'
    '<Feature><Name className="java.lang.String">gender</Name>'
    '<Value className="java.lang.String">male</Value></Feature>\n</Annotation>\n</AnnotationSet>\n'
    '<AnnotationSet Name="Key">\n<Annotation Id="3" Type="Location" StartNode="6" EndNode="8">\n'
    "</Annotation>\n</AnnotationSet>\n"
    '<AnnotationSet Name="Original markups">\n<Annotation Id="4" Type="p" StartNode="3" EndNode="20">\n'
    "</Annotation>\n</AnnotationSet>\n</GateDocument>\n"
)
WEBANNO_2 = (
    f" # {ENTITY_LAYER} | value # webanno.custom.Part | name | note # webanno.custom.In | kind | AttachTo=x"
    "\n#id=1\n#text=😀 拜登在北京。\n1-1\t😀\tO\tO\tO\t_\t_\n1-2\t拜\tB-PER\tO\tO\t_\t_\n"
    "1-3\t登\tI-PER\tO\tO\t_\t_\n1-4\t在\tO\tO\tO\t_\t_\n"
    "1-5\t北京\tB-LOC|B-CITY\tB-x\tO\tin\t1-2\n1-6\t。\tO\tO\tO\t_\t_\n\n"
    "#id=2\n#text=Joe  Biden spoke.\n2-1\tJoe\tB-PER\tO\tO\t_\t_\n2-2\tBiden\tI-PER\tO\tO\t_\t_\n"
    "2-3\tspoke\tO\tO\tO\t_\t_\n2-4\t.\tO\tO\tO\t_\t_\n\n"
)
LABEL_STUDIO_CSV = (
    "annotation_id,annotator,created_at,id,label,lead_time,mood,text,updated_at\n"
    '7,2,2026-11-01T08:00:00Z,1,"'
    + json.dumps(_REGIONS, ensure_ascii=False).replace('"', '""')
    + f'",12.5,good,{TEXT},2026-11-01T08:01:00Z\n8,2,2026-11-01T08:02:00Z,2,,3.5,,"It rains, again.",\n'
)
# Name of the format: the content, and a file name whose ending says nothing.
SAMPLES: dict[str, str] = {
    "jsonl": lines({"id": "1", "text": TEXT, "spans": [{"start": 0, "end": 2, "label": "PER"}]}),
    "bio": rows(*(f"{c}\t{t}" for c, t in zip(TEXT, _BIO, strict=True))),
    "bmes": rows("拜\tB-PER", "登\tE-PER", "在\tO", "北\tB-LOC", "京\tE-LOC", "李\tS-PER"),
    "bioes": rows("拜\tB-PER", "登\tI-PER", "某\tE-PER", "在\tO", "李\tS-PER"),
    "bilou": rows("拜\tB-PER", "登\tL-PER", "在\tO", "李\tU-PER"),
    "conll2003": rows(
        "-DOCSTART- -X- O O", "", "U.N. NNP I-NP I-ORG", "official NN I-NP O", "Ekeus NNP I-NP I-PER"
    ),
    "conll2002": rows("El O", "presidente O", "Aznar B-PER", "viaja O", "a O", "París B-LOC"),
    "stanford_ner": rows("Mona\tPERSON", "Lisa\tPERSON", "hangs\tO", "in\tO", "Paris\tLOCATION", ".\tO"),
    "lexicon_ner": rows("Mona B-PER 1", "Lisa I-PER 0", "hangs O 0", "in O 0", "Paris B-LOC 1"),
    "kaggle_ner": rows(
        "Sentence #,Word,POS,Tag",
        "Sentence: 1,Mona,NNP,B-per",
        ",Lisa,NNP,I-per",
        ",hangs,VBZ,O",
        "Sentence: 2,Paris,NNP,B-geo",
        ',",",",",O',
        end="\n",
    ),
    "hipe": rows(
        "\t".join(HIPE_COLUMNS),
        "# hipe2022:document_id = courier-1801",
        "Mona\tB-pers\tO\tB-pers.ind\tO\tO\tO\tNIL\t_\t_",
        "Lisa\tI-pers\tO\tI-pers.ind\tO\tO\tO\tNIL\t_\tNoSpaceAfter",
        ".\tO\tO\tO\tO\tO\tO\t_\t_\tEndOfLine|EndOfSentence",
    ),
    "conllu": rows(
        "# newdoc id = a",
        "# sent_id = 1",
        f"# text = {TEXT}",
        "1\t拜登\t拜登\tPROPN\tNR\t_\t3\tnsubj\t_\tNER=B-PER|SpaceAfter=No",
        "2\t在\t在\tADP\tP\t_\t3\tcase\t_\tSpaceAfter=No",
        "3\t北京\t北京\tPROPN\tNR\t_\t0\troot\t_\tNER=B-LOC|SpaceAfter=No",
        "4\t会见\t会见\tVERB\tVV\t_\t3\tconj\t_\tSpaceAfter=No",
        "5\t记者\t记者\tNOUN\tNN\t_\t4\tobj\t_\tSpaceAfter=No",
    ),
    "conll2012": rows(
        "#begin document (nw/courier_0001); part 000",
        "nw/courier_0001  0  0  Mona  NNP  (TOP(S(NP*  -  -  -  -  (PERSON*  (ARG1*  (0",
        "nw/courier_0001  0  1  Lisa  NNP  *)          -  -  -  -  *)        *)      0)",
        "nw/courier_0001  0  2  hangs VBZ  (VP*        hang 01 - -  *        (V*)    -",
        "nw/courier_0001  0  3  here  RB   (ADVP*))))  -  -  -  -  *         (ARGM*) -",
        "",
        "#end document",
        end="\n",
    ),
    "doccano": lines({"id": 1, "text": TEXT, "label": SPANS, "Comments": []}),
    "label_studio": json.dumps(
        [
            {
                "id": 1,
                "data": {"text": TEXT},
                "annotations": [
                    {
                        "completed_by": 1,
                        "result": [
                            {"id": "a", "from_name": "l", "to_name": "t", "type": "labels", "value": value}
                            for value in _REGIONS
                        ],
                    }
                ],
                "predictions": [],
            }
        ],
        ensure_ascii=False,
    ),
    "label_studio_min": json.dumps(
        [{"id": 1, "text": TEXT, "label": _REGIONS}], ensure_ascii=False, indent=1
    ),
    "label_studio_csv": LABEL_STUDIO_CSV,
    "prodigy": lines(
        {
            "text": TEXT,
            "_input_hash": 5,
            "_task_hash": 6,
            "spans": [{"start": 0, "end": 2, "token_start": 0, "token_end": 0, "label": "PER"}],
            "answer": "accept",
        }
    ),
    "spacy_json": json.dumps(
        {"classes": ["PER"], "annotations": [[TEXT, {"entities": SPANS}]]}, ensure_ascii=False
    ),
    "spacy_paragraphs": json.dumps(
        [
            {
                "id": 0,
                "paragraphs": [
                    {
                        "raw": TEXT,
                        "sentences": [
                            {
                                "tokens": [
                                    {
                                        "id": 0,
                                        "orth": "拜登",
                                        "ner": "U-PER",
                                        "tag": "NR",
                                        "head": 2,
                                        "dep": "nsubj",
                                    },
                                    {"id": 1, "orth": "在", "ner": "O"},
                                    {"id": 2, "orth": "北", "ner": "B-LOC"},
                                    {"id": 3, "orth": "京", "ner": "L-LOC"},
                                ],
                                "brackets": [],
                            }
                        ],
                        "cats": [],
                    }
                ],
            }
        ],
        ensure_ascii=False,
    ),
    "entities": json.dumps(
        {
            "text": TEXT,
            "ents": [{"start": s, "end": e, "label": label} for s, e, label in SPANS],
            "sents": [{"start": 0, "end": 9}],
            "tokens": [{"id": 0, "start": 0, "end": 2}],
        },
        ensure_ascii=False,
        indent=1,
    ),
    "uie": lines(
        {"content": TEXT, "result_list": [{"text": "拜登", "start": 0, "end": 2}], "prompt": "PER"},
        {"content": TEXT, "result_list": [{"text": "北京", "start": 3, "end": 5}], "prompt": "LOC"},
    ),
    "gliner": json.dumps(
        [{"tokenized_text": list(TEXT), "ner": [[0, 1, "PER"], [3, 4, "LOC"]]}], ensure_ascii=False
    ),
    "spert": json.dumps(
        [
            {
                "tokens": list(TEXT),
                "entities": [{"type": "PER", "start": 0, "end": 2}, {"type": "LOC", "start": 3, "end": 5}],
                "relations": [{"type": "In", "head": 0, "tail": 1}],
                "orig_id": 7,
            }
        ],
        ensure_ascii=False,
    ),
    "dygie": lines(
        {
            "doc_key": "d",
            "dataset": "news",
            "sentences": [list(TEXT[:5]), list(TEXT[5:])],
            "ner": [[[0, 1, "PER"], [3, 4, "LOC"]], []],
            "relations": [[[0, 1, 3, 4, "In"]], []],
            "clusters": [[[0, 1], [7, 8]]],
        }
    ),
    "w2ner": json.dumps(
        [
            {
                "sentence": list(TEXT),
                "ner": [{"index": [0, 1], "type": "PER"}, {"index": [3, 5], "type": "X"}],
                "word": [[0, 1], [2]],
            }
        ],
        ensure_ascii=False,
    ),
    "ccks": lines(
        {
            "originalText": TEXT,
            "entities": [{"label_type": "PER", "overlap": 0, "start_pos": 0, "end_pos": 2}],
        }
    ),
    "argilla": json.dumps(
        [
            {
                "id": "r1",
                "status": "completed",
                "fields": {"text": TEXT},
                "metadata": {},
                "suggestions": {},
                "responses": {"span": [{"value": [{"start": 0, "end": 2, "label": "PER"}], "user_id": "u"}]},
            }
        ],
        ensure_ascii=False,
        indent=1,
    ),
    "gate_json": json.dumps({"text": TEXT, "entities": {"PER": [{"indices": [0, 2]}]}}, ensure_ascii=False),
    "rasa": 'version: "3.1"\nnlu:\n- intent: visit\n  examples: |\n    - [拜登](PER)在[北京](LOC)会见记者\n',
    "tokens_jsonl": lines({"id": "0", "tokens": list(TEXT), "ner_tags": _BIO}),
    "cluener": lines({"text": TEXT, "label": {"name": {"拜登": [[0, 1]]}, "address": {"北京": [[3, 4]]}}}),
    "cmeee": "头痛三天，服用布洛芬|||0    1    sym|||7    9    dru|||\n",
    "cmeee_json": json.dumps(
        [{"text": TEXT, "entities": [{"start_idx": 0, "end_idx": 1, "type": "PER", "entity": "拜登"}]}],
        ensure_ascii=False,
    ),
    "msra": "拜 登 在 北 京\tB-NR E-NR O B-NS E-NS\n",
    "msra_jsonl": lines(
        {
            "text": TEXT,
            "entity_list": [{"entity_index": {"begin": 3, "end": 5}, "entity_type": "LOC", "entity": "北京"}],
        }
    ),
    "bert_mrc": json.dumps(
        [
            {
                "context": "拜 登 在 北 京",
                "query": "人名",
                "start_position": [0],
                "end_position": [1],
                "span_position": ["0;1"],
                "entity_label": "PER",
                "impossible": False,
                "qas_id": "0.1",
            }
        ],
        ensure_ascii=False,
    ),
    "pubtator": (
        "100|t|阿司匹林与头痛\n100|a|Aspirin 😀 helps.\n100\t0\t4\t阿司匹林\tChemical\tD001241\n"
        "100\t5\t7\t头痛\tDisease\tD006261\n100\t8\t15\tAspirin\tChemical\tD001241\n"
        "100\tCID\tD001241\tD006261\n\n"
    ),
    "bioc_xml": BIOC_XML,
    "bioc_json": json.dumps(BIOC_JSON, ensure_ascii=False, indent=1),
    "brat": "T1\tPER 0 2\t拜登\nR1\tmet_in Arg1:T1 Arg2:T1\n",
    "webanno": WEBANNO_HEADER + f"#Text={TEXT}\n" + "".join("\t".join(row) + "\t\n" for row in _WEBANNO_ROWS),
    "webanno_old": WEBANNO_2,
    "gate_xml": GATE,
    "cas_json": json.dumps(CAS_JSON, ensure_ascii=False),
    "cas_xmi": CAS_XMI,
    "plain": "今天天气不错。\n明天有雨。\n",
    "csv": "id,text\n1,今天\n2,明天\n",
    "tsv": "id\ttext\n1\t今天\n2\t明天\n",
}
