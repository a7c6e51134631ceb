import { createHmac, randomBytes } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makePrivate } from './runtime-directory.js'
import { StartError } from './start-error.js'

/** The hub's own secrets: 0600 files in the data directory, made at the first start. */
export interface Secrets {
  /** Proves a worker's right to a reserved name. */
  readonly signIn: string
  readonly signInFile: string
  /** Proves an operator. */
  readonly operator: string
  /** Turns an attach key into a session id that stays the same over restarts. */
  readonly session: string
  /** Seals what the id of a legacy HTTP session says; 32 bytes that follow from `session`. */
  readonly sessionSeal: Uint8Array
  /** Makes whoever shows it what a local agent without a token is. */
  readonly local: string
}

export const operatorSecretName = 'operator.secret'

export function secretFiles(dataDirectory: string): {
  signIn: string
  operator: string
  session: string
  local: string
} {
  return {
    signIn: join(dataDirectory, 'sign-in.secret'),
    operator: join(dataDirectory, operatorSecretName),
    session: join(dataDirectory, 'session.secret'),
    local: join(dataDirectory, 'local-token.secret'),
  }
}

/** `signInFile`: where the sign-in secret is to be, if not in the data directory. @throws StartError when the data directory can't be read or written. */
export async function loadSecrets(dataDirectory: string, signInFile?: string): Promise<Secrets> {
  const own = secretFiles(dataDirectory)
  const files = { ...own, signIn: signInFile ?? own.signIn }
  const [signIn, operator, session, local] = await Promise.all([
    loadSecret(files.signIn),
    loadSecret(files.operator),
    loadSecret(files.session),
    loadSecret(files.local),
  ])
  return { signIn, signInFile: files.signIn, operator, session, sessionSeal: derivedKey(session, 'seal'), local }
}

/** A key of its own: what the secret authenticates otherwise has a line break, and this has none. */
function derivedKey(secret: string, purpose: string): Uint8Array {
  return createHmac('sha256', secret).update(`callboard key ${purpose}`).digest()
}

/** The local token, made now if no hub was ever started here. @throws StartError when the data directory can't be read or written. */
export async function loadLocalToken(dataDirectory: string): Promise<string> {
  await makePrivate(dataDirectory, 'CALLBOARD_DATA')
  return loadSecret(secretFiles(dataDirectory).local)
}

async function loadSecret(file: string): Promise<string> {
  try {
    return await readOrMakeSecret(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StartError(
      `${file} can't be read or made (${code ?? error}): set CALLBOARD_DATA to a directory you can write.`,
    )
  }
}

/** 32 random bytes that stay the same as long as the file does. */
export async function readOrMakeSecret(file: string): Promise<string> {
  return (await readSecret(file)) ?? (await makeSecret(file))
}

async function readSecret(file: string): Promise<string | undefined> {
  try {
    const secret = (await readFile(file, 'utf8')).trim()
    return secret.length >= 32 ? secret : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Written aside and linked into place, so that nobody ever reads half a secret. */
async function makeSecret(file: string): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${secret}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const made = await readSecret(file)
    if (made !== undefined) return made
    await rm(file)
    await link(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
  return secret
}
