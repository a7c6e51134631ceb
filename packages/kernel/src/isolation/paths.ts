import { realpathSync, statSync } from 'node:fs'
import { sep } from 'node:path'

export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep)
}

/** Those that lie in none of the others. */
export function outermost(paths: readonly string[]): readonly string[] {
  const distinct = [...new Set(paths)]
  return distinct.filter((path) => !distinct.some((other) => other !== path && isWithin(path, other)))
}

/** Without symbolic links; undefined when there is nothing. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}
