/** Runs the command that some words are. */
export type DirectCommand = (words: readonly string[]) => Promise<unknown>

/**
 * What programs start, while somebody waits: exactly as they write it, it needs no command line to be understood. It does there
 * what it does here.
 */
export function directCommand([command, word, ...others]: readonly string[]): DirectCommand | undefined {
  if (others.length > 0) return undefined
  switch (command) {
    case 'stdio':
      return word === undefined ? runStdio : undefined
    case 'up':
      return word === '--on-demand' ? runUp : undefined
    case 'worker':
      return word !== undefined && !word.startsWith('-') ? runWorker : undefined
    default:
      return undefined
  }
}

const runStdio: DirectCommand = async () => (await import('./commands/stdio.js')).runStdio({})

const runUp: DirectCommand = async () => (await import('./commands/up.js')).runUp({ onDemand: true })

const runWorker: DirectCommand = async ([, name = '']) => (await import('./commands/worker.js')).runWorker(name, [])
