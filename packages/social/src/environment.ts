export type Variables = Readonly<Record<string, string | undefined>>

/** What the worker takes from its surroundings. */
export interface SocialEnvironment {
  readonly logLevel: string
}

/** The one place of this package that reads `process.env`. */
export function readEnvironment(variables: Variables = process.env): SocialEnvironment {
  return { logLevel: variables['CALLBOARD_LOG_LEVEL'] || 'info' }
}
