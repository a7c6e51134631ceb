import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ForumServer, type ForumServerOptions, startForumServer } from '@callboard/forum/demo'
import { onTestFinished } from 'vitest'
import { collect, Installation, untilSaid } from '../../support/installation.js'

export interface ForumInstallationOptions {
  /** Section `forum`. */
  readonly config?: object
  readonly variables?: Readonly<Record<string, string>>
}

export interface ForumProcess {
  readonly child: ChildProcess
  /** All that it has said on both outputs. */
  said(): string
  /** As by `kill -9`; resolves when it is gone. */
  kill(): Promise<void>
}

/** An installation for the forum worker, with a hub that also listens for HTTP. */
export class ForumInstallation extends Installation {
  constructor({ config, variables }: ForumInstallationOptions = {}) {
    super({ CALLBOARD_WORKERS: 'forum', CALLBOARD_HTTP: '127.0.0.1:0', ...variables })
    mkdirSync(this.data, { recursive: true, mode: 0o700 })
    const file = join(this.data, 'callboard.config.json')
    if (config !== undefined) writeFileSync(file, JSON.stringify({ forum: config }), { mode: 0o600 })
  }

  /** `callboard worker forum`, signed in. */
  async forum(words: readonly string[] = [], variables: Readonly<Record<string, string>> = {}): Promise<ForumProcess> {
    const child = this.spawn(['worker', 'forum', ...words], variables)
    const outputs = [collect(child.stdout), collect(child.stderr)]
    await untilSaid(child, child.stderr, /signed in/)
    const kill = async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    return { child, kill, said: () => outputs.map((output) => output()).join('') }
  }

  /** Of an agent of its own. */
  async tokenOf(name: string): Promise<string> {
    const { code, stdout, stderr } = await this.run(['token', 'new', name, '--group', 'main'])
    if (code !== 0) throw new Error(stderr)
    return stdout.trim()
  }
}

/** A forum in this process; closed at the end of the test. */
export async function forumServer(options: ForumServerOptions = {}): Promise<ForumServer> {
  const server = await startForumServer({ village: false, ...options })
  onTestFinished(() => server.close())
  return server
}

/** Keys of the one who may do everything there. */
export const adminOf = ({ base, keys }: ForumServer) => ({
  site: base,
  api_key: keys.admin.key,
  api_username: keys.adminAs('mayor').username,
})

export const writing = { allow_writes: true, read_only: false }
