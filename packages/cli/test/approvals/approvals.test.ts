import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { Installation } from '../support/installation.js'

const social = fileURLToPath(new URL('social-worker.mjs', import.meta.url))

/** A hub with a social worker, and `callboard approvals` there. `changing`: an item that somebody edits once it was read. */
async function open({ words = [] as string[], changing = '' } = {}) {
  const installation = new Installation({ CALLBOARD_WORKERS: 'social' })
  await installation.hub(words)
  await installation.worker(social, [changing])
  const approvals = (...rest: string[]) => installation.run(['approvals', ...rest])
  const item = async (id: number) => JSON.parse((await approvals('show', String(id), '--json')).stdout)
  return { installation, approvals, item }
}

describe('callboard approvals', () => {
  it.each([[[]], [['--namespace', 'always']]])('lists what waits, of a hub with %j', async (words) => {
    const { approvals } = await open({ words })
    const listed = await approvals()
    expect(listed).toEqual(await approvals('list'))
    expect({ code: listed.code, stderr: listed.stderr }).toEqual({ code: 0, stderr: '' })
    expect(listed.stdout.split('\n')).toEqual([
      'ID  KIND    NETWORK   TO    BY         AGE  EXPIRES  RISKS  TEXT',
      '7   tweet   local     -     agent:ada  3 h  in 20 h  0      A first post about spoons.',
      expect.stringMatching(
        /^8 +thread +mastodon +- +agent:ada +3 h +in 20 h +2 +First line \\u001b\[2J of a\\u202e thread Sec.*…$/,
      ),
      '9   reply   local     @eve  agent:bob  3 h  in 20 h  0      Indeed!',
      '',
    ])
  })

  it('lists of one network, so many, and as JSON', async () => {
    const { approvals } = await open()
    expect((await approvals('--network', 'mastodon')).stdout).not.toContain('spoons')
    expect((await approvals('list', '--network', 'x')).stdout).toBe('Nothing waits for approval.\n')
    expect((await approvals('list', '--limit', '2')).stdout).toContain('\n\nMore wait: --limit shows up to 200.\n')
    for (const words of [
      ['--json', '--limit', '1'],
      ['list', '--json', '--limit', '1'],
    ]) {
      expect(JSON.parse((await approvals(...words)).stdout)).toMatchObject({
        items: [{ id: 7, rev: 1 }],
        has_more: true,
        advisory: false,
      })
    }
    expect(await approvals('--network', 'myspace')).toMatchObject({
      code: 1,
      stderr: 'callboard: network: must be one of bluesky, mastodon, x, local (validation_error)\n',
    })
  })

  it('says where approvals are advisory', async () => {
    const { installation, approvals } = await open()
    const groups = [
      { folder: 'lab', tag: 'lab', name: 'Lab', admin: true, runner: { kind: 'command', argv: ['/bin/true'] } },
    ]
    writeFileSync(join(installation.data, 'groups.json'), JSON.stringify({ groups }))
    const config = join(installation.directory, 'config.json')
    writeFileSync(config, JSON.stringify({ workers: ['scheduler', 'social'] }))
    const variables = { CALLBOARD_CONFIG: config, CALLBOARD_WORKERS: '' }
    const note = /Approvals are advisory here: programs of the group lab, could read the operator secret and approve/
    expect((await installation.run(['approvals'], variables)).stdout).toMatch(note)
    expect((await installation.run(['approvals', 'show', '7'], variables)).stdout).toMatch(note)
    expect(JSON.parse((await installation.run(['approvals', '--json'], variables)).stdout).advisory).toBe(true)
    expect((await approvals()).stdout).not.toContain('advisory')
  })

  it('shows an item whole, and nothing in it can pass for what we say', async () => {
    const { approvals } = await open()
    expect((await approvals('show', '8')).stdout.split('\n')).toEqual([
      'Item 8: thread on mastodon as spoon, pending',
      expect.stringMatching(/^ {2}proposed {4}.*Z \(3 h ago\) by agent:ada, agent$/),
      '  written by  template',
      '  topic       cutlery',
      '  form        framework',
      expect.stringMatching(/^ {2}goes out {4}.*Z \(in 2 d\)$/),
      expect.stringMatching(/^ {2}expires {5}.*Z \(in 20 h\)$/),
      '  costs       about $0.200',
      '  rev         1',
      `  hash        ${'81'.padEnd(64, 'a')}`,
      '',
      'Part 1 of 2 (28 of 500 graphemes):',
      '  | First',
      '  | line \\u001b[2J of a\\u202e thread',
      '',
      'Part 2 of 2 (12 of 500 graphemes):',
      '  | Second\\u{200b} part',
      `  with image/png, 1234 bytes, SHA-256 ${'f'.repeat(64)}, described as:`,
      '    | A spoon',
      '    | Item 9: approved',
      '',
      'Risks:',
      '  - a link',
      '  - text\\u0007 from a template',
      '',
    ])
    const reply = (await approvals('show', '9')).stdout
    expect(reply).toContain(
      '\nIt answers @eve, local:3, who wrote:\n  > Nice.\n  > Risks:\n  >   - none\\u001b]0;x\\u0007\n\nText (7 of 500 graphemes):\n  | Indeed!\n',
    )
    const failed = (await approvals('show', '11')).stdout
    expect(failed).toContain(
      '\nOutbox: failed, due 2026-03-02T12:00:00Z, tried 2 times\n  last error: No\\u000asuch account.\n',
    )
    expect(failed).toContain('  part 1: sent, https://x.example/1\n  part 2: queued\n')
  })

  it('says what there is not', async () => {
    const { approvals } = await open()
    expect(await approvals('show', '99')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'callboard: There is no item 99. (not_found)\n',
    })
    for (const [words, sentence] of [
      [['shw', '7'], "unknown command 'shw' (did you mean show?)"],
      [['show', 'seven'], 'It must be the number of an item'],
      [['show', '0'], 'It must be the number of an item'],
      [['--limit', '201'], '--limit must be a whole number from 1 to 200.'],
      [['approve'], 'Name the items to approve, or say --all'],
      [['approve', '7', '--all'], 'Name the items to approve, or say --all'],
      [['approve', '7', '--max', '3'], '--max and --network go with --all.'],
      [['approve', '--all', '--max', '51'], '--max must be a whole number from 1 to 50.'],
      [['approve', '7'], 'Standard input is no terminal, so nobody can be asked: add --yes'],
      [['reject', '7', '--reason', 'x'.repeat(501)], '--reason must have at most 500 characters.'],
      [['resolve', '12'], 'then say --posted or --failed'],
      [['resolve', '12', '--posted', '--failed'], 'then say --posted or --failed'],
      [['edit', '10'], 'Item 10 is posted: only what is pending can be edited.'],
      [['edit', '7', '--text', ' '], 'A part is empty: nothing was changed in item 7.'],
      [['edit', '7'], 'No editor is known: set EDITOR, or give the new text with --text.'],
    ] as const) {
      expect(await approvals(...words)).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    }
  })

  it('says when there is no hub, no social worker, and when this is not the operator', async () => {
    const installation = new Installation({ CALLBOARD_WORKERS: 'social' })
    expect((await installation.run(['approvals'])).stderr).toMatch(/^callboard: No hub is running in /)
    await installation.hub()
    expect((await installation.run(['approvals'])).stderr).toMatch(
      /^callboard: The worker social is not signed in at the hub/,
    )
    await installation.worker(social)
    expect(await installation.run(['approvals'], { CALLBOARD_TOKEN: 'wrong' })).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^callboard: This hub has another operator secret than CALLBOARD_TOKEN/),
    })
  })
})

describe('callboard approvals approve', () => {
  it('approves what it shows', async () => {
    const { approvals, item } = await open()
    const { code, stdout, stderr } = await approvals('approve', '7', '9', '7', '--yes')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(
      /^Item 7: .*\| A first post about spoons\..*\nApproved item 7: .*\nItem 9: .*> Nice\..*\nApproved item 9: /s,
    )
    expect(stdout.match(/Approved item 7/g)).toHaveLength(1)
    expect([(await item(7)).status, (await item(9)).status]).toEqual(['approved', 'approved'])
  })

  it('approves nothing that has changed since it was shown', async () => {
    const { approvals, item } = await open({ changing: '7' })
    const { code, stdout, stderr } = await approvals('approve', '7', '9', '--yes')
    expect(code).toBe(1)
    expect(stdout).toContain('A first post about spoons.')
    expect(stderr).toBe(
      'callboard: Item 7 changed meanwhile, so nothing of it was approved: look at it again. Item 7 has rev 2 now. (conflict)\n',
    )
    expect([await item(7), (await item(9)).status]).toMatchObject([
      { status: 'pending', parts: ['Something else entirely.'] },
      'approved',
    ])
  })

  it('approves only what is pending', async () => {
    const { approvals } = await open()
    expect(await approvals('approve', '10', '99', '--yes')).toMatchObject({
      code: 1,
      stderr:
        'callboard: Item 10 is posted: only what is pending can be approved.\ncallboard: Item 99: There is no item 99. (not_found)\n',
    })
  })

  it('approves all that it shows, the oldest first', async () => {
    const { approvals, item } = await open()
    const first = await approvals('approve', '--all', '--max', '1', '--yes')
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/More wait than these; .*\nItem 7: approved\nApproved 1 of 1\.\n$/)
    const rest = await approvals('approve', '--all', '--yes', '--network', 'mastodon')
    expect(rest.stdout).toMatch(/\nItem 8: approved\nApproved 1 of 1\.\n$/)
    expect((await item(9)).status).toBe('pending')
    await approvals('approve', '--all', '--yes')
    expect(await approvals('approve', '--all', '--yes')).toEqual({
      code: 0,
      stdout: 'Nothing waits for approval.\n',
      stderr: '',
    })
  })

  it('tells which of all have changed', async () => {
    const { approvals, item } = await open({ changing: '8' })
    expect(await approvals('approve', '--all', '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/\nItem 7: approved\nItem 9: approved\nApproved 2 of 3\.\n$/),
      stderr: 'callboard: Item 8 changed meanwhile: look at it again (conflict).\n',
    })
    expect((await item(8)).status).toBe('pending')
  })
})

describe('what else operators do', () => {
  it('reject', async () => {
    const { approvals, item } = await open()
    expect(await approvals('reject', '7', '--reason', 'not our tone')).toEqual({
      code: 0,
      stdout: 'Rejected item 7.\n',
      stderr: '',
    })
    expect(await item(7)).toMatchObject({ status: 'rejected', reason: 'not our tone' })
    expect(await approvals('reject', '7')).toMatchObject({
      code: 1,
      stderr: 'callboard: Item 7 is rejected. (conflict)\n',
    })
  })

  it('edit with texts from the command line', async () => {
    const { approvals, item } = await open()
    const { code, stdout } = await approvals('edit', '8', '--text', 'One.', '--text', 'Two.')
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'Item 8 has rev 2 now (4 of 500 graphemes; 4 of 500 graphemes): "callboard approvals approve 8" shows it.\n',
    })
    expect((await item(8)).parts).toEqual(['One.', 'Two.'])
    expect((await approvals('edit', '8', '--text', 'One.', '--text', 'Two.')).stdout).toBe(
      'Nothing was changed in item 8.\n',
    )
    expect((await item(8)).rev).toBe(2)
  })

  it('edit in their editor', async () => {
    const { installation, approvals, item } = await open()
    const editor = join(installation.directory, 'an editor')
    const edit = (script: string, id = '8') => {
      writeFileSync(editor, `#!/bin/sh\n${script}\n`)
      chmodSync(editor, 0o755)
      return installation.run(['approvals', 'edit', id], { EDITOR: `'${editor}' -w` })
    }
    await approvals('edit', '8', '--text', 'One.', '--text', 'Two.')
    expect(await edit('cp "$2" seen; stat -c %a "$2" > mode')).toMatchObject({
      stdout: 'Nothing was changed in item 8.\n',
    })
    expect(readFileSync(join(installation.directory, 'seen'), 'utf8')).toBe('One.\n---\nTwo.\n')
    expect(readFileSync(join(installation.directory, 'mode'), 'utf8')).toBe('600\n')
    expect(await edit('sed -i s/Two/Three/ "$2"')).toMatchObject({ code: 0, stdout: expect.stringContaining('rev 3') })
    expect((await item(8)).parts).toEqual(['One.', 'Three.'])

    const refused = await edit('head -c 501 /dev/zero | tr "\\0" x > "$2"')
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^callboard: Your text is kept in .*\ncallboard: Part 1 has 501 .* \(tweet_too_long\)\n$/,
      ),
    })
    const [, kept] = /kept in (.*)\n/.exec(refused.stderr)!
    expect(readFileSync(kept!, 'utf8')).toBe('x'.repeat(501))
    expect(await edit('exit 3')).toMatchObject({
      code: 1,
      stderr: 'callboard: The editor ended with 3: nothing was changed.\n',
    })
    expect((await item(8)).rev).toBe(3)
  })

  it('edit nothing that somebody else has changed', async () => {
    const { approvals, item } = await open({ changing: '7' })
    expect(await approvals('edit', '7', '--text', 'Mine.')).toMatchObject({
      code: 1,
      stderr: 'callboard: Item 7 has rev 2 now. (conflict)\n',
    })
    expect((await item(7)).parts).toEqual(['Something else entirely.'])
  })

  it('look at the outbox, and deal with what is stuck', async () => {
    const { approvals, item } = await open()
    expect((await approvals('outbox')).stdout.split('\n')).toEqual([
      'ITEM  NETWORK  STATUS   DUE                   TRIES  NEXT                  SENT  VERIFIED  WHERE                ERROR',
      '10    local    posted   2026-03-02T12:00:00Z  -      -                     1/2   -         https://x.example/1',
      '11    local    failed   2026-03-02T12:00:00Z  2      -                     1/2   -         https://x.example/1  No such account.',
      '12    x        unknown  2026-03-02T12:00:00Z  2      -                     1/2   -         https://x.example/1',
      '13    local    queued   2026-03-02T12:00:00Z  2      2026-03-02T12:05:00Z  1/2   -         https://x.example/1',
      '',
    ])
    expect((await approvals('outbox', '--network', 'mastodon')).stdout).toBe('The outbox is empty.\n')
    expect(JSON.parse((await approvals('outbox', '--json', '--status', 'failed')).stdout)).toMatchObject({
      outbox: [{ item_id: 11 }],
      has_more: false,
    })
    expect((await approvals('retry', '11')).stdout).toMatch(/^Item 11 is approved again: /)
    expect((await approvals('resolve', '12', '--posted')).stdout).toBe('Item 12 is posted now.\n')
    expect((await approvals('unschedule', '13')).stdout).toMatch(/^Item 13 is pending again /)
    expect([(await item(11)).status, (await item(12)).status, (await item(13)).status]).toEqual([
      'approved',
      'posted',
      'pending',
    ])
    expect(await approvals('retry', '7')).toMatchObject({
      code: 1,
      stderr: 'callboard: Item 7 is pending. (conflict)\n',
    })
  })

  it('ask what is wrong', async () => {
    const { installation } = await open()
    const { stdout } = await installation.run(['doctor', '--json'])
    const found = (JSON.parse(stdout).findings as { check: string; status: string; detail: string }[]).filter(
      ({ check }) => /^(network|outbox|approvals|social)/.test(check),
    )
    expect(found.map(({ check, status, detail }) => `${status} ${check}: ${detail}`)).toEqual([
      expect.stringMatching(/^ok approvals: no program that the workers run for agents can read the operator secret/),
      "note social profile: nobody's: posts speak of Callboard, on the network local",
      'note social model: templates',
      'ok network local: built in',
      'problem network x: error: paused: the token has expired',
      'problem outbox: item 12 was sent to x, and no answer came',
      'note outbox: item 11 failed',
    ])
  })
})

describe('help for approvals', () => {
  it.each(['list', 'show', 'approve', 'reject', 'edit', 'outbox', 'retry', 'resolve', 'unschedule'])(
    'has examples for %s',
    async (command) => {
      const { code, stdout } = await new Installation().run(['approvals', command, '--help'])
      expect(code).toBe(0)
      expect(stdout).toMatch(new RegExp(`Examples:\\n.*callboard approvals ${command}`, 's'))
    },
  )
})
