import { json } from '../http/answer.js'
import { notFound } from '../http/refusal.js'
import type { DemoAiTools } from '../setting.js'
import { get, post, type Route, type Site } from './route.js'

export const aiRoutes: readonly Route[] = [
  get('/ai/tools', (_, site) => {
    const { shape = 'object', tools } = offered(site)
    const rows = tools.map(({ answer: _, ...row }) => row)
    return json(shape === 'list' ? rows : { tools: rows })
  }),
  post('/ai/tools/:name/call', ({ params, input }, site) => {
    const tool = offered(site).tools.find(({ name }) => name === params['name'])
    if (tool === undefined) throw notFound()
    return json(tool.answer(input.all))
  }),
]

function offered({ setting }: Site): DemoAiTools {
  if (setting.aiTools === undefined) throw notFound()
  return setting.aiTools
}
