import { z } from 'zod'

/** What a kernel.json says, complete and checked. */
export interface Kernelspec {
  /** In lower case; the name of its directory. */
  readonly name: string
  readonly directory: string
  readonly argv: readonly string[]
  readonly displayName: string
  readonly language: string
  readonly interruptMode: 'signal' | 'message'
  readonly env: { readonly [name: string]: string }
}

/** As Jupyter checks them. */
export const kernelspecName = /^[a-z0-9._-]+$/i

const schema = z.object({
  argv: z
    .array(z.string().refine((part) => !part.includes('\0'), 'must not contain a null character'))
    .min(1, 'must name a program')
    .refine(([program]) => program !== '', 'must name a program'),
  display_name: z.string().optional(),
  language: z.string().optional(),
  interrupt_mode: z.enum(['signal', 'message']).default('signal'),
  env: z.record(z.string(), z.string()).default({}),
})

/** The spec, or a sentence that says why the text is none. Unknown fields are other programs' business. */
export function parseKernelspec(name: string, directory: string, text: string): Kernelspec | string {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    return `kernel.json is not JSON: ${(error as Error).message}`
  }
  const parsed = schema.safeParse(value)
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`)
    return `kernel.json: ${problems.join('; ')}`
  }
  const { argv, display_name, language, interrupt_mode, env } = parsed.data
  return {
    name: name.toLowerCase(),
    directory,
    argv,
    displayName: display_name ?? name,
    language: language ?? '',
    interruptMode: interrupt_mode,
    env,
  }
}

/** The command line for one start; what is unknown in braces stays as it is. */
export function commandOf(spec: Kernelspec, connectionFile: string): string[] {
  const values: { readonly [name: string]: string } = {
    connection_file: connectionFile,
    resource_dir: spec.directory,
  }
  return spec.argv.map((part) =>
    part.replace(/\{([A-Za-z0-9_]+)\}/g, (whole, name: string) =>
      Object.hasOwn(values, name) ? values[name]! : whole,
    ),
  )
}

/** `base` with the spec's own variables, in which `${NAME}` stands for a variable of `base`. */
export function environmentOf(
  spec: Kernelspec,
  base: { readonly [name: string]: string },
): { readonly [name: string]: string } {
  const filled = Object.entries(spec.env).map(([name, value]) => [
    name,
    value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (whole, other: string) =>
      Object.hasOwn(base, other) ? base[other]! : whole,
    ),
  ])
  return { ...base, ...Object.fromEntries(filled) }
}
