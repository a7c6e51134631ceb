import type { Environment } from './environment.js'

type Place = Pick<Environment, 'runtimeDirectory' | 'dataDirectory'>

/** What people can do something about, by the system's name for it. */
const problems: Readonly<Record<string, readonly [problem: string, remedy: string]>> = {
  EISDIR: ['is a directory where a file belongs', 'remove it'],
  ENOTEMPTY: ['is a directory where a file belongs', 'remove it'],
  ENOTDIR: ['leads through something that is no directory', 'remove that'],
  EADDRINUSE: ['is taken by something that is no socket of ours', 'remove it'],
  EEXIST: ['is there already and is of another kind', 'remove it'],
  ENOENT: ['is not there or can’t be made', 'make its directory'],
  EACCES: ['may not be used by this user', 'change its owner or mode'],
  EPERM: ['may not be used by this user', 'change its owner or mode'],
  EROFS: ['lies on a read-only file system', 'make that writable'],
  ENOSPC: ['does not fit on its disk, which is full', 'free some space'],
  EDQUOT: ['does not fit into the quota of this user', 'free some space'],
  ELOOP: ['goes round in circles of links', 'remove them'],
  ENAMETOOLONG: ['is too long a path', 'shorten it'],
  EMFILE: ['can’t be opened, too many files are', 'raise the limit (ulimit -n)'],
  EIO: ['can’t be read or written', 'check its disk'],
}

/** One sentence with path and remedy for what the file system says; undefined for any other error. */
export function describeFileProblem(error: unknown, place: Place): string | undefined {
  const { code, path, dest, address } = error as NodeJS.ErrnoException & { dest?: unknown; address?: unknown }
  // An address may as well be a host's.
  const file = [path, dest, address].find((each) => typeof each === 'string' && each.includes('/'))
  if (typeof code !== 'string' || file === undefined) return undefined
  // Node has names of its own for some: ERR_FS_EISDIR.
  const name = code.replace(/^ERR_FS_/, '')
  const known = Object.hasOwn(problems, name) ? problems[name] : undefined
  if (known === undefined) return undefined
  // ZeroMQ names an endpoint.
  const where = String(file).replace(/^ipc:\/\//, '')
  return `${where} ${known[0]} (${name}): ${known[1]}${elsewhere(where, place)}.`
}

function elsewhere(path: string, { runtimeDirectory, dataDirectory }: Place): string {
  if (isWithin(path, runtimeDirectory)) return ', or set CALLBOARD_RUNTIME to another directory'
  return isWithin(path, dataDirectory) ? ', or set CALLBOARD_DATA to another directory' : ''
}

function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith('/') ? directory : `${directory}/`)
}
