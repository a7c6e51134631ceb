/** What a program or a chat endpoint says that it used. */
export interface Usage {
  readonly tokensIn?: number
  readonly tokensOut?: number
  readonly costUsd?: number
}

/**
 * Adds what one JSON value of a program's output reports, in the words of the programs that are known: `usage` and
 * `total_cost_usd` stand for the whole so far (claude, codex), `part.tokens` and `part.cost` for one step (opencode).
 */
export function withReported(usage: Usage, value: unknown): Usage {
  const total = recordAt(value, 'usage')
  const cost = numberAt(value, 'total_cost_usd')
  const part = recordAt(value, 'part')
  const step = recordAt(part, 'tokens')
  return {
    ...usage,
    ...given('tokensIn', countAt(total, 'input_tokens') ?? sum(usage.tokensIn, countAt(step, 'input'))),
    ...given('tokensOut', countAt(total, 'output_tokens') ?? sum(usage.tokensOut, countAt(step, 'output'))),
    ...given('costUsd', cost ?? (step === undefined ? usage.costUsd : sum(usage.costUsd, numberAt(part, 'cost')))),
  }
}

/** One more answer of a chat endpoint. */
export function withAnswer(usage: Usage, answer: unknown): Usage {
  const told = recordAt(answer, 'usage')
  return {
    ...given('tokensIn', sum(usage.tokensIn, countAt(told, 'prompt_tokens'))),
    ...given('tokensOut', sum(usage.tokensOut, countAt(told, 'completion_tokens'))),
  }
}

function given<Key extends keyof Usage>(key: Key, value: number | undefined): Usage {
  return value === undefined ? {} : { [key]: value }
}

function sum(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a + b, Number.MAX_SAFE_INTEGER)
}

function recordAt(value: unknown, name: string): object | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  const inner: unknown = (value as never)[name]
  return typeof inner === 'object' && inner !== null ? inner : undefined
}

/** A column of whole numbers takes no other; some endpoints tell averages. */
function countAt(value: unknown, name: string): number | undefined {
  const number = numberAt(value, name)
  return number === undefined ? undefined : Math.round(number)
}

/** Databases hold no others: whatever is no count or amount was not reported. */
function numberAt(value: unknown, name: string): number | undefined {
  const number: unknown = typeof value === 'object' && value !== null ? (value as never)[name] : undefined
  return typeof number === 'number' && number >= 0 && number <= Number.MAX_SAFE_INTEGER ? number : undefined
}
