import { createHash } from 'node:crypto'

/** The same thing of the same project has the same GUID in every export. `projectUid` is a GUID itself. */
export function refiGuid(projectUid: string, kind: string, id: number | string): string {
  return uuid5(projectUid, `${kind}:${id}`)
}

/** In lower case, without braces; null where the text is no GUID. */
export function normalGuid(text: string): string | null {
  const match = /^\s*(\{)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(\})?\s*$/i.exec(text)
  if (match === null || (match[1] === undefined) !== (match[3] === undefined)) return null
  return match[2]!.toLowerCase()
}

/** RFC 9562, version 5. */
function uuid5(namespace: string, name: string): string {
  const hash = createHash('sha1').update(namespaceBytes(namespace)).update(name, 'utf8').digest()
  hash[6] = (hash[6]! & 0x0f) | 0x50
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex', 0, 16)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function namespaceBytes(namespace: string): Buffer {
  const guid = normalGuid(namespace)
  if (guid === null) throw new TypeError(`${namespace} is no GUID`)
  return Buffer.from(guid.replaceAll('-', ''), 'hex')
}
