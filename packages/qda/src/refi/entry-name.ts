import { packageNameLengthMax } from '../limits.js'

/** Why a file of a package must not have this name, to go after "which"; null for a name that may be. */
export function entryNameProblem(name: string): string | null {
  if (name === '' || name === '/') return 'is empty'
  if (name.length > packageNameLengthMax) return `is longer than ${packageNameLengthMax} characters`
  if (name.includes('\\')) return 'has a backslash'
  if (hasControlCharacter(name)) return 'has a control character'
  if (name.startsWith('/')) return 'is absolute'
  if (name.includes(':')) return 'has a colon, as names with a drive have'
  const parts = name.replace(/\/$/, '').split('/')
  if (parts.includes('..')) return 'leads out of the package'
  if (parts.some((part) => part === '' || part === '.' || part.trim() === '')) return 'has an empty part'
  return null
}

function hasControlCharacter(name: string): boolean {
  for (let index = 0; index < name.length; index += 1) {
    const unit = name.charCodeAt(index)
    if (unit < 0x20 || unit === 0x7f) return true
  }
  return false
}
