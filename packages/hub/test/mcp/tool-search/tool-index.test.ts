import { describe, expect, it } from 'vitest'
import { ToolIndex } from '../../../src/mcp/tool-search/tool-index.js'
import { termOf, wordsOf } from '../../../src/mcp/tool-search/words.js'
import type { KnownTool } from '../../../src/port.js'
import { catalogue } from './catalogue.js'

const index = await ToolIndex.of(catalogue)
const best = (words: string, count = 3) =>
  index
    .search({ words })
    .slice(0, count)
    .map(({ definition }) => definition.name)

const known = (name: string, more: { service?: string; description?: string; title?: string } = {}): KnownTool => {
  const { service = 'desk', ...definition } = more
  return { service, workerName: name, definition: { name, inputSchema: { type: 'object' }, ...definition } }
}

describe('the right tool is among the first three', () => {
  it.each([
    ['open a new issue in a repository', 'create_issue'],
    ['createPullRequest', 'create_pull_request'],
    ['merge pull request', 'merge_pull_request'],
    ['why did the CI workflow fail', 'get_workflow_run'],
    ['run python code', 'weave_eval'],
    ['stop the python code that is running', 'weave_interrupt'],
    ['send an e-mail to my boss', 'send_email'],
    ['search my inbox for messages from Ada', 'search_inbox'],
    ['what is in my calendar between Monday and Friday', 'list_events'],
    ['find a time when everybody is free', 'find_free_slot'],
    ['post a message to a slack channel', 'post_message'],
    ['answer in a forum discussion', 'forum_reply'],
    ['run a prompt every morning with cron', 'schedule_task'],
    ['list scheduled tasks', 'list_scheduled_tasks'],
    ['SQL query', 'query_database'],
    ['which columns does this table have', 'describe_table'],
    ['logs of a pod', 'get_pod_logs'],
    ['scale a deployment to five replicas', 'scale_deployment'],
    ['give the customer their money back, refund', 'refund_payment'],
    ['end a monthly subscription', 'cancel_subscription'],
    ['look up a customer by phone number', 'find_contact'],
    ['add rows to a spreadsheet', 'append_rows'],
    ['convert document to PDF', 'export_document'],
    ['take a screenshot of the web page', 'take_screenshot'],
    ['weather forecast for next week', 'get_forecast'],
    ['route by bicycle', 'get_directions'],
    ['book a hotel room', 'book_hotel'],
    ['text in a scanned photo, OCR', 'read_text_from_image'],
    ['transcribe an interview recording', 'transcribe_audio'],
    ['add an interview transcript to my qualitative project', 'import_transcript'],
    ['switch on the lamps in the kitchen', 'turn_on_light'],
    ['who has the pager tonight', 'who_is_on_call'],
    ['mute an alert', 'silence_alert'],
    ['expiring TLS certificates', 'check_certificate'],
    ['remind me to call mum', 'create_reminder'],
    ['delete a file', 'delete_file'],
    ['translate', 'translate_text'],
    ['trasnlate text', 'translate_text'],
    ['git commit', 'git_commit'],
    ['uncommitted changes', 'git_diff'],
  ])('%s → %s', (query, name) => {
    expect(catalogue.length).toBeGreaterThan(200)
    expect(best(query)).toContain(name)
  })
})

describe('the order', () => {
  it('has the tool of exactly that name first', () => {
    for (const { definition } of catalogue) expect(best(definition.name, 1)).toEqual([definition.name])
  })

  it('is that of the list for tools that fit equally well, always', async () => {
    const alike = ['b_note', 'a_note', 'c_note'].map((name) => known(name))
    for (let round = 0; round < 3; round++) {
      const found = (await ToolIndex.of(alike)).search({ words: 'note' })
      expect(found.map(({ workerName }) => workerName)).toEqual(['b_note', 'a_note', 'c_note'])
    }
  })

  it('counts a word in the name more than in the description', async () => {
    const tools = [known('other', { description: 'Makes a note.' }), known('make_note', { description: 'Short text.' })]
    expect((await ToolIndex.of(tools)).search({ words: 'note' })[0]!.workerName).toBe('make_note')
  })

  it('knows titles, services and parameters', async () => {
    const tools = [
      known('x1', { title: 'Water the garden' }),
      known('x2', { service: 'greenhouse' }),
      {
        ...known('x3'),
        definition: { name: 'x3', inputSchema: { type: 'object' as const, properties: { seedlings: {} } } },
      },
    ]
    const found = await ToolIndex.of(tools)
    for (const [words, name] of [
      ['garden', 'x1'],
      ['greenhouse', 'x2'],
      ['seedling', 'x3'],
    ] as const) {
      expect(found.search({ words })[0]?.workerName).toBe(name)
    }
  })
})

describe('a question', () => {
  it('may be about one service only', () => {
    const found = index.search({ words: 'list', service: 'docker' })
    expect(new Set(found.map(({ service }) => service))).toEqual(new Set(['docker']))
  })

  it.each(['', '   ', '!?%&', 'the a of', 'xyzzyplugh'])('that says nothing finds nothing: %j', (words) => {
    expect(best(words)).toEqual([])
  })

  it('of many words costs no more than one of 24', () => {
    expect(best(`refund ${'x'.repeat(100_000)} ${'word '.repeat(10_000)}`)).toEqual(['refund_payment'])
  })
})

describe('a definition', () => {
  it('is found by the beginning of its title and of its parameters, so that a long one makes no search slow', async () => {
    const filler = 'x'.repeat(128)
    const long = known('t', { title: `early ${filler} latecomer` })
    const properties = { [`parameter ${filler} straggler`]: {} }
    const tool = { ...long, definition: { ...long.definition, inputSchema: { type: 'object' as const, properties } } }
    const found = await ToolIndex.of([tool])
    expect(['early', 'parameter'].map((words) => found.search({ words }).length)).toEqual([1, 1])
    expect(['latecomer', 'straggler'].map((words) => found.search({ words }).length)).toEqual([0, 0])
  })

  it('may differ from a word in two letters, however long that is', async () => {
    const found = await ToolIndex.of([known('t', { description: 'internationalisation' })])
    expect(found.search({ words: 'imternatiomalisation' })).toHaveLength(1)
    expect(found.search({ words: 'imternatiomalisatiom' })).toEqual([])
  })
})

describe('words', () => {
  it.each([
    ['forum_postReply', ['forum', 'post', 'Reply']],
    ['HTTPServer2Go-x.y', ['HTTP', 'Server2', 'Go', 'x', 'y']],
    ['größeÄndern', ['größe', 'Ändern']],
  ])('of %s', (text, words) => expect(wordsOf(text)).toEqual(words))

  it.each([
    ['Replies', 'reply'],
    ['boxes', 'box'],
    ['files', 'file'],
    ['status', 'status'],
    ['address', 'address'],
    ['is', undefined],
  ])('%s is searched as %s', (word, term) => expect(termOf(word)).toBe(term))
})
