/** Shown by `weave_help`, and run as tests, in order and in one kernel. */
export interface Example {
  readonly title: string
  readonly code: string
  /** What the reply must contain. */
  readonly expect: { readonly result?: string | null; readonly stdout?: string; readonly errorEnds?: string }
}

export const examples: readonly Example[] = [
  { title: 'The value of a last expression is the result', code: '1 + 1', expect: { result: '2' } },
  { title: 'Names stay for the next call', code: 'prices = [3, 4, 5]\nsum(prices)', expect: { result: '12' } },
  { title: '… also in another call', code: 'max(prices)', expect: { result: '5' } },
  {
    title: 'Prints are captured, also those of programs',
    code: 'import os\nprint("hi")\nos.system("echo there")',
    expect: { result: '0', stdout: 'hi\nthere\n' },
  },
  {
    title: 'await works at the top level',
    code: 'import asyncio\nawait asyncio.sleep(0, "slept")',
    expect: { result: "'slept'" },
  },
  {
    title: 'A background task goes on between calls (start it in a cell that awaits)',
    code: 'async def tick():\n    return "done"\n\ntask = asyncio.create_task(tick())\nawait asyncio.sleep(0)',
    expect: { result: null },
  },
  { title: '… and is read later', code: 'await task', expect: { result: "'done'" } },
  {
    title: 'An exception keeps what was printed before it',
    code: 'print("before")\n1 / 0',
    expect: { stdout: 'before\n', errorEnds: 'ZeroDivisionError: division by zero' },
  },
]
