import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '@callboard/worker/clock'
import { drainTurnsMax, groupGraceTurnsMax, groupPollMs, killGraceMs, stopKillGraceMs } from '../limits.js'
import { endGroup, signalGroup } from './process-group.js'
import { identityOf } from './process-identity.js'
import { groupLives } from './process-table.js'
import type { ChildIdentity } from './runner.js'

export interface ProgramStart {
  readonly command: readonly [string, ...string[]]
  readonly directory: string
  readonly environment: Readonly<Record<string, string>>
  /** Written to its standard input once it was told of. */
  readonly input: string
  onProcess(child: ChildIdentity): Promise<void>
  onStdout(bytes: Buffer): void
  onStderr(bytes: Buffer): void
}

/** How it ended; `error`: it never ran. */
export type ProgramEnd =
  | {
      readonly code: number | null
      readonly signal: NodeJS.Signals | null
      /** Whether something of its group could not be ended. */
      readonly leftovers: boolean
    }
  | { readonly error: NodeJS.ErrnoException }

/**
 * Runs a program in a process group of its own, and resolves when nothing of that group lives. When the signal aborts it gets
 * SIGTERM, and SIGKILL if that was not enough. Rejects when `onProcess` does, after the program has ended.
 */
export async function runProgram(start: ProgramStart, clock: Clock, signal: AbortSignal): Promise<ProgramEnd> {
  const child = spawned(start)
  if (child instanceof Error) return { error: child }
  const exit = exitOf(child)
  if (child.pid === undefined) return exit as Promise<ProgramEnd>
  const output = readOutput(child, start)
  const told = await tell(child.pid, start)
  if (told === undefined && !signal.aborted) child.stdin.end(start.input)
  const end = await (told === undefined ? untilEnd(child.pid, exit, clock, signal) : killed(child.pid, exit))
  const isGone = await endGroup(child.pid)
  await output.drained()
  child.stdin.destroy()
  if (told !== undefined) throw told.error
  return { ...end, leftovers: !isGone }
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

function spawned({ command: [program, ...rest], directory, environment }: ProgramStart): Child | NodeJS.ErrnoException {
  try {
    const child = spawn(program, rest, {
      cwd: directory,
      env: environment,
      stdio: ['pipe', 'pipe', 'pipe'],
      // A group of its own, so that what the program starts ends with it.
      detached: true,
    })
    // A program may end without having read its prompt.
    child.stdin.on('error', () => {})
    return child
  } catch (error) {
    return error as NodeJS.ErrnoException
  }
}

function exitOf(child: ChildProcess): Promise<Exit & { readonly error?: Error }> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ code: null, signal: null, error }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

/** Before the program has its prompt: what it does must be known to whoever takes the run over. */
async function tell(pid: number, { onProcess }: ProgramStart): Promise<{ readonly error: unknown } | undefined> {
  try {
    await onProcess({ pgid: pid, identity: await identityOf(pid) })
    return undefined
  } catch (error) {
    return { error }
  }
}

async function killed(group: number, exit: Promise<Exit>): Promise<Exit> {
  signalGroup(group, 'SIGKILL')
  return exit
}

async function untilEnd(group: number, exit: Promise<Exit>, clock: Clock, signal: AbortSignal): Promise<Exit> {
  const over = new AbortController()
  const stopped = new Promise<'stopped'>((resolve) => {
    if (signal.aborted) resolve('stopped')
    signal.addEventListener('abort', () => resolve('stopped'), { once: true, signal: over.signal })
  })
  const end = await Promise.race([exit, stopped]).finally(() => over.abort())
  if (end !== 'stopped') return end
  signalGroup(group, 'SIGTERM')
  await grace(group, exit, clock, signal.reason === 'stopping' ? stopKillGraceMs : killGraceMs)
  return killed(group, exit)
}

/** Until the group is gone by itself, which may be later than its leader; not for ever. */
async function grace(group: number, exit: Promise<Exit>, clock: Clock, graceMs: number): Promise<void> {
  const deadline = clock.now() + graceMs
  const over = new AbortController()
  await Promise.race([exit, clock.sleepUntil(deadline, over.signal)]).finally(() => over.abort())
  // What ends by SIGTERM mostly does so together.
  for (let turns = 0; turns < groupGraceTurnsMax && (await groupLives(group)); turns += 1) await turn()
  while (clock.now() < deadline && (await groupLives(group))) {
    await clock.sleepUntil(Math.min(deadline, clock.now() + groupPollMs))
  }
}

function readOutput(child: Child, { onStdout, onStderr }: ProgramStart): { drained(): Promise<void> } {
  let chunks = 0
  const closed = [child.stdout, child.stderr].map((stream) => {
    stream.on('error', () => {})
    stream.on('data', (bytes: Buffer) => {
      chunks += 1
      if (stream === child.stdout) onStdout(bytes)
      else onStderr(bytes)
    })
    return stream
  })
  return {
    async drained() {
      // What has left the group may hold the pipes open for ever. Turns that bring nothing have found them empty.
      for (let turns = 0, quiet = 0; turns < drainTurnsMax && quiet < 3; turns += 1) {
        if (closed.every((stream) => stream.closed)) return
        const before = chunks
        await turn()
        quiet = chunks === before ? quiet + 1 : 0
      }
      for (const stream of closed) stream.destroy()
    },
  }
}
