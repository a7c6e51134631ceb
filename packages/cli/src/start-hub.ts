import { rmSync, writeFileSync } from 'node:fs'
import { Writable } from 'node:stream'
import { createHubLog, type HubConfig, type HubOptions, type RunningHub, StartError, startHub } from '@callboard/hub'
import { describeFileProblem } from './file-problem.js'
import { runtimeFiles } from './hub-link/runtime-files.js'
import { errorStream, onOutputError } from './output.js'
import { tuneCollector } from './tune-collector.js'
import { UsageError } from './usage-error.js'
import { version } from './version.js'

/** Another hub has the runtime directory. */
export class AlreadyRunning extends UsageError {}

/** The hub in this process. @throws UsageError with the remedy; then nothing is left behind. */
export async function startHubHere(options: Omit<HubOptions, 'version' | 'log' | 'opening'>): Promise<RunningHub> {
  const { config, endWhenIdle = false } = options
  const log = heldBackLog(errorStream())
  tuneCollector()
  try {
    const hub = await startHub({
      ...options,
      version,
      log: createHubLog(config.logLevel, log.stream),
      opening: () => markOnDemand(config.runtimeDirectory, endWhenIdle),
    })
    log.release()
    return hub
  } catch (error) {
    if (error instanceof StartError && error.code === 'already_running') throw new AlreadyRunning(error.message)
    const message = error instanceof StartError ? error.message : describeFailure(error, config)
    throw message === undefined ? error : new UsageError(message, { cause: error })
  }
}

/** Somebody in front of a terminal who may not start a hub reads why, and no log before it. */
function heldBackLog(to: NodeJS.WriteStream): { readonly stream: Writable; release(): void } {
  let held: Buffer[] | undefined = to.isTTY === true ? [] : undefined
  const stream = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (held === undefined) to.write(chunk)
      else held.push(chunk)
      done()
    },
  })
  const release = () => {
    if (held !== undefined && held.length > 0) to.write(Buffer.concat(held))
    held = undefined
  }
  return { stream, release }
}

function describeFailure(error: unknown, config: HubConfig): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code !== 'socket_in_use') return describeFileProblem(error, config)
  return `The hub can't listen, ${message}: end that, or set CALLBOARD_RUNTIME to another directory.`
}

/** For programs that may start this hub again, or may not. */
function markOnDemand(runtimeDirectory: string, onDemand: boolean): void {
  const { startedOnDemand } = runtimeFiles(runtimeDirectory)
  if (onDemand) writeFileSync(startedOnDemand, `${process.pid}\n`, { mode: 0o600 })
  else rmSync(startedOnDemand, { force: true })
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Resolves at the first signal to end; later ones change nothing, because the end is bounded anyway. Also when whoever read our
 * output is gone: a closed connection or terminal sends no signal to a program that is not in its foreground. A log that can't
 * be written for another reason, such as a full disk, is no reason to end.
 */
export function askedToEnd(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of signals) process.on(signal, () => resolve())
    onOutputError((code) => {
      if (code === 'EPIPE' || code === 'EIO') resolve()
    })
  })
}
