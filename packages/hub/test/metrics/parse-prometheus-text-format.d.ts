declare module 'parse-prometheus-text-format' {
  interface Metric {
    readonly labels?: Readonly<Record<string, string>>
    readonly value: string
  }
  export default function parse(page: string): readonly { readonly name: string; readonly metrics: readonly Metric[] }[]
}
