import fastifySwagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Problem } from '../../../contracts/core/errors.ts'
import { COMMAND_KEY, KEY_HEADER, WINDOW_HEADER } from '../../../contracts/core/window.ts'
import type { Access } from '../../../contracts/core/route.ts'
import type { App } from './app.ts'
import { isCommand } from './commands.ts'

const WHO: Record<Access, string> = {
  public: 'Anybody who passes the Host and Origin checks.',
  window: 'A window with an opened session.',
  staff: 'A signed-in person.',
  manager: 'A signed-in manager.',
}

const problemAnswer = {
  description: 'The call was refused; see `code`.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

/** A route that answers with a file has no schema of it: what comes is said by the types that it produces. */
const fileAnswer = (types: readonly string[]) => ({
  description: 'The file.',
  content: Object.fromEntries(types.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
})

const commandHeaders = {
  type: 'object',
  required: [KEY_HEADER],
  properties: {
    [KEY_HEADER]: {
      type: 'string',
      pattern: COMMAND_KEY.source,
      description: 'Made by the window for this command, and the same each time that it asks again: it is done once.',
    },
  },
}

/** `z.json()` refers to itself: its references lead here. */
const ANY_JSON = { description: 'Any JSON value.' }

/** Must be added before any route. The description of the local API is at GET /api/openapi.json. */
export function addOpenApi(app: App, version: string): void {
  void app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Milepost local API',
        version,
        description:
          'What the screens of a Milepost terminal say to its backend. Loopback only; amounts are integer cents.',
      },
      components: {
        securitySchemes: { window: { type: 'apiKey', in: 'header', name: WINDOW_HEADER } },
        schemas: { Problem: z.toJSONSchema(Problem) as object, Json: ANY_JSON, JsonInput: ANY_JSON },
      },
    },
    transform: (input) => {
      // Routes without a schema of their own (no body, no query) are described too.
      const { url, schema } = jsonSchemaTransform({ ...input, schema: input.schema ?? {} })
      const access = input.route.config?.access ?? 'staff'
      return {
        url,
        schema: {
          ...schema,
          ...(schema.hide || !url.startsWith('/api') ? { hide: true } : {}),
          description: [schema.description, `For: ${WHO[access]}`].filter(Boolean).join(' '),
          ...(isCommand(input.route) ? { headers: commandHeaders } : {}),
          security: access === 'public' ? [] : [{ window: [] }],
          response: {
            ...(schema.produces ? { 200: fileAnswer(schema.produces) } : {}),
            ...(schema.response as object | undefined),
            default: problemAnswer,
          },
        },
      }
    },
  })
  app.after(() => {
    app.get('/api/openapi.json', { schema: { hide: true }, config: { access: 'public' } }, async () => app.swagger())
  })
}
