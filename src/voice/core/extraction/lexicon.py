"""Words that tell what a name stands for, and words that are never names.

Law: a table only ever names a kind; whether a stretch is a name at all is decided in its sentence. No table holds what
belongs to one person's life. Everything is folded (`fold_word`).

Source: ruling F.1 ("capitalised stop words, list markers and fragments never become entities").
"""

from typing import Final

from voice.core.text.word_lists import MEN, STOPWORDS, WOMEN, word_set

MORE_WOMEN: Final = word_set(
    "abigail agnes aisha alba alejandra alina alma amina ana anastasia andrea angelika aria aisling ariana astrid "
    "aurora ava ayesha beatriz becky bella beth birgit brigitte britta camila camille carla carmen cecilia "
    "chiara chloe "
    "cindy clara clare claudia consuelo cristina dana daniela delia diya dora elif elisabeth elsa erika esther eva "
    "fatima fatma farah freya gabriela gabriele gina gisela gita greta gretchen gudrun hana hilary hilde ida ilse "
    "imogen ingeborg irina isla ivy jana jenny jess jo joan jolanda josefina juana juliana jutta kamala karin katja "
    "katrin kathrin katharina kim kira klara lara larissa laila layla leah leila leila lidia lily lina lola lorena "
    "lotte lucía lupe lydia mandy manuela mara mariana mariam maya mei meera mel mercedes mila milena mina mira mona "
    "nadine naomi natasha nele nia nisha noor nuria olena oksana paloma paola penelope pia pilar polly priyanka "
    "raquel regina renate rhea rocío ronja rosie roxana ruby saanvi sabrina salma sally samira shreya sigrid silke "
    "simone sofía svenja sunita susana tamara tania tanya tara tatiana tess tina ulrike uta valentina valeria verena "
    "veronica vivian yara yasmin ylva yuki zara zeynep zoë"
)
MORE_MEN: Final = word_set(
    "abdul achim adil ahmed ahmad aidan akira alejandro alessandro alex alfonso ali alvaro álvaro amir andrei andre "
    "andré andrés angus ansel antoine arjun armin arne arun axel bastian bilal björn bob boris brad callum cem chad "
    "christoph claude colin connor craig damian dan darius david deepak derek detlef dirk dmitri dominik eduardo "
    "eli elias emilio emre enrique esteban ethan evan fabian farid federico felipe fernando finley florian "
    "francisco franz fritz gabriel gavin gerald giovanni gonzalo graham greg guillermo günter gustavo hamid harald "
    "hasan hassan hector héctor hendrik herbert hiro holger horst howard hugh ian ibrahim igor ignacio isaac iker "
    "ismail jaime jake jamal jan javier jerome jesús jim jimmy joaquín joe joel johannes jonah josh juan kai karim "
    "kareem ken kenji kofi konrad kurt kwame lachlan lorenz lorenzo lothar malcolm malik manfred manuel mateo "
    "mathias "
    "matthias matt mauricio maurice max maximilian mehmet mick mike mohammed mohamed muhammad murat mustafa "
    "nathaniel "
    "neil nick nico nikolai nils norbert nigel olaf ole oleg oliver omar owen pascal pavel pete phil pierre quentin "
    "rahul raj rajesh ramón ravi ray rené ricardo rodrigo rolf roman ron rory rubén rüdiger sam salim sanjay "
    "santiago "
    "sebastián sergei sergio seth siddharth stefano steve sven sergey tariq ted thorsten tibor till tobi todd tomás "
    "tommy tony torsten udo ulrich vikram vladimir volker wei wolf yannick yusuf xavier zach"
)
PERSON_NAMES: Final = WOMEN | MEN | MORE_WOMEN | MORE_MEN
FEMALE: Final = WOMEN | MORE_WOMEN
MALE: Final = MEN | MORE_MEN
ALSO_WORDS: Final = word_set(
    "mark will may rose grace frank jack max bill art rob drew sue iris hope joy june april august dean chase grant "
    "faith dawn ruby ivy lily summer autumn victor victoria christian jo ray ted pat dale ole till wolf pia "
    "kim mercedes "
    "florence charlotte jordan paris sofia santiago san aurora dan gabriele andrea man mel clare sun alma "
    "alba consuelo "
    "pilar rocío dolores mona lola"
)
"""First names that are words or places, too: as the first word of a sentence they count only before a deed."""

KIN: Final = word_set(
    "mum mom mother dad father grandma grandpa granny grandad aunt uncle mutti mama papa oma opa tante onkel "
    "mamá papá "
    "abuela abuelo tía tío"
)
TITLES: Final = word_set(
    "dr mr mrs ms mx miss prof professor doctor sir madam herr frau señor señora sr sra don doña doktor coach judge"
)

SEASONS: Final = word_set("spring summer autumn winter fall frühling sommer herbst")
"""Surnames, too: "Marta Sommer"."""

_CALENDAR = word_set(
    "january february march april may june july august september october november december jan feb mar apr "
    "jun jul aug "
    "sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs "
    "fri sat "
    "sun weekend today tomorrow yesterday tonight morning afternoon evening "
    "night noon "
    "midnight christmas easter thanksgiving halloween hanukkah ramadan diwali eid xmas valentine's eve boxing day "
    "q1 q2 q3 q4 januar jänner februar märz mai juni juli oktober dezember montag dienstag mittwoch "
    "donnerstag freitag "
    "samstag sonnabend sonntag heute gestern morgen abend ostern weihnachten pfingsten silvester "
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes miércoles "
    "jueves viernes sábado domingo navidad hoy ayer mañana new year's"
)
_SPEECH = word_set(
    "english french german spanish italian portuguese dutch swedish norwegian danish finnish polish czech russian "
    "ukrainian greek turkish arabic hebrew persian hindi urdu bengali chinese mandarin cantonese japanese "
    "korean thai "
    "vietnamese swahili latin american british european african asian irish scottish welsh canadian "
    "australian mexican "
    "brazilian indian swiss austrian deutsch englisch französisch spanisch español inglés francés alemán christian "
    "muslim jewish catholic buddhist western eastern northern southern"
)
_JOTTINGS = word_set(
    "todo done fixme note notes ps nb fyi asap eta wip tbd tba faq ok okay re fw fwd cc yes no hi hello hey "
    "dear thanks "
    "thank cheers regards sorry please congrats welcome bye pro con pros cons idea ideas question questions answer "
    "action actions decision decisions agenda summary topic topics update updates plan plans goal goals task "
    "tasks next "
    "step steps attendees participants meeting retro standup recap reminder risk risks status page chapter "
    "part section "
    "version v1 v2 phase item items list lists groceries shopping packing error warning info debug ceo cto "
    "cfo coo hr pr "
    "qa ui ux ci cd api url id it am pm pc tv dvd pdf csv json html css xml http https vat usb cpu gpu ram llm ai ml "
    "ahora luego además después entonces danach deshalb trotzdem außerdem nachher vorher y'all wow yeah gonna "
    "bewusstsein verstand laune sinnen kräften appetit "
    "kpi okr roi sla mvp poc rfc adr db sdk cli gui ide os vpn dns ssl tls ssh sql ticket bug feature mail email"
)
NEVER: Final = _CALENDAR | SEASONS | _SPEECH | _JOTTINGS | frozenset[str]().union(*STOPWORDS.values())
"""Words that alone are no name of a thing, however they are written."""

PLACES: Final = frozenset(
    """amsterdam|athens|atlanta|auckland|austin|austria|australia|bali|bangalore|bangkok|barcelona|basel|bavaria|bayern
    |beijing|belgium|belgrade|berlin|bern|bilbao|birmingham|bogotá|boston|brazil|bremen|brighton|bristol|brussels
    |bucharest|budapest|buenos aires|cairo|california|cambridge|canada|cape town|cardiff|chicago|chile|china|cologne
    |colombia|copenhagen|córdoba|croatia|dallas|delhi|denmark|denver|detroit|dortmund|dresden|dubai|dublin|düsseldorf
    |edinburgh|egypt|england|españa|essen|estonia|ethiopia|europe|europa|finland|florence|florida|france|frankfurt
    |freiburg|geneva|genf|germany|deutschland|ghana|glasgow|graz|greece|granada|hamburg|hannover|hanoi|heidelberg
    |helsinki|hong kong|houston|hungary|iceland|india|indonesia|innsbruck|ireland|israel|istanbul|italy|italien
    |jakarta
    |japan|jena|jerusalem|kenya|kiel|kyiv|köln|kyoto|lagos|las vegas|leeds|leipzig|lima|lisbon|lissabon|liverpool
    |ljubljana|london|los angeles|lyon|madrid|málaga|mallorca|manchester|manhattan|marburg|marseille|melbourne|mexico
    |mexico city|miami|milan|minneapolis|montreal|morocco|moscow|mumbai|munich|münchen|mainz|nairobi|naples|nepal
    |netherlands|new delhi|new york|new york city|new zealand|nigeria|norway|nuremberg|nürnberg|oakland|osaka|oslo
    |oxford|paris|peru|philadelphia|pittsburgh|poland|portland|porto|portugal|potsdam|prague|prag|puebla|quito
    |reykjavik
    |riga|rio de janeiro|rom|rome|romania|rotterdam|russia|salamanca|salzburg|san diego|san francisco|san sebastián
    |santiago|são paulo|scotland|schottland|seattle|seoul|serbia|sevilla|seville|shanghai|sheffield|shenzhen|sicily
    |singapore|slovenia|sofia|south africa|spain|spanien|stockholm|stuttgart|sweden|schweden|switzerland
    |schweiz|sydney
    |taipei|taiwan|tallinn|tel aviv|texas|thailand|tokyo|toledo|toronto|toulouse|tunis|turin|turkey|türkei|uganda|uk
    |ukraine|united kingdom|united states|usa|uruguay|valencia|vancouver|venice|vermont|vienna|vietnam|vilnius|wales
    |warsaw|washington|wien|yorkshire|zagreb|zaragoza|zurich|zürich""".replace("\n    ", "").split("|")
)
TOOLS: Final = word_set(
    "airflow airtable anki angular ansible asana aws azure babel bash bigquery bitbucket blender bootstrap cassandra "
    "celery chatgpt chrome clickhouse confluence copilot cypress dagster databricks datadog dataview dbt "
    "debian discord "
    "django docker dropbox duckdb elasticsearch electron eslint evernote excel express fastapi figma firebase "
    "firefox "
    "flask flutter flink gcp git github gitlab gmail golang grafana graphql gradle haskell hadoop helm heroku "
    "hubspot "
    "jenkins jira jupyter kafka keras kibana kotlin kubernetes laravel latex linux loki logseq looker "
    "mailchimp mariadb "
    "matplotlib maven miro mongodb mypy mysql neo4j nextjs nginx node nodejs notion numpy obsidian okta "
    "opentelemetry "
    "outlook pagerduty pandas php photoshop playwright podman postgres postgresql postman powerpoint powershell "
    "prometheus pulumi pycharm pytest python pytorch quickbooks rabbitmq rails react redis redshift ruff salesforce "
    "scala scikit-learn selenium sentry sharepoint signal slack snowflake solr spark sqlite storybook "
    "supabase svelte "
    "swift tableau tailwind tensorflow terraform todoist traefik trello typescript ubuntu vault vercel vim "
    "vite vscode "
    "vue webpack whatsapp windows wireshark wordpress xcode zapier zendesk zoom zotero javascript java rust"
)
LOWER_TOOLS: Final = word_set(
    "pandas numpy docker kubernetes postgres postgresql mysql sqlite redis nginx git github gitlab pytest terraform "
    "ansible jenkins kafka django mongodb elasticsearch rabbitmq pytorch tensorflow typescript javascript"
)
"""Tools that are often written small and are no other word."""
COMPANIES: Final = frozenset(
    """adyen|airbus|airbnb|aldi|allianz|amazon|apple|asml|audi|basf|bayer|bbc|bbva|bmw|boeing|bosch|cisco|commerzbank
    |daimler|dell|deloitte|deutsche bank|deutsche bahn|ebay|ericsson|facebook|farfetch|fedex|ford|google|honda|hp|hsbc
    |iberdrola|ibm|ikea|inditex|infineon|indra|intel|kpmg|lidl|lufthansa|mckinsey|mercadona|mercedes-benz|meta
    |microsoft|mit|nasa|netflix|nestlé|nhs|nike|nokia|novartis|nvidia|openai|oracle|paypal|pfizer|philips|porsche|pwc
    |renfe|repsol|roche|rolls-royce|samsung|santander|sap|shopify|siemens|skype|sony|spotify|stripe|telefónica|telekom
    |tesla|toyota|twitter|uber|ubs|unicef|unilever|vodafone|volkswagen|volvo|walmart|who|zalando|zara home""".replace(
        "\n    ", ""
    ).split("|")
)
ORG_SUFFIX: Final = word_set(
    "inc ltd llc gmbh ag kg se plc corp corporation company co sa sl labs lab group university universität "
    "universidad "
    "college school institute institut instituto hospital clinic klinik clínica foundation stiftung fundación "
    "bank union organization organisation "
    "association society council agency ministry committee consortium church club orchestra philharmonic partners "
    "ventures capital software systems technologies solutions industries airlines railways press studios health "
    "bakery verein e.v frontières"
)
ORG_PREFIX: Final = word_set(
    "university universität universidad instituto institute hospital banco bank fundación "
    "ministry ministerio verein hochschule technische"
)
WEAK_SUFFIX: Final = word_set(
    "group club lab labs systems solutions partners health studios press company council union association "
    "technologies "
    "society church agency committee software capital ventures school foundation"
)
"""They make a name of an organisation only with a word that is not everyday language, or three words and more."""
PLACE_SUFFIX: Final = word_set(
    "street road avenue lane square park station airport river lake bay beach island islands mountain "
    "mountains valley "
    "forest bridge castle museum gallery cathedral hall hill garden gardens library theatre theater modern straße "
    "strasse platz bahnhof flughafen brücke schloss see"
)
PLACE_PREFIX: Final = word_set(
    "lake mount hotel café cafe plaza calle avenida río castillo parque schloss bad port isla"
)
EVENT_SUFFIX: Final = word_set(
    "conference summit marathon festival meetup hackathon workshop expo congress olympics symposium cup fair gala "
    "konferenz messe festspiele congreso feria maratón"
)
PROJECT_WORD: Final = word_set("project projekt proyecto operation initiative")
ALONE_KIN: Final = word_set("mum mom mommy dad daddy grandma grandpa granny grandad mutti mama papa oma opa mamá papá")
"""Kin called by it as by a name."""
KIN_WORDS: Final = word_set(
    "brother sister husband wife daughter son manager boss partner cousin friend mother father dog cat uncle "
    "aunt bruder "
    "schwester mann frau tochter sohn freund freundin kollege kollegin chef chefin mutter vater tante onkel cousine "
    "nachbar nachbarin hermano hermana marido esposa hijo hija madre padre tío tía primo prima amigo amiga jefe jefa"
)
ROLES: Final = word_set(
    "customer agent client supplier plumber landlord neighbour neighbor teacher doctor dentist nurse lawyer "
    "accountant "
    "driver painter electrician carpenter gardener mechanic baker butcher barber manager engineer designer developer "
    "tester intern trainer coach vet photographer recruiter consultant architect analyst tenant contractor "
    "younger elder"
)
METHOD: Final = word_set(
    "technique method principle theory effect law framework pattern methode prinzip método principio"
)
