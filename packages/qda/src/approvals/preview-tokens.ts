import { randomBytes } from 'node:crypto'
import { previewTokenMs, previewTokensMax } from '../limits.js'

/** What a preview was of. */
export interface Previewed {
  readonly tool: string
  readonly actor: string
  readonly projectPath: string
  /** Of the arguments, without the confirmation. */
  readonly argumentsHash: string
  /** Of the rows that would change, as they were. */
  readonly affectedHash: string
}

/** Tokens of previews: each for one call, of the same actor, of the same thing, for a quarter of an hour. */
export class PreviewTokens {
  readonly #tokens = new Map<string, { readonly previewed: Previewed; readonly until: number }>()

  issue(previewed: Previewed, now: number): string {
    for (const [token, { until }] of this.#tokens) {
      if (until > now && this.#tokens.size < previewTokensMax) break
      this.#tokens.delete(token)
    }
    const token = randomBytes(18).toString('base64url')
    this.#tokens.set(token, { previewed, until: now + previewTokenMs })
    return token
  }

  /** The hash of the rows that it showed, or undefined: it is not for this call. A token is good for one call. */
  redeem(token: string, asked: Omit<Previewed, 'affectedHash'>, now: number): string | undefined {
    const known = this.#tokens.get(token)
    if (known === undefined || known.until <= now) return undefined
    const { previewed } = known
    const isSame =
      previewed.tool === asked.tool &&
      previewed.actor === asked.actor &&
      previewed.projectPath === asked.projectPath &&
      previewed.argumentsHash === asked.argumentsHash
    if (!isSame) return undefined
    this.#tokens.delete(token)
    return previewed.affectedHash
  }
}
