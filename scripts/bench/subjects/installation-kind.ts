/** How a hub and its worker stand to each other; the plain case is `trusted`. */
export type InstallationKind = 'trusted' | 'checked' | Guard

/** What may stand between agents and tools; all else is as in the plain case, so that the difference is its cost. */
export type Guard = (typeof guards)[number]

/** What a goal is set for comes first: next to the plain one, with which it is compared. */
export const guards = ['keys-policy', 'keys', 'policy', 'audit'] as const

export interface InstallationParts {
  /**
   * By what the worker proves itself: the sign-in secret, a key that is trusted (CURVE over TCP, not the Unix socket), or nothing, and
   * then every byte of it is checked.
   */
  readonly proof: 'secret' | 'key' | 'none'
  readonly hasPolicy: boolean
  readonly hasAudit: boolean
}

const plain: InstallationParts = { proof: 'secret', hasPolicy: false, hasAudit: false }

export const installationKinds: { readonly [Kind in InstallationKind]: InstallationParts } = {
  trusted: plain,
  checked: { ...plain, proof: 'none' },
  keys: { ...plain, proof: 'key' },
  policy: { ...plain, hasPolicy: true },
  'keys-policy': { ...plain, proof: 'key', hasPolicy: true },
  audit: { ...plain, hasAudit: true },
}
