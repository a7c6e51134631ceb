/** Two sources with one key have the same name. */
export function sourceNameKey(name: string): string {
  // Both small sigmas belong to one capital. Changing the case may take a composed letter apart.
  return name.normalize('NFC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')
}

/** Two codes with one key have the same name, however their words are spaced. */
export function codeNameKey(name: string): string {
  return sourceNameKey(name.trim().replace(/\s+/g, ' '))
}
