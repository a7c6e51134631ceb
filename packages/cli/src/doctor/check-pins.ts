import { lstatSync } from 'node:fs'
import { pinFileIn, readPins } from '@callboard/hub'
import { type Finding, ok, problem } from './finding.js'

/** The accepted definitions, where definitions have to be accepted. */
export async function checkPins(dataDirectory: string, pinning: 'on' | 'off'): Promise<Finding[]> {
  if (pinning !== 'on') return []
  const file = pinFileIn(dataDirectory)
  try {
    const pins = await readPins(dataDirectory)
    const status = lstatSync(file, { throwIfNoEntry: false })
    const isOpen = status !== undefined && (status.mode & 0o077) !== 0
    if (isOpen) return [problem('pinning', `${file} is open to other users`, `run chmod 600 ${file}`)]
    return [ok('pinning', `on, ${pins.length} definition${pins.length === 1 ? '' : 's'} accepted`)]
  } catch (error) {
    return [problem('pinning', (error as Error).message, 'correct the file, or remove it and accept again')]
  }
}
