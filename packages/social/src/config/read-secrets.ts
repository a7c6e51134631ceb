import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import { secretFileBytesMax } from '../limits.js'
import { type SecretKey, secretFileOf, secretKeys } from './secret-keys.js'
import { type SocialConfig, SocialConfigError } from './social-config.js'

/**
 * The configuration with the secrets that lie in files; they are looked for from the data directory on. Rejects with a
 * SocialConfigError that names every file that will not do.
 */
export async function readSecrets(config: SocialConfig, dataDirectory: string): Promise<SocialConfig> {
  const found = await readAll(config, dataDirectory)
  const problems = found.flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
  if (problems.length > 0) throw new SocialConfigError(problems)
  return Object.freeze(found.reduce(withSecret, config))
}

/** What is wrong with the files that hold secrets, for people; all at once. */
export async function secretFileProblems(config: SocialConfig, dataDirectory: string): Promise<readonly string[]> {
  return (await readAll(config, dataDirectory)).flatMap(({ problem }) => (problem === undefined ? [] : [problem]))
}

interface Found {
  readonly key: SecretKey
  readonly secret?: string
  readonly problem?: string
}

function readAll(config: SocialConfig, dataDirectory: string): Promise<readonly Found[]> {
  // What is switched off needs no secret.
  const files = secretKeys
    .filter(([section]) => isUsed(config, section))
    .flatMap((key) => {
      const file = secretFileOf(config, key)
      return file === undefined ? [] : [{ key, path: resolve(dataDirectory, file) }]
    })
  return Promise.all(
    files.map(async ({ key, path }) => {
      try {
        return { key, secret: await readSecretFile(path) }
      } catch (error) {
        return { key, problem: `social.${key[0]}.${key[1]}_file: ${path} ${reasonOf(error)}` }
      }
    }),
  )
}

const isUsed = (config: SocialConfig, section: SecretKey[0]): boolean =>
  section === 'llm' ? config.llm.provider !== 'none' : config[section].enabled

function withSecret(config: SocialConfig, { key: [section, key], secret }: Found): SocialConfig {
  return { ...config, [section]: Object.freeze({ ...config[section], [key]: secret }) }
}

/** The file's one line, without blanks around it. */
async function readSecretFile(path: string): Promise<string> {
  // A pipe that nobody writes to would be waited for.
  await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const status = await file.stat()
  if (!status.isFile()) throw new Unfit('is no file')
  if ((status.mode & 0o077) !== 0) throw new Unfit(`is open to other users: run chmod 600 ${path}`)
  if (status.size > secretFileBytesMax) throw new Unfit(`has more than ${secretFileBytesMax} bytes: it holds no secret`)
  const secret = (await file.readFile('utf8')).trim()
  if (secret === '') throw new Unfit('is empty: write the secret into it')
  if (!/^[\x21-\x7e]+$/.test(secret)) throw new Unfit('must hold one word of ASCII characters, and nothing else')
  return secret
}

/** A file that is there and will not do. */
class Unfit extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Unfit) return error.message
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'is not there: make it, with mode 600' : `can't be read (${code})`
}
