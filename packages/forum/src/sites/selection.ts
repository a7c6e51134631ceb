import type { Credential } from '../http/credential.js'
import type { SiteClient } from '../http/site-client.js'
import type { RemoteTool } from '../remote/remote-tool.js'

/** What one session works with. Never changed: another selection takes its place. */
export interface Selection {
  readonly base: string
  readonly title: string
  /** Of Discourse, e.g. `2026.9.0`; as far as the forum tells. */
  readonly version: string | undefined
  readonly credential: Credential
  readonly client: SiteClient
  /** Why there are no write tools here: a sentence; none: there are. */
  readonly whyNoWrites: string | undefined
  readonly remoteTools: readonly RemoteTool[]
}
