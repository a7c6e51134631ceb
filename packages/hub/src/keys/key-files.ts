import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { encodeCurveKey, parseKeyPair, publicKeyOf } from '@callboard/protocol'
import { makePrivate } from '../runtime-directory.js'
import { keyFileBytesMax } from './limits.js'
import { isKey } from './public-key.js'

/** A hub's or a worker's pair, in Z85. */
export interface KeyPair {
  readonly publicKey: string
  readonly secretKey: string
}

/** A key file can't be used or made; the message names it and says what helps. */
export class KeyFileError extends Error {}

export const hubKeyFileIn = (dataDirectory: string): string => join(dataDirectory, 'hub.key')

export const workerKeyFileIn = (dataDirectory: string, name: string): string =>
  join(dataDirectory, 'keys', `${name}.key`)

/** A pair whose public key a command takes for no option and a shell for no comment. */
export function newKeyPair(): KeyPair {
  for (;;) {
    const secretKey = encodeCurveKey(randomBytes(32))
    const publicKey = publicKeyOf(secretKey)
    if (publicKey !== undefined && /^[0-9A-Za-z]/.test(publicKey)) return { publicKey, secretKey }
  }
}

/** Makes a key file for its owner alone, and its directory. It never replaces another. @throws KeyFileError */
export async function makeKeyFile(file: string, owner: string): Promise<KeyPair> {
  const pair = newKeyPair()
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    if (await putKeyFile(file, keyFileText(pair, owner))) return pair
  } catch (error) {
    throw new KeyFileError(`${file} can't be made (${codeOf(error)}): choose a directory that you can write.`)
  }
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) {
    throw new KeyFileError(`${file} is a directory: name a file in it.`)
  }
  throw new KeyFileError(
    `${file} is there already, and whoever has that key would be locked out by a new one: choose another file, or remove this one first.`,
  )
}

/** The hub's pair, made now if there is none. @throws KeyFileError, StartError for the data directory */
export async function loadHubKey(dataDirectory: string): Promise<KeyPair> {
  await makePrivate(dataDirectory, 'CALLBOARD_DATA')
  const file = hubKeyFileIn(dataDirectory)
  if (!(await isThere(file))) {
    // Of two that start at once the second takes what the first has made.
    await makeKeyFile(file, 'the hub').catch(async (error: unknown) => {
      if (!(await isThere(file))) throw error
    })
  }
  return readKeyFile(file)
}

/** @throws KeyFileError for a file that can't be read, or that other users can read. */
export async function readKeyFile(file: string): Promise<KeyPair> {
  const { text, mode } = await readShort(file)
  if ((mode & 0o077) !== 0) throw new KeyFileError(`${file} is open to other users: run chmod 600 ${file}.`)
  const pair = parseKeyPair(text)
  if (pair === undefined) throw broken(file, 'public KEY and secret KEY')
  return pair
}

/** Of a key file, or of one with a public key and nothing else. @throws KeyFileError */
export async function readPublicKey(file: string): Promise<string> {
  const { text } = await readShort(file)
  if (isKey(text.trim())) return text.trim()
  const { public: publicKey } = fieldsOf(text, file)
  if (publicKey === undefined) throw broken(file, 'public KEY')
  return publicKey
}

const keyFileText = ({ publicKey, secretKey }: KeyPair, owner: string): string =>
  `# Key of ${owner}. Whoever has the secret is ${owner}: it belongs on one machine.\npublic ${publicKey}\nsecret ${secretKey}\n`

/** Written aside and linked into place, so that nobody ever reads half a key. False: there is a file of that name. */
async function putKeyFile(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
    await link(draft, file)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  } finally {
    await handle.close()
    await rm(draft, { force: true })
  }
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'ENOENT',
  )

async function readShort(file: string): Promise<{ readonly text: string; readonly mode: number }> {
  try {
    const status = await stat(file)
    if (!status.isFile()) throw new KeyFileError(`${file} is no file: name a key file.`)
    if (status.size > keyFileBytesMax) throw broken(file, 'public KEY and secret KEY')
    return { text: await readFile(file, 'utf8'), mode: status.mode }
  } catch (error) {
    if (error instanceof KeyFileError) throw error
    throw new KeyFileError(
      `${file} can't be read (${codeOf(error)}): name a file that "callboard keys new" made, and that you can read.`,
    )
  }
}

/** Each line is a word and a key, or a comment. */
function fieldsOf(text: string, file: string): { public?: string; secret?: string } {
  const fields: { public?: string; secret?: string } = {}
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const [word = '', key = '', ...more] = line.trim().split(/\s+/)
    if ((word !== 'public' && word !== 'secret') || fields[word] !== undefined || more.length > 0 || !isKey(key)) {
      throw broken(file, 'public KEY and secret KEY')
    }
    fields[word] = key
  }
  return fields
}

const broken = (file: string, lines: string): KeyFileError =>
  new KeyFileError(`${file} is no key file, which has the lines ${lines}: make one with "callboard keys new NAME".`)

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error)
