/** Who we are on one forum. */
export interface Credential {
  /** For keys of maps and rows: tells identities apart and nothing else of them. `anonymous` for nobody. */
  readonly id: string
  readonly kind: 'anonymous' | 'api_key' | 'user_api_key'
  /** As whom an `api_key` acts. */
  readonly username?: string
  /** With the key, for requests below the very base that the key belongs to. `actAs`: another user, for an `api_key`. */
  headers(actAs?: string): { readonly [name: string]: string }
}

export const anonymous: Credential = { id: 'anonymous', kind: 'anonymous', headers: () => ({}) }
