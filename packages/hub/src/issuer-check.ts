import type { OAuthConfig } from './oauth-config.js'

/** Why the keys of an authorization server can't be had within so many ms; undefined: they can. */
export async function issuerProblem(
  oauth: Pick<OAuthConfig, 'issuer' | 'jwksUri'>,
  withinMs: number,
): Promise<string | undefined> {
  // Loaded here: few installations have an authorization server.
  const { IssuerKeys } = await import('./http/issuer-keys.js')
  const fetched = new IssuerKeys(oauth).fetchNow().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`it did not answer within ${withinMs} ms`), withinMs)
  })
  return Promise.race([fetched, late]).finally(() => clearTimeout(timer))
}
