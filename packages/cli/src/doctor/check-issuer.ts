import { type HubConfig, issuerProblem } from '@callboard/hub'
import { issuerWaitMs } from '../limits.js'
import { type Finding, ok, problem } from './finding.js'

/** Whether the tokens of the authorization server can be checked, if there is one. */
export async function checkIssuer({ http }: HubConfig): Promise<Finding[]> {
  if (http === 'off' || http.oauth === undefined) return []
  const { issuer, jwksUri } = http.oauth
  const why = await issuerProblem(http.oauth, issuerWaitMs)
  if (why === undefined) return [ok('oauth', `${issuer} gives its keys`)]
  const remedy = `correct ${jwksUri === undefined ? 'http.oauth.issuer, or set http.oauth.jwksUri' : 'http.oauth.jwksUri'}, and see that this machine reaches the server; until then its tokens get 503`
  return [problem('oauth', `the keys of ${issuer} can't be had: ${why}`, remedy)]
}
