import type { NetworkName } from './network-names.js'
import type { Business, WrittenSection } from './section-schema.js'

/** Frozen and checked; made by parseSocialConfig only. Keys are those of the section: what operators write. */
export interface SocialConfig extends Readonly<Omit<WrittenSection, 'business'>> {
  readonly business: Business
  /** Whether `business` is nobody's: it serves the built-in network alone. */
  readonly isDefaultProfile: boolean
  /** At least one; the default one first. */
  readonly networks: readonly [NetworkName, ...NetworkName[]]
}

/** Every problem of the section at once, each with the key it is about. */
export class SocialConfigError extends Error {
  override readonly name = 'SocialConfigError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}
