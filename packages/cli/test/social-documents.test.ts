import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSocialConfig, socialConfigKeys } from '@callboard/social/config'
import { expect, it, vi } from 'vitest'
import { binary, checkout, type Finished, Installation } from './support/installation.js'

const readme = textOf('README.md')
const forUsers = textOf('docs/social.md')
const forOperators = textOf('docs/social-operations.md')

it('every section for the config file in the documents is valid', () => {
  const sections = [forOperators, textOf('docs/operators.md')]
    .flatMap((text) => blocks(text, 'json'))
    .flatMap((json) => JSON.parse(json).social ?? [])
  expect(sections).toHaveLength(2)
  for (const section of sections) parseSocialConfig(section)
})

it('every key is in the chapter on keys', () => {
  const chapter = forOperators.slice(forOperators.indexOf('### The keys'), forOperators.indexOf('## Networks'))
  const named = new Set([...chapter.matchAll(/`([a-z_\d]+)`/g)].map((match) => match[1]))
  const keys = socialConfigKeys.map(({ path }) => path.split('.').at(-1)!)
  expect(keys.filter((key) => !named.has(key))).toEqual([])
})

it('every tool is in the chapter on tools', async () => {
  const installation = await opened()
  const { services } = JSON.parse((await installation.run(['ls', '--json'])).stdout).snapshot
  const { tools } = services.find(({ service }: { service: string }) => service === 'social')
  const named = [...forUsers.matchAll(/^\| `(\w+)`/gm)].map((match) => match[1])
  expect(tools.filter((name: string) => !named.includes(name))).toEqual([])
  expect(tools.length).toBeGreaterThan(30)
})

it.each([
  ['docs/social.md', forUsers],
  ['README.md', readme],
])(
  'the commands of %s run as they are written',
  async (_, text) => {
    const installation = await opened()
    const written = commands(text)
    expect(written.length).toBeGreaterThan(4)
    for (const command of written) {
      const isRefused = command.includes('haiku')
      expect({ command, ...(await shell(installation, command)) }).toMatchObject({ code: isRefused ? 1 : 0 })
    }
    const items = written.filter((command) => command.includes('call propose_post')).map((_, index) => index + 1)
    for (const id of items) await isVerified(installation, id)
  },
  60_000,
)

it('the commands for operators are commands, with options that there are', async () => {
  const installation = await opened()
  const written = commands(forOperators)
  expect(written.length).toBeGreaterThan(8)
  // None of these items exists, and nobody is at the keyboard: each command says so, and none that it is misspelt.
  const said = await Promise.all(
    written.map(async (command) => ({ command, stderr: (await shell(installation, command)).stderr })),
  )
  const fit = expect.stringMatching(/^$|not_found|is no terminal/)
  expect(said).toEqual(written.map((command) => ({ command, stderr: fit })))
}, 120_000)

/** Where the first search has found something. */
async function opened(): Promise<Installation> {
  const installation = new Installation({ CALLBOARD_WORKERS: 'scheduler,social' })
  await installation.up()
  await vi.waitFor(async () => expect(await dataOf(installation, 'get_discovery_feed')).not.toEqual([]), {
    timeout: 10_000,
  })
  return installation
}

/** It is out, and the network has what was approved. */
async function isVerified(installation: Installation, id: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { status, outbox } = await dataOf(installation, 'get_item', `id:=${id}`)
      expect({ id, status, verified: outbox.verified_at }).toEqual({
        id,
        status: 'posted',
        verified: expect.stringMatching(/Z$/),
      })
    },
    { timeout: 10_000 },
  )
}

async function dataOf(installation: Installation, ...words: readonly string[]) {
  return JSON.parse((await installation.run(['call', ...words])).stdout).data
}

function textOf(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1]!)
}

/** Those about posts. */
function commands(text: string): string[] {
  return blocks(text, 'sh')
    .filter((block) => /approvals|_tweet|propose_post|get_discovery_feed/.test(block))
    .flatMap((block) => block.split('\n'))
    .filter((line) => /^(npx )?callboard /.test(line) && !line.includes('…'))
}

async function shell(installation: Installation, command: string): Promise<Finished> {
  const callboard = `callboard() { '${process.execPath}' '${binary}' "$@"; }`
  const line = command.replace(/^npx /, '')
  const child = execFile('/bin/sh', ['-c', `${callboard}\n${line}`], { env: installation.environment })
  child.stdin?.end()
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (text: string) => (said.stdout += text))
  child.stderr?.on('data', (text: string) => (said.stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...said }
}
