import { type Answer, json, text } from './answer.js'

/** A request that is not done; thrown by whoever sees it first. */
export class Refusal extends Error {
  readonly answer: Answer

  constructor(answer: Answer) {
    super(`refused with ${answer.status}`)
    this.answer = answer
  }
}

const typed = (status: number, type: string, message: string, extras?: object): Refusal =>
  new Refusal(json({ errors: [message], error_type: type, ...(extras && { extras }) }, status))

export const notFound = (extras?: object): Refusal =>
  typed(404, 'not_found', 'The requested URL or resource could not be found.', extras)

export const notPermitted = (extras?: object): Refusal =>
  typed(403, 'invalid_access', 'You are not permitted to view the requested resource.', extras)

export const wrongKey = (): Refusal =>
  typed(
    403,
    'invalid_access',
    'You are not permitted to view the requested resource. The API username or key is invalid.',
  )

export const notLoggedIn = (): Refusal => typed(403, 'not_logged_in', 'You need to be logged in to do that.')

export const readOnly = (): Refusal =>
  typed(503, 'read_only', 'This site is in read only mode. Please go on reading; all else has to wait.')

export const badCsrf = (): Refusal => new Refusal(text('["BAD CSRF"]', 403))

export const invalidParameters = (name: string): Refusal =>
  typed(400, 'invalid_parameters', `You supplied invalid parameters to the request: ${name}`)

export const missingParameter = (name: string): Refusal =>
  new Refusal(json({ errors: [`param is missing or the value is empty or invalid: ${name}`] }, 400))

/** What a form would show beside its fields. */
export const unprocessable = (errors: readonly string[], more: object = {}): Refusal =>
  new Refusal(json({ ...more, errors }, 422))

export const editConflict = (): Refusal =>
  new Refusal(
    json({ errors: ['Someone else has edited this meanwhile, and your changes can no longer be saved.'] }, 409),
  )

/** A topic that is away or closed to the visitor comes with a whole page for a browser. */
export const pageExtras = (title: string) => ({
  title,
  html: `<div class="page-not-found"><h1>${title}</h1>${'<p>Popular and recent topics would be here.</p>'.repeat(100)}</div>`,
})
