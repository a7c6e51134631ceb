// Calls and their answers.

/** Most wait for the turn of their project; the hub holds what is more. */
export const concurrentCallsMax = 32
/** Characters of a caller's own id for a write. */
export const requestIdLengthMax = 128
/** A repeat within this time has the first answer. */
export const requestKeptMs = 24 * 60 * 60_000
/** Old replies that go with each new one: more than come. */
export const requestsPrunedMax = 20
/** Ids of sources or codes that a call names. */
export const idsNamedMax = 10_000
/** Bytes of the rows that tell of a batch, as JSON; a message holds 4 MiB, and the rest of the answer is short. */
export const batchAnswerBytesMax = 4_000_000
/** Bytes of one such row without what may be left out: of the most operations, a million bytes remain for that. */
export const batchBareRowBytesMax = 300
/** For a call that looks at every coding of a project. */
export const wholeProjectMs = 600_000
/** How long work goes on before others have their turn. */
export const timeSliceMs = 20

// Config.

/** What somebody writes by hand. */
export const rootsMax = 100
/** Some days of work, at one for each session that writes; a backup has the size of its project. */
export const backupsDefault = 10
/** A folder with more is no longer looked through by anybody. */
export const backupsMax = 1_000
/** Long enough for any sane expression over all texts of a project. */
export const regexTimeoutMsDefault = 2_000
/** A thread needs that to start. */
export const regexTimeoutMsMin = 100
/** A worker of many sessions does not lose a thread for longer. */
export const regexTimeoutMsMax = 60_000

// The project folder, its locks and backups.

/** Longest path that Linux takes, in bytes; no path has more characters. */
export const pathLengthMax = 4_096
/** Pause between two attempts while another program writes to the project. */
export const busyRetryMs = 25
/** The original waits as long for us. */
export const busyWaitMs = 5_000
/** How long SQLite itself waits for a reader or writer of another program, which blocks the event loop: less than a heartbeat. */
export const lockedReadMs = 1_000
/** Of one project; more means that something hangs, and callers must hear of it. */
export const writesWaitingMax = 1_000
/** Of each other program's file beside the project that is read whole; a lock has two short lines. */
export const lockContentBytesMax = 1_024
/** As QualCoder 3 does. */
export const lockRefreshMs = 5_000
/** QualCoder 3 takes a lock of this age for forgotten. */
export const lockStaleMs = 30_000
/** A backup that is still not whole after this time never will be. */
export const backupLeftoverMs = 60 * 60_000
/** More backups than that are not made within a minute. */
export const backupNamesTriedMax = 60
/** Some 4 MB, while which nothing else of the worker runs. */
export const backupStepPages = 1_000
/** UTF-16 units of texts that are kept between calls: some 30 MB at two bytes each. */
export const textsCachedCharactersMax = 16 * 1024 * 1024

// The worker's own records.

/** Of the worker's own list; the oldest are left out. */
export const knownProjectsMax = 1_000
/** Names of kinds, tools, actors and statuses, and ids. */
export const recordNameLengthMax = 300
/** Both databases take so many rows of suggestions in one statement. */
export const suggestionRowsPerInsert = 100

// Changes, previews, suggestions.

/** Of one page of a history. */
export const changeSetsListedMax = 200
/** Rows that an undo tells of by their ids, of each list: what was done must be told, and a message holds 4 MiB. */
export const undoRowsListedMax = 5_000
export const previewTokenMs = 15 * 60_000
/** Of all sessions; the oldest goes first. */
export const previewTokensMax = 1_000
/** Suggestions of one actor that wait for a person, per project. */
export const pendingPerActorMax = 200
/** Characters of what one suggestion asks for, as JSON: a long text to be added, and it still fits into an answer. */
export const suggestionLengthMax = 1024 * 1024
/** Of one page over all projects. */
export const suggestionsListedMax = 200
/** Characters of why somebody decided so. */
export const reasonLengthMax = 2_000
/** Items of one call: each is tried out, and all of an actor's are limited. */
export const suggestedCodingsMax = 100
/** UTF-16 units of a passage that is suggested: somebody has to read it. */
export const suggestedTextUnitsMax = 20_000
/** Of what is suggested about a source: a word for its language, its topics, and where it belongs. */
export const languageLengthMax = 100
export const topicLengthMax = 200
export const topicsMax = 50
export const organizationLengthMax = 2_000

// Sources, folders, names, memos.

/** Code points of a source's name; as much as a name in a file system. */
export const sourceNameLengthMax = 255
/** Code points of a folder's name; as much as a name in a file system. */
export const folderNameLengthMax = 255
/** Code points of a person's name. */
export const coderNameLengthMax = 100
/** Names of codes and categories, in characters. */
export const codeNameLengthMax = 100
/** Titles, in characters: they become names of files. */
export const journalNameLengthMax = 255
/** Characters of a word or two on where a text comes from. */
export const originLengthMax = 1_000
/** Characters of a memo that an agent gives. */
export const memoLengthMax = 100_000
/** Code points of a page, where the call does not say. */
export const pageLengthDefault = 50_000
/** Code points of a page: four bytes each are less than a frame takes. */
export const pageLengthMax = 200_000
/** Of paths that are shown; nobody nests deeper, and a path of a file with rings must not grow with it. */
export const codeLevelsShownMax = 100

// Codings.

/** Operations of one batch: as many fit into a transaction of a second. */
export const batchOperationsMax = 10_000
/** UTF-16 units that one batch may code, all told: each is stored twice, and written in one transaction. */
export const batchTextUnitsMax = 16 * 1024 * 1024
/** Overlaps named for each row of a batch. */
export const overlapsListedMax = 5
/** Spans of one block of a sorted list: small to insert into, and few to skip. */
export const spansPerBlockMax = 128
/** Segments or hits of one page. */
export const segmentsListedMax = 10_000
/** Of what verify_project lists; it counts all of them. */
export const issuesListedMax = 1_000
/** In one call, so that its transaction stays short. */
export const repairedMax = 5_000
/** Codings that are read at once in work that goes over all of them. */
export const codingsPerSliceMax = 500
/** The same of their ids alone. */
export const codingIdsPerSliceMax = 5_000
/** Codings that are read at once: a few milliseconds. */
export const codingsPerPage = 5_000

// Quotes and positions.

/** UTF-16 units of a quote; as much as the longest page that can be read, whatever its characters. */
export const quoteUnitsMax = 400_000
/** UTF-16 units compared for the occurrences of one quote: a text of one letter has as many as it is long. */
export const quoteUnitsComparedMax = 50_000_000
/** Candidates named for a quote that occurs several times; enough to choose from. */
export const quoteCandidatesMax = 10
/** Code points of a candidate's text in a failure, and before and after it. */
export const quoteCandidateLengthMax = 200
export const quoteContextLength = 40
/** Units of work of one approximate search, about 20 ns each: a 1 MB text keeps the worker busy for less than 100 ms. */
export const approximateSearchUnits = 4_000_000
/** How unlike a quote a fuzzy match may be; share of the quote's length. */
export const fuzzyErrorsShare = 0.2
/** Regions compared for one fuzzy match; the likeliest come first. */
export const fuzzyRegionsMax = 10_000
/** UTF-16 units of a quote that is searched approximately: the time for texts that repeat themselves grows with its cube. */
export const fuzzyQuoteUnitsMax = 500
/** Regions looked at for the passage closest to a quote that was not found; it is only a hint. */
export const closestRegionsMax = 64
/** How unlike a quote the closest passage may be and still be worth naming; share of the quote's length. */
export const closestErrorsShare = 0.4
/** On either side of a match, UTF-16 units in which its sentence is looked for: a text may be a single line. */
export const sentenceReachUnits = 5_000
/** How far from its stored position a coding's text may have moved, code points. */
export const shiftLengthMax = 200
/** UTF-16 units of a coding's text that is looked for elsewhere: each of 400 places may compare it all. */
export const shiftedTextUnitsMax = 100_000

// Patterns and search.

/** UTF-16 units: nobody writes a longer pattern, and its compilation takes time and memory. */
export const patternLengthMax = 10_000
/** Matches of one search: more than a project has codings, and 20 MB. */
export const patternMatchesMax = 200_000
/** UTF-16 units of texts that are copied to a search thread at once: a few milliseconds of the event loop. */
export const patternBatchLength = 1_000_000
/** Texts in such a batch, where they are short. */
export const patternBatchCountMax = 2_000
/** Searches at once; others wait in line. */
export const patternThreadsMax = 2
/** Of a search thread, MB: room for a text of 100 MB, and not for what grows without end. */
export const patternThreadHeapMb = 512
/** A thread that had no search for so long is ended, ms: starting it again takes 30. */
export const patternThreadIdleMs = 60_000
/** Of one page, where the call does not say. */
export const hitsListedDefault = 50
/** Of one page. */
export const hitsListedMax = 1_000
/** UTF-16 units of the texts of a page, after which it ends: an answer must fit into a frame. */
export const hitUnitsPerPageMax = 300_000
/** Code points of a hit's text and, on either side, of its context. */
export const hitContextLengthDefault = 60
export const hitContextLengthMax = 500
export const hitTextLengthMax = 500

// Automatic coding, speakers.

/** Passages that one call codes: as many fit into a transaction of a second. */
export const autoCodingsMax = 10_000
/** Of one page of a preview. */
export const autoCodingsShownMax = 100
/** Characters of a speaker's label: what is longer before a colon is a sentence. */
export const speakerLabelLengthMax = 63
/** Code points of how a speaker's first turn begins. */
export const speakerSampleLength = 120
/** For whom one call makes codes. */
export const speakersMax = 500
/** Pieces of turns that are found in one call, before the speakers are chosen: some 30 MB. */
export const turnPiecesMax = 200_000

// Statistics.

/** Coders that are compared at once: more never code the same sources. */
export const agreementCodersMax = 20
/** Coders named to a caller who names one that there is not. */
export const coderNamesListedMax = 100
/** Codings of text that one statistic takes into account: some 60 MB. */
export const codingsComparedMax = 500_000
/** Codes whose co-occurrence is counted at once: a grid of so many takes 32 MB, and there are two. */
export const cooccurrenceCodesMax = 2_000
/** Pairs of codes in one answer: more than 500 codes have. */
export const cooccurrencePairsMax = 200_000
/** Pairs of codes in an answer that does not say how many. */
export const cooccurrencePairsDefault = 1_000
/** Pairs of codes in one answer, which must fit into a frame. */
export const cooccurrencePairsListedMax = 10_000
/** Steps of one count of co-occurrence, about a second; 100,000 codings of 500 codes that all overlap take 50 million. */
export const cooccurrenceStepsMax = 200_000_000

// REFI-QDA.

/** How long an import or export may take. */
export const exchangeMs = 600_000
/** What an import or export could not take over, in its answer; the rest is counted. */
export const lossesListedMax = 1_000
/** Bytes of a package's files, unpacked. */
export const packageBytesMax = 2 * 1024 * 1024 * 1024
/** Files in a package. */
export const packageEntriesMax = 100_000
/** Bytes of a file's name in a package. */
export const packageNameLengthMax = 1_024
/** Bytes of one text in a package. */
export const packageTextBytesMax = 64 * 1024 * 1024
/** How many times its packed size a file may have; texts reach 20, bombs 1,000. */
export const packageRatioMax = 200
/** Bytes below which a file of a package may have any ratio: a short text of blanks is no bomb. */
export const packageRatioFreeBytes = 1024 * 1024
/** Bytes of a REFI-QDA document: some 500,000 codings. */
export const xmlBytesMax = 256 * 1024 * 1024
/** Bytes that are parsed before others have their turn. */
export const xmlChunkBytes = 64 * 1024
/** Elements within elements; programs nest codes a dozen deep. */
export const xmlDepthMax = 256
/** Elements of a document: with each, memory grows. */
export const xmlElementsMax = 3_000_000
/** Attributes of one element; the format knows ten at most. */
export const xmlAttributesMax = 64
/** Characters of one attribute's value in a REFI-QDA document: names, and quotations of some programs. */
export const xmlAttributeLengthMax = 1_000_000
/** Characters of one text in a document, and between two of its tags. */
export const xmlTextLengthMax = 16 * 1024 * 1024
/** Characters that a writer gathers before it hands them on. */
export const xmlWriteChunkLength = 64 * 1024
/** Characters of a quotation that are compared with the text it was taken from. */
export const quoteComparedLength = 1_000
/** Rows read at once: a few milliseconds. */
export const exportRowsPerPage = 2_000
/** Levels of codes in a document, less than any reader takes. */
export const codeLevelsExportedMax = 100
/** UTF-16 units of a coded text that a document quotes, so that readers can check their positions. */
export const selectionNameLength = 200
/** Dates that are known in both zones; many rows share one. */
export const momentsRememberedMax = 10_000
/** Code points of an imported name of a code, case or attribute: more than other programs show. */
export const importedCodeNameLengthMax = 1_000
/** Elements that one transaction beside others' work may bring, two seconds at most; a project of its own takes any number. */
export const importedIntoCurrentMax = 20_000
/** UTF-16 units of all texts that one transaction may bring: they are in memory at once. */
export const importedTextUnitsMax = 32 * 1024 * 1024
