import { realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'

/**
 * An absolute path with all links resolved, as far as it exists; what does not exist yet is appended as it stands.
 * Null where no such path can be: a part that is too long, a file in place of a folder, a circle of links.
 */
export async function resolvedPath(path: string): Promise<string | null> {
  const missing: string[] = []
  for (let at = path; ; at = dirname(at)) {
    try {
      return join(await realpath(at), ...missing)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(at) === at) return null
      missing.unshift(basename(at))
    }
  }
}

/** Of a path that is resolved; no roots allow all. */
export async function isWithinRoots(path: string, roots: readonly string[]): Promise<boolean> {
  if (roots.length === 0) return true
  const places = await Promise.all(roots.map(async (root) => (await resolvedPath(root)) ?? resolve(root)))
  return places.some((root) => isWithin(path, root))
}

function isWithin(path: string, root: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}
