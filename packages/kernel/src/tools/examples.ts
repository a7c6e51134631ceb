export type ExampleTopic = 'python' | 'session' | 'clock' | 'rules' | 'events' | 'display'

/** Shown by `weave_help`, and run as tests, in order and in one kernel. */
export interface Example {
  readonly topic: ExampleTopic
  readonly title: string
  readonly code: string
  /** What the reply must contain. */
  readonly expect: { readonly result?: string | null; readonly stdout?: string; readonly errorEnds?: string }
}

export const examples: readonly Example[] = [
  { topic: 'python', title: 'The value of a last expression is the result', code: '1 + 1', expect: { result: '2' } },
  {
    topic: 'python',
    title: 'Names stay for the next call',
    code: 'prices = [3, 4, 5]\nsum(prices)',
    expect: { result: '12' },
  },
  { topic: 'python', title: '… also in another call', code: 'max(prices)', expect: { result: '5' } },
  {
    topic: 'python',
    title: 'Prints are captured, also those of programs',
    code: 'import os\nprint("hi")\nos.system("echo there")',
    expect: { result: '0', stdout: 'hi\nthere\n' },
  },
  {
    topic: 'python',
    title: 'await works at the top level',
    code: 'import asyncio\nawait asyncio.sleep(0, "slept")',
    expect: { result: "'slept'" },
  },
  {
    topic: 'python',
    title: 'A background task goes on between calls (start it in a cell that awaits)',
    code: 'async def tick():\n    return "done"\n\ntask = asyncio.create_task(tick())\nawait asyncio.sleep(0)',
    expect: { result: null },
  },
  { topic: 'python', title: '… and is read later', code: 'await task', expect: { result: "'done'" } },
  {
    topic: 'python',
    title: 'Several things at once',
    code: 'await gather([asyncio.sleep(0, "one"), asyncio.sleep(0, "two")])',
    expect: { result: "['one', 'two']" },
  },
  {
    topic: 'python',
    title: 'An exception keeps what was printed before it',
    code: 'print("before")\n1 / 0',
    expect: { stdout: 'before\n', errorEnds: 'ZeroDivisionError: division by zero' },
  },
  {
    topic: 'session',
    title: 'Name the session and say where it is going',
    code: 'session("demo", vibe="slow and warm").vibe',
    expect: { result: "'slow and warm'" },
  },
  {
    topic: 'session',
    title: 'Leave a note for whoever comes later; the history outlives Python',
    code: 'note("the drop feels too early")\nhistory(1)[0]["success"]',
    expect: { result: 'True' },
  },
  { topic: 'clock', title: 'Set the tempo', code: 'tempo(96)', expect: { result: '96.0' } },
  {
    topic: 'clock',
    title: 'Start, hold, go to a beat',
    code: 'play(0)\npause().state, seek(8).position',
    expect: { result: "('paused', 8.0)" },
  },
  {
    topic: 'clock',
    title: 'Wait for a beat',
    code: 'tempo(600)\nplay(0)\nawait until_beat(2)\nbeat() >= 2, stop().position',
    expect: { result: '(True, 0.0)' },
  },
  {
    topic: 'clock',
    title: 'Markers name places',
    code: 'marker("drop", 32, {"energy": "high"})\n[(m.name, m.beat) for m in markers()]',
    expect: { result: "[('drop', 32.0)]" },
  },
  {
    topic: 'rules',
    title: 'Do something on every beat; a rule is named after its function',
    code: [
      'beats = []',
      '',
      '@on_beat(1)',
      'def count(beat):',
      '    beats.append(beat)',
      '    if len(beats) == 3:',
      '        emit("counted")',
      '',
      'start = events().cursor',
      'play(0)',
      'await wait_event("counted", 10, cursor=start)',
      'stop()',
      'beats[:3]',
    ].join('\n'),
    expect: { result: '[0.0, 1.0, 2.0]' },
  },
  { topic: 'rules', title: 'Disable it', code: 'get_rule("count").disable().enabled', expect: { result: 'False' } },
  {
    topic: 'rules',
    title: 'Rules whose action is text need no Python and outlive it',
    code: 'rule("at:64", "stop", name="end").max_fires, rule("marker:drop", "tempo:140", name="lift").trigger',
    expect: { result: "(1, 'marker:drop')" },
  },
  {
    topic: 'rules',
    title: 'Clear them',
    code: 'for r in rules():\n    r.remove()\nrules()',
    expect: { result: '[]' },
  },
  {
    topic: 'events',
    title: 'Act on events, of those that fit only',
    code: [
      'takes = []',
      '',
      '@on_event("mix.*", ok=True)',
      'def collect(event):',
      '    takes.append(event["data"]["take"])',
      '    emit("collected")',
      '',
      'start = events().cursor',
      'emit("mix.ready", {"take": 1, "ok": False})',
      'emit("mix.ready", {"take": 2, "ok": True})',
      'await wait_event("collected", 10, cursor=start)',
      'takes',
    ].join('\n'),
    expect: { result: '[2]' },
  },
  {
    topic: 'events',
    title: 'With a cursor nothing is lost between two calls',
    code: 'start = events().cursor\nemit("job.failed", {"why": "no disk"})\n(await wait_event("job.*", 10, cursor=start))["data"]',
    expect: { result: "{'why': 'no disk'}" },
  },
  {
    topic: 'display',
    title: 'Show an object as it wants to be shown',
    code: 'class Badge:\n    def _repr_html_(self):\n        return "<b>done</b>"\n\ndisplay(Badge())',
    expect: { result: null },
  },
]
