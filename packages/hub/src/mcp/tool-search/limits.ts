/** Every limit of the search for tools, with the reason for its value. */

/** What a language model's tokens are to JSON text, roughly; exact figures differ by model. */
export const charactersPerToken = 4
/** One answer of `search_tools`: room for a handful of whole definitions, small beside what it saves. */
export const answerTokensMax = 4_000
/** Whole definitions that were asked for by name: the largest that the catalogue takes fits. */
export const definitionsTokensMax = 16_384

/** A question in words; further ones cost time and tell nothing. */
export const queryLengthMax = 400
export const queryWordsMax = 24
export const namesMax = 20
export const matchesDefault = 8
export const matchesMax = 50

/** Of a description: what comes after its first paragraphs tells tools apart no more. */
export const indexedDescriptionLengthMax = 2_000
export const indexedParametersMax = 64
/** Of a title, and of the name of a parameter: longer ones are no names. */
export const indexedNameLengthMax = 128
/** Letters that a word may differ in: one more multiplies what a search over many words costs. */
export const fuzzyLettersMax = 2
/** Tools per turn of the event loop while an index is built: other agents' calls go on between two. */
export const indexedPerTurn = 200

/** In `search_tools`' own description, the names of the services. */
export const servicesLengthMax = 600

/** Of a definition that does not fit whole. */
export const briefDescriptionLengthMax = 300
export const briefParameterLengthMax = 80
export const briefChoicesMax = 12
export const bareDescriptionLengthMax = 120
export const bareParametersMax = 20
export const bareParameterLengthMax = 64
