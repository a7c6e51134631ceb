import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSchedulerConfig, schedulerConfigKeys } from '@callboard/scheduler/config'
import { expect, it } from 'vitest'
import { binary, checkout, type Finished, Installation } from './support/installation.js'

const readme = textOf('README.md')
const forUsers = textOf('docs/scheduler.md')
const forOperators = textOf('docs/scheduler-operations.md')

it('every groups file in the documents is valid', async () => {
  const installation = new Installation()
  mkdirSync(installation.data)
  const files = [readme, forOperators].flatMap((text) => blocks(text, 'json')).flatMap(groupsFileOf)
  expect(files).toHaveLength(3)
  for (const json of files) {
    writeFileSync(join(installation.data, 'groups.json'), json)
    expect(await installation.run(['groups', 'check'])).toMatchObject({ code: 0, stderr: '' })
  }
})

it('every section for the config file in the documents is valid', () => {
  const sections = [forOperators, textOf('docs/operators.md')]
    .flatMap((text) => blocks(text, 'json'))
    .flatMap((json) => parsed(json)['scheduler'] ?? [])
  expect(sections).toHaveLength(2)
  for (const section of sections) parseSchedulerConfig(section)
})

it('every key has its line in the table of keys', () => {
  const lines = forOperators.split('\n').filter((line) => line.startsWith('| `'))
  const named = lines.flatMap((line) => [...line.split('|')[1]!.matchAll(/`([a-z_]+)`/g)].map((match) => match[1]))
  expect(schedulerConfigKeys.filter((key) => !named.includes(key))).toEqual([])
})

it('the commands of the documents run as they are written', async () => {
  const installation = new Installation({ CALLBOARD_WORKERS: 'kernel,scheduler', TZ: 'Europe/Paris' })
  await installation.up()
  const [firstMinute, withGroups] = blocks(readme, 'sh').filter((block) => block.includes('schedule_task'))
  const written = commands(`${firstMinute}\n${blocks(forUsers, 'sh').join('\n')}`)
  expect(written.length).toBeGreaterThan(8)
  for (const command of written) {
    const isRefused = command.includes('@daily')
    expect({ command, ...(await shell(installation, command)) }).toMatchObject({ code: isRefused ? 1 : 0 })
  }
  const groups = blocks(readme, 'json').find((json) => 'groups' in parsed(json))!
  writeFileSync(join(installation.data, 'groups.json'), groups)
  for (const command of commands(withGroups!)) {
    expect({ command, ...(await shell(installation, command)) }).toMatchObject({ code: 0, stderr: '' })
  }
  const { tasks } = (await installation.run(['call', 'list_tasks', '--json']).then(({ stdout }) => JSON.parse(stdout)))
    .structuredContent
  expect(tasks.map(({ group, name }: { group: string; name: string | null }) => [group, name])).toEqual(
    expect.arrayContaining([
      ['main', 'sum'],
      ['main', 'papers'],
      ['ops', null],
    ]),
  )
})

function textOf(path: string): string {
  return readFileSync(join(checkout, path), 'utf8')
}

function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map((match) => match[1]!)
}

function parsed(json: string): { readonly [key: string]: unknown } {
  return JSON.parse(json)
}

/** A block that is one, or a runner, for one. */
function groupsFileOf(json: string): string[] {
  const block = parsed(json)
  if ('groups' in block) return [json]
  if (!('kind' in block)) return []
  return [JSON.stringify({ groups: [{ folder: 'main', tag: 'main', name: 'Main', admin: true, runner: block }] })]
}

/** Those of our own, and none with an id that only its reader knows. */
function commands(block: string): string[] {
  return block.split('\n').filter((line) => /^(npx )?callboard /.test(line) && !line.includes('…'))
}

async function shell(installation: Installation, command: string): Promise<Finished> {
  const callboard = `callboard() { '${process.execPath}' '${binary}' "$@"; }`
  const line = command.replace(/^npx /, '')
  const child = execFile('/bin/sh', ['-c', `${callboard}\n${line}`], { env: installation.environment })
  const said = { stdout: '', stderr: '' }
  child.stdout?.on('data', (text: string) => (said.stdout += text))
  child.stderr?.on('data', (text: string) => (said.stderr += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, ...said }
}
