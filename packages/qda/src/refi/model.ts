/**
 * A project or a codebook as REFI-QDA knows it, whichever program wrote it. GUIDs are in lower case and have no braces; moments are
 * `YYYY-MM-DDTHH:MM:SSZ`; positions are code points, half-open; pictures count pixels, sounds milliseconds.
 */
export interface RefiProject extends Authorship {
  readonly name: string
  /** The program that wrote it. */
  readonly origin: string | null
  /** What `relative` paths start from. */
  readonly basePath: string | null
  readonly users: readonly RefiUser[]
  readonly codes: readonly RefiCode[]
  readonly variables: readonly RefiVariable[]
  readonly cases: readonly RefiCase[]
  readonly sources: readonly RefiSource[]
  readonly notes: readonly RefiText[]
  readonly links: readonly RefiLink[]
  readonly sets: readonly RefiSet[]
  /** Graphs are counted, not read. */
  readonly graphCount: number
  readonly description: string | null
  readonly noteRefs: readonly string[]
}

export interface RefiCodebook {
  readonly origin: string | null
  readonly codes: readonly RefiCode[]
  readonly sets: readonly RefiSet[]
}

export interface Authorship {
  readonly creatingUser: string | null
  readonly createdAt: string | null
  readonly modifyingUser: string | null
  readonly modifiedAt: string | null
}

export interface RefiUser {
  readonly guid: string
  readonly name: string | null
  readonly id: string | null
}

export interface RefiCode {
  readonly guid: string
  readonly name: string
  /** False for what only groups others. */
  readonly isCodable: boolean
  /** `#RRGGBB`, in upper case. */
  readonly color: string | null
  readonly description: string | null
  readonly noteRefs: readonly string[]
  readonly codes: readonly RefiCode[]
}

export type VariableType = 'Text' | 'Boolean' | 'Integer' | 'Float' | 'Date' | 'DateTime'

export interface RefiVariable {
  readonly guid: string
  readonly name: string
  readonly type: VariableType
  readonly description: string | null
}

export interface RefiVariableValue {
  readonly variable: string
  /** As it is spelt in the file: a number or a date is valid for its type. */
  readonly value: { readonly type: VariableType; readonly text: string } | null
}

export interface RefiCase {
  readonly guid: string
  readonly name: string
  readonly description: string | null
  readonly codes: readonly string[]
  readonly values: readonly RefiVariableValue[]
  readonly sources: readonly string[]
  readonly selections: readonly string[]
}

export interface RefiSet {
  readonly guid: string
  readonly name: string
  readonly description: string | null
  readonly codes: readonly string[]
  readonly sources: readonly string[]
  readonly notes: readonly string[]
}

export interface RefiLink {
  readonly guid: string
  readonly name: string | null
  readonly direction: 'Associative' | 'OneWay' | 'Bidirectional' | null
  readonly color: string | null
  readonly origin: string | null
  readonly target: string | null
  readonly noteRefs: readonly string[]
}

export interface RefiCoding {
  readonly guid: string
  readonly code: string
  readonly creatingUser: string | null
  readonly createdAt: string | null
  readonly noteRefs: readonly string[]
}

/** Where a file is: in the package, beside it, or anywhere. */
export interface RefiPath {
  readonly kind: 'internal' | 'relative' | 'absolute'
  readonly path: string
}

/** A text stands in the document itself or in a file. */
export type RefiContent =
  | { readonly kind: 'inline'; readonly text: string }
  | { readonly kind: 'file'; readonly path: RefiPath }

export type RefiSource = RefiTextSource | RefiPictureSource | RefiPdfSource | RefiRecordingSource

/** A text source, a note, the text of a picture or of a PDF's page. */
export interface RefiText extends SourceParts {
  readonly content: RefiContent | null
  /** The document that the text was taken from. */
  readonly richTextPath: RefiPath | null
  readonly selections: readonly RefiTextSelection[]
}

export interface RefiTextSource extends RefiText {
  readonly kind: 'text'
}

export interface RefiPictureSource extends SourceParts, MediaPaths {
  readonly kind: 'picture'
  readonly textDescription: RefiText | null
  readonly selections: readonly RefiPictureSelection[]
}

export interface RefiPdfSource extends SourceParts, MediaPaths {
  readonly kind: 'pdf'
  readonly selections: readonly RefiPdfSelection[]
  readonly representation: RefiText | null
}

export interface RefiRecordingSource extends SourceParts, MediaPaths {
  readonly kind: 'audio' | 'video'
  readonly transcripts: readonly RefiTranscript[]
  readonly selections: readonly RefiTimeSelection[]
}

export interface SourceParts extends Authorship {
  readonly guid: string
  readonly name: string | null
  readonly description: string | null
  /** Of the whole of it. */
  readonly codings: readonly RefiCoding[]
  readonly noteRefs: readonly string[]
  readonly values: readonly RefiVariableValue[]
}

export interface MediaPaths {
  readonly path: RefiPath | null
  readonly currentPath: RefiPath | null
}

/** Without a coding it is a remark on the place: its description, or its notes. */
export interface RefiSelection extends Authorship {
  readonly guid: string
  /** Most programs quote the text here. */
  readonly name: string | null
  readonly description: string | null
  readonly codings: readonly RefiCoding[]
  readonly noteRefs: readonly string[]
}

export interface RefiTextSelection extends RefiSelection {
  readonly start: number
  readonly end: number
}

export interface RefiPictureSelection extends RefiSelection {
  readonly firstX: number
  readonly firstY: number
  readonly secondX: number
  readonly secondY: number
}

/** In points, from the page's lower left corner. */
export interface RefiPdfSelection extends RefiPictureSelection {
  readonly page: number
  readonly representation: RefiText | null
}

export interface RefiTimeSelection extends RefiSelection {
  readonly begin: number
  readonly end: number
}

export interface RefiTranscript extends Authorship {
  readonly guid: string
  readonly name: string | null
  readonly description: string | null
  readonly content: RefiContent | null
  readonly richTextPath: RefiPath | null
  readonly syncPoints: readonly RefiSyncPoint[]
  readonly selections: readonly RefiTranscriptSelection[]
  readonly noteRefs: readonly string[]
}

export interface RefiSyncPoint {
  readonly guid: string
  readonly timeStamp: number | null
  readonly position: number | null
}

/** From one point of the transcript to another. */
export interface RefiTranscriptSelection extends RefiSelection {
  readonly from: string | null
  readonly to: string | null
}
