/** The hub can't start: one sentence for people, with the remedy. Nothing is left half-started. */
export class StartError extends Error {
  readonly code: 'already_running' | 'unusable'

  constructor(message: string, code: StartError['code'] = 'unusable') {
    super(message)
    this.code = code
  }
}
