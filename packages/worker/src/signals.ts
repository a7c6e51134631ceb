import type { LiveWorker } from './live-worker.js'

const signals = ['SIGTERM', 'SIGINT'] as const

/** The first signal drains, the second leaves at once. Returns how to take the handlers off again. */
export function stopOnSignals(
  worker: Pick<LiveWorker, 'drain' | 'stopNow'>,
  source: Pick<NodeJS.Process, 'on' | 'off'> = process,
): () => void {
  let seen = 0
  const onSignal = () => (++seen === 1 ? worker.drain() : worker.stopNow())
  for (const signal of signals) source.on(signal, onSignal)
  return () => {
    for (const signal of signals) source.off(signal, onSignal)
  }
}
