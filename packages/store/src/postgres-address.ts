import { StoreError } from './store-error.js'

/** Where a PostgreSQL server is, and how to speak of it without giving its password away. */
export interface PostgresAddress {
  /** Holds the password: for the driver only. */
  readonly connectionString: string
  /** `host:port/database`, for messages. */
  readonly place: string
  redact(text: string): string
}

/** `settings` are added to the run-time settings that the URL itself asks for. Throws StoreError `invalid_url`. */
export function parsePostgresUrl(databaseUrl: string, settings: Readonly<Record<string, string>>): PostgresAddress {
  const url = parse(databaseUrl)
  const passwords = [url.password, decode(url.password), url.searchParams.get('password')].filter((text) => !!text)
  const host = url.searchParams.get('host') ?? (url.hostname || 'localhost')
  const place = `${host}:${url.port || '5432'}${url.pathname}`
  const own = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`)
  // Ours come last, and so win.
  url.searchParams.set('options', [url.searchParams.get('options') ?? '', ...own].join(' ').trim())
  return {
    connectionString: url.href,
    place,
    redact: (text) => passwords.reduce<string>((result, password) => result.replaceAll(password!, '***'), text),
  }
}

/** The parser's own errors hold the whole URL, so they are dropped. */
function parse(databaseUrl: string): URL {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : undefined
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new StoreError(
      'invalid_url',
      'DATABASE_URL is not a PostgreSQL URL: write postgres://user:password@host:5432/database.',
    )
  }
  // A "/", "?" or "#" in the password ends the host there: what remains of the password would pass for something else.
  const isCut = url.hash !== '' || (url.pathname + url.search).includes('@')
  if (isCut || decode(url.username) === undefined || decode(url.password) === undefined) {
    throw new StoreError('invalid_url', 'DATABASE_URL holds special characters: percent-encode its user and password.')
  }
  return url
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
