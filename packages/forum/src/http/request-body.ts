import type { WriteRequest } from './site-client.js'

interface RequestBody {
  readonly body: Uint8Array
  readonly headers: { readonly [name: string]: string }
}

/** A write's body as bytes, with its type. */
export async function requestBody({ json, form }: WriteRequest): Promise<RequestBody> {
  if (form !== undefined) {
    const encoded = new Response(form)
    const type = encoded.headers.get('content-type') ?? 'multipart/form-data'
    return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { 'content-type': type } }
  }
  if (json === undefined) return { body: new Uint8Array(), headers: {} }
  return { body: new TextEncoder().encode(JSON.stringify(json)), headers: { 'content-type': 'application/json' } }
}
