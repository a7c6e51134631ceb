import type { StandardSchemaV1 } from '@modelcontextprotocol/server'

/** Where and how a value breaks a schema, as one phrase; undefined when it does not. `root`: what to call the whole value. */
export function schemaProblem(schema: StandardSchemaV1, value: unknown, root: string): string | undefined {
  const checked = schema['~standard'].validate(value)
  if (checked instanceof Promise || checked.issues === undefined) return undefined
  const issue = checked.issues[0]
  const path = (issue?.path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.')
  return `${path === '' ? root : path}: ${issue?.message ?? 'invalid'}`
}
