/** The tool that every subject offers. */
export const echoTool = {
  name: 'echo',
  description: 'Gives the text back, as often as asked',
  inputSchema: {
    type: 'object' as const,
    properties: {
      text: { type: 'string', description: 'What to give back' },
      repeat: { type: 'integer', minimum: 1, maximum: 1_000, description: 'How often; once if not said' },
    },
    required: ['text'],
    additionalProperties: false,
  },
}

export function echoed(args: { readonly [key: string]: unknown } | undefined): string {
  const { text = '', repeat = 1 } = (args ?? {}) as { readonly text?: string; readonly repeat?: number }
  return text.repeat(repeat)
}
