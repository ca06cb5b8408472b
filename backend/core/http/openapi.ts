import fastifySwagger from '@fastify/swagger'
import { jsonSchemaTransform } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { Problem } from '../../../contracts/core/errors.ts'
import { COMMAND_KEY, KEY_HEADER, WINDOW_HEADER } from '../../../contracts/core/window.ts'
import type { Access } from '../../../contracts/core/route.ts'
import type { App } from './app.ts'
import { isCommand } from './commands.ts'

const ACCESS_TEXTS: Record<Access, string> = {
  public: 'Any client that passes the Host and Origin checks.',
  window: 'A window with an opened session.',
  staff: 'A signed-in person.',
  manager: 'A signed-in manager.',
}

const problemAnswer = {
  description: 'The call was refused; see `code`.',
  content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
}

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
      description: 'Created by the window for this command and repeated with each retry: the command runs once.',
    },
  },
}

/** Schema to which the references of `z.json()` point, because that schema is recursive. */
const ANY_JSON = { description: 'Any JSON value.' }

/** Serves the description of the local API at GET /api/openapi.json. Call it before any route is added. */
export function addOpenApi(app: App, version: string): void {
  void app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Milepost local API',
        version,
        description:
          'API between the screens of a Milepost terminal and its backend. Loopback only; amounts are integer cents.',
      },
      components: {
        securitySchemes: { window: { type: 'apiKey', in: 'header', name: WINDOW_HEADER } },
        schemas: { Problem: z.toJSONSchema(Problem) as object, Json: ANY_JSON, JsonInput: ANY_JSON },
      },
    },
    transform: (input) => {
      // Routes without a schema (no body, no query) are described too.
      const { url, schema } = jsonSchemaTransform({ ...input, schema: input.schema ?? {} })
      const access = input.route.config?.access ?? 'staff'
      return {
        url,
        schema: {
          ...schema,
          ...(schema.hide || !url.startsWith('/api') ? { hide: true } : {}),
          description: [schema.description, `For: ${ACCESS_TEXTS[access]}`].filter(Boolean).join(' '),
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
