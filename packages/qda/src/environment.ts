export type Variables = Readonly<Record<string, string | undefined>>

/** What the worker takes from its surroundings. */
export interface QdaEnvironment {
  readonly logLevel: string
  readonly home: string | undefined
}

/** The one place of this package that reads `process.env`. */
export function readEnvironment(variables: Variables = process.env): QdaEnvironment {
  return { logLevel: variables['CALLBOARD_LOG_LEVEL'] || 'info', home: variables['HOME'] || undefined }
}
