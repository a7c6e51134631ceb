const kinds = [
  'users',
  'categories',
  'codes',
  'variables',
  'cases',
  'sources',
  'codings',
  'annotations',
  'journals',
  'files',
] as const
export type ImportKind = (typeof kinds)[number]

/** What came to be, and what was joined with something of the same name. */
export class ImportCounts {
  readonly #created = new Map<ImportKind, number>()
  readonly #joined = new Map<ImportKind, number>()

  create(kind: ImportKind): void {
    this.#created.set(kind, (this.#created.get(kind) ?? 0) + 1)
  }

  join(kind: ImportKind): void {
    this.#joined.set(kind, (this.#joined.get(kind) ?? 0) + 1)
  }

  get created(): Record<string, number> {
    return Object.fromEntries(kinds.map((kind) => [kind, this.#created.get(kind) ?? 0]))
  }

  /** Those that there are. */
  get joined(): Record<string, number> {
    return Object.fromEntries(this.#joined)
  }
}
