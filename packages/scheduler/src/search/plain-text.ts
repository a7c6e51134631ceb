const named: { readonly [name: string]: string } = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** Text of a fragment of HTML: tags gone, then references read, once. What is no text is passed on. */
export function plainText(html: unknown): unknown {
  if (typeof html !== 'string') return html
  return html.replaceAll(/<\/?[a-z][^<>]*>/gi, '').replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, read)
}

function read(whole: string, decimal?: string, hexadecimal?: string, name?: string): string {
  if (name !== undefined) return named[name.toLowerCase()] ?? whole
  const code = decimal === undefined ? Number.parseInt(hexadecimal ?? '', 16) : Number(decimal)
  return code <= 0x10ffff ? String.fromCodePoint(code) : whole
}
