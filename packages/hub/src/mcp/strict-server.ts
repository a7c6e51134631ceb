import { ProtocolError, Server, type StandardSchemaV1, specTypeSchemas } from '@modelcontextprotocol/server'
import { invalidParams } from './json-rpc.js'
import { schemaProblem } from './schema-problem.js'

/** What the hub answers itself; calls are parsed by `agent-request.ts`. */
const schemas: Readonly<Record<string, StandardSchemaV1>> = {
  initialize: specTypeSchemas.InitializeRequest,
  'logging/setLevel': specTypeSchemas.SetLevelRequest,
  'tools/list': specTypeSchemas.ListToolsRequest,
  'prompts/list': specTypeSchemas.ListPromptsRequest,
  'resources/list': specTypeSchemas.ListResourcesRequest,
  'resources/templates/list': specTypeSchemas.ListResourceTemplatesRequest,
  'resources/subscribe': specTypeSchemas.SubscribeRequest,
  'resources/unsubscribe': specTypeSchemas.UnsubscribeRequest,
}

/** The SDK takes wrong params for a fault of the server, and answers with what its schema library wrote: here they are the client's. */
export class StrictServer extends Server {
  protected override _wrapHandler(
    ...[method, handler]: Parameters<Server['_wrapHandler']>
  ): ReturnType<Server['_wrapHandler']> {
    const wrapped = super._wrapHandler(method, handler)
    const schema = schemas[method]
    if (schema === undefined) return wrapped
    return async (request, ctx) => {
      const problem = schemaProblem(schema, request, 'request')
      if (problem !== undefined) throw new ProtocolError(invalidParams, `Invalid params: ${problem}`)
      return wrapped(request, ctx)
    }
  }
}
