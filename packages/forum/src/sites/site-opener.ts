import { ForumFailure } from '../failure/forum-failure.js'
import type { Foundation } from '../foundation.js'
import { anonymous, type Credential } from '../http/credential.js'
import type { Scope, SiteClient } from '../http/site-client.js'
import { cutText } from '../json/cut-text.js'
import { isRecord, recordAt, textAt } from '../json/read-json.js'
import { siteTitleLengthMax, versionLengthMax } from '../limits.js'
import { discoverTools } from '../remote/discover-tools.js'
import { baseOf, isBelow, originOf } from './base-url.js'
import type { Selection } from './selection.js'
import { whyNoWrites } from './write-permission.js'

export interface SiteOpenerParts extends Pick<Foundation, 'config' | 'log' | 'redactor'> {
  readonly clients: { for(base: string, credential: Credential): SiteClient }
}

/** Finds out what is at an address, and what may be done there. */
export class SiteOpener {
  readonly #parts: SiteOpenerParts

  constructor(parts: SiteOpenerParts) {
    this.#parts = parts
  }

  /** Rejects with a ForumFailure where no forum answers, or one that must not be selected. */
  async open(address: string, scope: Scope): Promise<Selection> {
    const base = this.#allowedBase(baseOf(address))
    try {
      return await this.openBase(base, scope)
    } catch (error) {
      const origin = originOf(base)
      // A link into a forum is given more often than its base.
      const mayBeLink = error instanceof ForumFailure && error.code === 'not_found' && origin !== base
      if (!mayBeLink || this.#parts.config.allowedSites.length > 0) throw error
      return await this.openBase(origin, scope)
    }
  }

  /** The forum at this very base. */
  async openBase(base: string, scope: Scope): Promise<Selection> {
    const { config, clients, log, redactor } = this.#parts
    const credential = config.credentials.get(base) ?? anonymous
    const client = clients.for(base, credential)
    const answer = await client.get('/about.json', [], scope)
    const about = recordAt(answer, 'about')
    const title = textAt(about, 'title') ?? textAt(answer, 'title')
    const isForum = title !== undefined || (isRecord(answer) && isRecord(answer['about']))
    if (!isForum) throw noForum(base)
    return {
      base,
      title: cutText(title ?? base, siteTitleLengthMax).text,
      version: textAt(about, 'version')?.slice(0, versionLengthMax),
      credential,
      client,
      whyNoWrites: whyNoWrites(config, base, credential),
      remoteTools: await discoverTools(client, scope, { mode: config.toolsMode, log, redactor }),
    }
  }

  /** What may be selected: a link into such a forum stands for it. */
  #allowedBase(base: string): string {
    const { allowedSites } = this.#parts.config
    if (allowedSites.length === 0) return base
    const above = allowedSites.filter((allowed) => isBelow(allowed, base)).sort((a, b) => b.length - a.length)
    if (above[0] !== undefined) return above[0]
    throw new ForumFailure('forbidden', `${base} is not among the sites that may be selected here.`, {
      hint: `These may be selected: ${allowedSites.join(', ')}. The operator adds others to allowed_sites.`,
    })
  }
}

function noForum(base: string): ForumFailure {
  return new ForumFailure('unexpected_response', `${base}/about.json is not what a Discourse forum answers.`, {
    hint: 'Give the address of the forum itself, e.g. https://meta.discourse.org.',
  })
}
