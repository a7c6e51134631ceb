export type Variables = Readonly<Record<string, string | undefined>>

/** What the worker takes from its surroundings. */
export interface ForumEnvironment {
  /** Unless its own section says otherwise. */
  readonly logLevel: string | undefined
  readonly home: string | undefined
}

/** The one place of this package that reads `process.env`. */
export function readEnvironment(variables: Variables = process.env): ForumEnvironment {
  return { logLevel: variables['CALLBOARD_LOG_LEVEL'] || undefined, home: variables['HOME'] || undefined }
}
