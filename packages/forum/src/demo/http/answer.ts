/** What the server says to one request. */
export interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string | Buffer
  readonly headers?: Readonly<Record<string, string>>
}

export const json = (value: unknown, status = 200): Answer => ({
  status,
  type: 'application/json; charset=utf-8',
  body: JSON.stringify(value),
})

export const text = (body: string, status = 200): Answer => ({ status, type: 'text/plain; charset=utf-8', body })

export const html = (body: string, status = 200): Answer => ({ status, type: 'text/html; charset=utf-8', body })

export const redirect = (location: string, status = 302): Answer => ({
  ...html(`<html><body>You are being <a href="${location}">redirected</a>.</body></html>`, status),
  headers: { location },
})

export const success = (more: object = {}): Answer => json({ success: 'OK', ...more })
