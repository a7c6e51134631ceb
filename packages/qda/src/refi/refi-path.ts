import type { RefiPath } from './model.js'

/** Paths without a scheme are of files in the package, but for those that can't be. */
export function readRefiPath(text: string): RefiPath | null {
  const trimmed = text.trim()
  if (trimmed === '') return null
  const match = /^(internal|relative|absolute|file):\/\/(.*)$/is.exec(trimmed)
  if (match === null) return { kind: isAbsolute(trimmed) ? 'absolute' : 'internal', path: trimmed }
  const scheme = match[1]!.toLowerCase()
  return { kind: scheme === 'internal' || scheme === 'relative' ? scheme : 'absolute', path: match[2]! }
}

export function refiPathText({ kind, path }: RefiPath): string {
  return `${kind}://${path}`
}

function isAbsolute(path: string): boolean {
  return /^([/\\]|[a-z]:|[a-z]+:\/\/)/i.test(path)
}
