/** One thing that was looked at. A `problem` makes `doctor` exit 1; a `note` is to be known. */
export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'note' | 'problem'
  readonly detail: string
  /** What helps. */
  readonly remedy?: string
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail })

export const note = (check: string, detail: string, remedy?: string): Finding => ({
  check,
  status: 'note',
  detail,
  ...(remedy !== undefined && { remedy }),
})

export const problem = (check: string, detail: string, remedy: string): Finding => ({
  check,
  status: 'problem',
  detail,
  remedy,
})
