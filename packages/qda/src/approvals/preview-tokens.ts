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

/** A token that was handed in. */
export interface Redeemed {
  readonly affectedHash: string
  /** For a call that failed: it has had no effect, so that the preview is still to be confirmed. */
  giveBack(): void
}

interface Known {
  readonly previewed: Previewed
  readonly until: number
}

/** Tokens of previews: each for one call, of the same actor, of the same thing, for a quarter of an hour. */
export class PreviewTokens {
  readonly #tokens = new Map<string, Known>()

  issue(previewed: Previewed, now: number): string {
    for (const [token, { until }] of this.#tokens) {
      if (until > now && this.#tokens.size < previewTokensMax) break
      this.#tokens.delete(token)
    }
    const token = randomBytes(18).toString('base64url')
    this.#tokens.set(token, { previewed, until: now + previewTokenMs })
    return token
  }

  /** Undefined: it is not for this call; whose it is keeps it. */
  redeem(token: string, asked: Omit<Previewed, 'affectedHash'>, now: number): Redeemed | undefined {
    const known = this.#tokens.get(token)
    if (known === undefined || known.until <= now || !isOf(known.previewed, asked)) return undefined
    this.#tokens.delete(token)
    return {
      affectedHash: known.previewed.affectedHash,
      giveBack: () => {
        this.#tokens.set(token, known)
      },
    }
  }
}

function isOf(previewed: Previewed, asked: Omit<Previewed, 'affectedHash'>): boolean {
  return (
    previewed.tool === asked.tool &&
    previewed.actor === asked.actor &&
    previewed.projectPath === asked.projectPath &&
    previewed.argumentsHash === asked.argumentsHash
  )
}
