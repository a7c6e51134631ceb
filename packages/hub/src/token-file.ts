import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Role } from '@callboard/protocol'
import { z } from 'zod'
import { agentName, agentRoles, groupName } from './agent-names.js'
import { LockedError, waitForLock } from './lock.js'
import { replaceFile } from './replace-file.js'
import { makePrivate } from './runtime-directory.js'

/** A token of an agent. The token itself is nowhere: whoever reads the file can't use what it finds. */
export interface TokenRecord {
  /** `tok:` and 8 hex digits; no agent has such a name. */
  readonly id: string
  /** The agent's. */
  readonly name: string
  /** SHA-256 of the token, in hex. It has 256 random bits: no salt and no slow hash would add to that. */
  readonly hash: string
  readonly roles: readonly Role[]
  readonly group?: string | undefined
  /** UTC ms. */
  readonly createdAt: number
  readonly expiresAt?: number | undefined
  /** UTC ms. What is revoked stays here, because its agent goes on needing a token. */
  readonly revokedAt?: number | undefined
}

/** The token file can't be used; the message names it and says what helps. */
export class TokenFileError extends Error {}

/** Also those that have ended. Every token is looked at when one is added; people and programs of one installation are far fewer. */
export const fileTokensMax = 1_000
/** Several times what so many tokens take. */
export const tokenFileBytesMax = 1024 * 1024

const time = z.number().int().min(0).max(8_640_000_000_000_000)
const record = z.strictObject({
  id: z.string().regex(/^tok:[0-9a-f]{8}$/),
  name: agentName,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  roles: agentRoles,
  group: groupName.optional(),
  createdAt: time,
  expiresAt: time.optional(),
  revokedAt: time.optional(),
})
const format = z.strictObject({ version: z.literal(1), tokens: z.array(record).max(fileTokensMax) })

/** Of every token that the file stands for, so that nothing else makes us look into it. */
export const tokenPrefix = 'cbt_'

export const tokenFileIn = (dataDirectory: string): string => join(dataDirectory, 'tokens.json')

export const tokenHash = (token: string): string => createHash('sha256').update(token).digest('hex')

/** One more beside these. It is good when {@link changeTokens} has put its record into the file. */
export function newToken(others: readonly TokenRecord[]): {
  readonly token: string
  readonly id: string
  readonly hash: string
} {
  const token = `${tokenPrefix}${randomBytes(32).toString('base64url')}`
  const ids = new Set(others.map((each) => each.id))
  let id: string
  do id = `tok:${randomBytes(4).toString('hex')}`
  while (ids.has(id))
  return { token, id, hash: tokenHash(token) }
}

/** What a file's text says. A file that says anything else says nothing at all. @throws TokenFileError */
export function parseTokens(text: string, file: string): readonly TokenRecord[] {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw broken(file, 'it is not JSON')
  }
  const parsed = format.safeParse(value)
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw broken(file, `${path.join('.') || 'the file'}: ${message}`)
  }
  const { tokens } = parsed.data
  for (const key of ['id', 'hash'] as const) {
    if (new Set(tokens.map((token) => token[key])).size < tokens.length)
      throw broken(file, `two tokens have one ${key}`)
  }
  return tokens
}

/** None, when there is no file. @throws TokenFileError */
export async function readTokens(dataDirectory: string): Promise<readonly TokenRecord[]> {
  const file = tokenFileIn(dataDirectory)
  let handle: FileHandle
  try {
    if (!(await stat(file)).isFile()) throw noFile(file)
    handle = await open(file)
  } catch (error) {
    if (error instanceof TokenFileError) throw error
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error))) return []
    throw unreadable(file, error)
  }
  try {
    if ((await handle.stat()).size > tokenFileBytesMax) throw tooLarge(file)
    return parseTokens(await handle.readFile('utf8'), file)
  } catch (error) {
    throw error instanceof TokenFileError ? error : unreadable(file, error)
  } finally {
    await handle.close()
  }
}

/**
 * Writes what `change` makes of the tokens. One program at a time; readers see the file before or after.
 * @throws TokenFileError, StartError for the data directory, and what `change` throws; then nothing has changed.
 */
export async function changeTokens(
  dataDirectory: string,
  change: (tokens: readonly TokenRecord[]) => readonly TokenRecord[],
): Promise<void> {
  const file = tokenFileIn(dataDirectory)
  await makePrivate(dataDirectory, 'CALLBOARD_DATA')
  await using _lock = await lockTokens(dataDirectory)
  const tokens = change(await readTokens(dataDirectory))
  try {
    await replaceFile(file, `${JSON.stringify({ version: 1, tokens }, null, 2)}\n`)
  } catch (error) {
    throw new TokenFileError(
      `${file} can't be written (${codeOf(error)}): set CALLBOARD_DATA to a directory you can write.`,
    )
  }
}

async function lockTokens(dataDirectory: string) {
  const lockFile = join(dataDirectory, 'tokens.lock')
  try {
    return await waitForLock(lockFile)
  } catch (error) {
    throw new TokenFileError(
      error instanceof LockedError
        ? `Another program has been changing ${tokenFileIn(dataDirectory)} for long: end it, and try again.`
        : `${lockFile} can't be made (${codeOf(error)}): set CALLBOARD_DATA to a directory you can write.`,
    )
  }
}

export function unreadable(file: string, error: unknown): TokenFileError {
  return new TokenFileError(
    `The token file ${file} can't be read (${codeOf(error)}): correct that; until then none of its tokens is good.`,
  )
}

export function noFile(file: string): TokenFileError {
  return new TokenFileError(`The token file ${file} is no file: remove it; until then none of its tokens is good.`)
}

export function tooLarge(file: string): TokenFileError {
  return broken(file, `it has more than ${tokenFileBytesMax} bytes`)
}

function broken(file: string, why: string): TokenFileError {
  return new TokenFileError(
    `The token file ${file} is broken (${why}): correct it, or remove it and make new tokens; until then none of its tokens is good.`,
  )
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
