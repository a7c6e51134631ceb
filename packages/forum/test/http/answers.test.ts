import { describe, expect, test } from 'vitest'
import { type Answering, json, serveWeb, text } from './web.js'

// biome-ignore lint/suspicious/noExplicitAny: whatever comes of it, an answer or a failure.
const read = async (answering: Answering): Promise<any> => {
  await using web = await serveWeb(answering)
  return await web
    .client()
    .get('/u/bob.json', [], { ...web.scope, deadline: web.clock.now() + 100 })
    .catch((reason) => reason)
}

describe('an answer with success', () => {
  test.each([
    ['JSON', { a: [1, null] }],
    ['a list', []],
    ['nothing in JSON', null],
  ])('is %s', async (_, value) => {
    expect(await read(json(value))).toEqual(value)
  })

  test('may say that it is something else, and begin with a mark of its encoding', async () => {
    expect(await read(text('\uFEFF{"a":1}'))).toEqual({ a: 1 })
  })

  test.each([
    ['<!DOCTYPE html><html><body>Welcome</body></html>', 'html'],
    ['<form action="/session"><input type="password"></form>', 'login_page'],
    ['<html><title>Log in - My forum</title>', 'login_page'],
    ['<!DOCTYPE html><title>Just a moment...</title>', 'cloudflare_challenge'],
    ['<html><script src="/cdn-cgi/challenge-platform/h/b"></script>', 'cloudflare_challenge'],
    ['{"user":{"id":1', 'truncated'],
    ['[1,2', 'truncated'],
    ['OK', undefined],
    ['', undefined],
  ])('is not %j', async (body, hint) => {
    const failure = await read(text(body))
    expect(failure).toMatchObject({ code: 'unexpected_response', details: { status: 200 } })
    expect(failure.details.hint).toBe(hint)
  })

  test('is not without a word', async () => {
    expect(await read((_, response) => response.writeHead(204).end())).toMatchObject({ code: 'unexpected_response' })
  })

  test.each([
    ['[', ']'],
    ['{"a":', '}'],
  ])('is not nested deeper than anything that a forum says (%s)', async (open, close) => {
    const nested = (depth: number) => text(`${open.repeat(depth)}1${close.repeat(depth)}`)
    expect(await read(nested(200))).not.toBeInstanceOf(Error)
    for (const depth of [201, 1_000_000]) {
      expect(await read(nested(depth))).toMatchObject({ code: 'unexpected_response' })
    }
    const brackets = { text: `a \\"${'['.repeat(1_000)}` }
    expect(await read(json(brackets))).toEqual(brackets)
  })

  test('is not larger than 8 MiB', async () => {
    const body = JSON.stringify('x'.repeat(8 * 1024 * 1024))
    expect(await read(text(body))).toMatchObject({
      code: 'unexpected_response',
      message: expect.stringMatching(/larger than 8 MiB/),
    })
    expect(await read(text(JSON.stringify('x'.repeat(8 * 1024 * 1024 - 2))))).toHaveLength(8 * 1024 * 1024 - 2)
  })
})

const invalidKey = 'You are not permitted to view the requested resource. The API username or key is invalid.'

describe('a refusal', () => {
  test.each([
    [
      400,
      { errors: ['You supplied invalid parameters to the request: q'], error_type: 'invalid_parameters' },
      'rejected',
    ],
    [401, {}, 'not_authenticated'],
    [403, { errors: ['You need to be logged in to do that.'], error_type: 'not_logged_in' }, 'not_authenticated'],
    [403, { errors: [invalidKey], error_type: 'invalid_access' }, 'invalid_credentials'],
    [403, { errors: ['You are not permitted'], error_type: 'invalid_access' }, 'forbidden'],
    [404, { errors: ['Not here'], error_type: 'not_found' }, 'not_found'],
    [410, { errors: ['Deleted'] }, 'not_found'],
    [409, { errors: ['Draft conflict'] }, 'conflict'],
    [422, { action: 'create_post', errors: ['Body is too short (minimum is 5 characters)'] }, 'rejected'],
    [418, {}, 'rejected'],
    [429, { errors: ['Too many times'], error_type: 'rate_limit' }, 'rate_limited'],
    [503, { errors: ['Read-only'], error_type: 'read_only' }, 'site_read_only'],
    [503, { errors: ['Overloaded'] }, 'upstream_error'],
    [500, {}, 'upstream_error'],
    [522, {}, 'upstream_error'],
    [304, {}, 'unexpected_response'],
  ])('%i %j is %s', async (status, body: { errors?: string[]; error_type?: string }, code) => {
    const failure = await read(json(body, status))
    expect(failure).toMatchObject({ code, details: { status } })
    expect(failure.details.outcome).toBeUndefined()
    if (status === 304) return
    expect(failure.details).toMatchObject(body.errors === undefined ? {} : { errors: body.errors })
    expect(failure.details.error_type).toBe(body.error_type)
    for (const error of body.errors ?? []) expect(failure.message).toContain(error)
  })

  test.each([
    [json(['BAD CSRF'], 403), { code: 'not_authenticated', details: { errors: ['BAD CSRF'] } }],
    [text('["BAD CSRF"]', 403, { 'content-type': 'text/plain' }), { code: 'not_authenticated' }],
    [text(`{"errors":["${invalidKey}"],"error_type":"invalid_access"}`, 403), { code: 'invalid_credentials' }],
    [
      json({ failed: 'FAILED', errors: ['Chat is closed'] }, 422),
      { code: 'rejected', details: { errors: ['Chat is closed'] } },
    ],
    [json({ failed: 'FAILED', message: 'Wait' }, 400), { code: 'rejected', details: { errors: ['Wait'] } }],
    [
      json({ errors: { name: ['is taken', 'is short'] } }, 422),
      { details: { errors: ['name is taken', 'name is short'] } },
    ],
    [text('<html>Not found', 404), { code: 'not_found', details: { hint: 'html' } }],
    [text('<title>Just a moment...', 403), { code: 'forbidden', details: { hint: 'cloudflare_challenge' } }],
  ])('in another form is understood (%#)', async (answering, expected) => {
    expect(await read(answering)).toMatchObject(expected)
  })

  test('for the want of a login says who can help', async () => {
    const failure = await read(json({ error_type: 'not_logged_in' }, 403))
    expect(failure.details.hint).toMatch(/auth_pairs/)
    expect((await read(text('', 401))).details.hint).toMatch(/http_basic_user/)
  })

  test('is told with its description and without its page', async () => {
    const extras = { description: 'Another window has saved it.', html: '<div>a big page</div>', title: 'T' }
    const failure = await read(json({ errors: ['Conflict'], extras }, 409))
    expect(failure.message).toMatch(/It says: Conflict Another window has saved it\. /)
    expect(failure.details.errors).toEqual(['Conflict'])
    expect(JSON.stringify([failure.message, failure.details])).not.toContain('big page')
  })

  test('however long, is told shortly', async () => {
    const errors = Array.from({ length: 100 }, () => '😀'.repeat(2_000))
    const failure = await read(
      json({ errors, error_type: 'x'.repeat(100_000), extras: { description: errors[0] } }, 422),
    )
    expect(failure.details.errors).toHaveLength(20)
    expect([...failure.details.errors[0]]).toHaveLength(1_001)
    expect(failure.details.error_type.length).toBeLessThanOrEqual(1_001)
    expect([...failure.message].length).toBeLessThan(1_000)
  })

  test.each([
    [{ errors: 'text' }],
    [{ errors: [1, null, { a: 1 }, []] }],
    [{ errors: { a: { b: 1 } } }],
    [[]],
    ['text'],
    [null],
  ])('in a form that nobody knows is one all the same (%j)', async (body) => {
    const failure = await read(json(body, 422))
    expect(failure).toMatchObject({ code: 'rejected', details: { status: 422 } })
    expect(failure.details.errors).toBeUndefined()
  })
})
