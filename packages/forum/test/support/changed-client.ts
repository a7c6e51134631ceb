import type { SiteClient } from '../../src/http/site-client.js'
import { plainClient } from './plain-client.js'

/** A client that does something after each answer to a reading, or gives another one in its place. */
export function changedClient(base: string, change: (path: string, answer: unknown) => unknown): SiteClient {
  const client = plainClient(base)
  return {
    ...client,
    async get(path, query, scope) {
      const answer = await client.get(path, query, scope)
      return change(path, answer) ?? answer
    },
  }
}
