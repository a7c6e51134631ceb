import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Installation, untilSaid } from '../support/installation.js'

/** With a section `qda` in the config file. */
function installationWith(section: object): Installation {
  const installation = new Installation({ CALLBOARD_WORKERS: 'qda' })
  mkdirSync(installation.data, { mode: 0o700 })
  writeFileSync(join(installation.data, 'callboard.config.json'), JSON.stringify({ qda: section }))
  return installation
}

it('the section and its variables are checked before anything starts, each mistake with where it is from', async () => {
  const installation = installationWith({ roots: ['Research'], levels: { remove_sorce: 'T4', set_memo: 'T2' } })
  const { code, stderr } = await installation.run(['up'], {
    CALLBOARD_QDA__LEVELS__SET_MEMO: 'T9',
    CALLBOARD_QDA__BACKUPS: 'many',
    CALLBOARD_QDA__APPROVL: 'human',
  })
  const file = join(installation.data, 'callboard.config.json')
  expect({ code, lines: stderr.trimEnd().split('\n').sort() }).toEqual({
    code: 2,
    lines: [
      'callboard: The configuration is not usable:',
      `  ${file}: qda.levels.remove_sorce: there is no such tool (did you mean remove_source?).`,
      `  ${file}: qda.roots[0]: must be an absolute path, or begin with ~/.`,
      '  CALLBOARD_QDA__APPROVL: qda.APPROVL: there is no such key (did you mean approval?).',
      '  CALLBOARD_QDA__BACKUPS: qda.backups: must be a number.',
      '  CALLBOARD_QDA__LEVELS__SET_MEMO: qda.levels.set_memo: must be one of T1, T2, T3, T4, off.',
    ].sort(),
  })
})

it('variables give what the file would, also one level, and ~ is the home', async () => {
  const installation = installationWith({ roots: ['~'], levels: { set_memo: 'T2' } })
  await installation.up([], {
    CALLBOARD_QDA__ROOTS: '~/Research,/srv/projects',
    CALLBOARD_QDA__LEVELS__REMOVE_SOURCE: 'T4',
    CALLBOARD_QDA__REQUIRE_PREVIEW_TOKEN: 'yes',
  })
  const { snapshot } = JSON.parse((await installation.run(['ls', '--json'])).stdout)
  expect(snapshot.workers).toMatchObject([{ service: 'qda', state: 'ready', trusted: true }])
})

it('callboard worker qda joins a hub, and takes no flags', async () => {
  const installation = installationWith({})
  await installation.hub()
  const worker = installation.spawn(['worker', 'qda'])
  await untilSaid(worker, worker.stderr, /"trusted":true.*signed in/)
  expect(await installation.run(['worker', 'qda', '--roots', '/srv'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('The worker qda takes no flags: there is no --roots'),
  })
})
