import { issuesListedMax } from '../limits.js'

export type FindingKind =
  | 'coding_utf16'
  | 'coding_shifted'
  | 'coding_broken'
  | 'dangling'
  | 'cycle'
  | 'missing_file'
  | 'name_clash'

/** Something that is not as it should be. */
export interface Finding {
  readonly kind: FindingKind
  readonly table: string
  readonly row_id: number | null
  readonly message: string
}

/** What was found so far: all of it counted, the first of it kept. */
export class Findings {
  readonly issues: Finding[] = []
  readonly #counts = new Map<FindingKind, number>()

  add(finding: Finding): void {
    this.#counts.set(finding.kind, (this.#counts.get(finding.kind) ?? 0) + 1)
    if (this.issues.length < issuesListedMax) this.issues.push(finding)
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0)
  }

  get counts(): Partial<Record<FindingKind, number>> {
    return Object.fromEntries(this.#counts)
  }
}
