/** The data of the events in a text of server-sent events; what only keeps a stream alive has none. */
export function eventsIn(text: string): { readonly event: string; readonly data: string }[] {
  return text.split(/\r?\n\r?\n/).flatMap((block) => {
    let event = 'message'
    let data: string | undefined
    for (const line of block.split(/\r?\n/)) {
      if (line.startsWith('event:')) event = line.slice(6).trim()
      else if (line.startsWith('data:')) data = (data === undefined ? '' : `${data}\n`) + line.slice(5).trimStart()
    }
    return data === undefined || data === '' ? [] : [{ event, data }]
  })
}
