import { expect, test } from 'vitest'
import { z } from 'zod'
import { TerminalEvent } from '../../../contracts/core/events.ts'
import { startTestServer } from './testing.ts'

test('the API description contains the events of the stream and their form', async () => {
  const server = await startTestServer()
  const { paths } = (await server.call('GET', '/api/openapi.json')).json<{
    paths: Record<string, Record<string, Operation>>
  }>()
  const events = paths['/api/events']?.get
  expect(events?.parameters).toMatchObject([
    { name: 'as', in: 'query', required: false },
    { name: 'last-event-id', in: 'header', required: false, schema: { type: 'string' } },
  ])
  const stream = events?.responses['200']?.content ?? {}
  expect(Object.keys(stream)).toEqual(['text/event-stream'])
  const kinds = stream['text/event-stream']?.schema['oneOf'] as { properties: { type: { enum: string[] } } }[]
  expect(kinds.flatMap(({ properties }) => properties.type.enum)).toEqual(
    TerminalEvent.options.map(({ shape }) => shape.type.value),
  )
  expect(events?.responses['200']).toHaveProperty('description', expect.stringContaining('resync'))
  expect(events?.security).toEqual([{ window: [] }])
})

interface Operation {
  description: string
  security: object[]
  requestBody?: object
  parameters?: { name: string; in: string }[]
  responses: Record<string, { content?: Record<string, { schema: Record<string, unknown> }> }>
}

test('the API description contains access, requests and answers of every route', async () => {
  const server = await startTestServer({
    routes: () => [
      (app) => {
        app.get(
          '/api/things',
          {
            schema: {
              querystring: z.object({ limit: z.coerce.number().int().default(5) }),
              response: { 200: z.object({ things: z.array(z.string()) }) },
            },
          },
          async () => ({ things: [] }),
        )
        app.post(
          '/api/things',
          {
            schema: {
              description: 'Adds one.',
              body: z.object({ name: z.string() }),
              response: { 204: z.undefined() },
            },
            config: { access: 'manager' },
          },
          (_request, reply) => {
            void reply.code(204)
          },
        )
        app.get('/api/thing.pdf', { schema: { produces: ['application/pdf'] } }, (_request, reply) =>
          reply.type('application/pdf').send(Buffer.of()),
        )
        app.get('/api/open', { config: { access: 'public' } }, async () => ({}))
      },
    ],
  })
  const reply = await server.call('GET', '/api/openapi.json')
  expect(reply.headers['content-type']).toContain('application/json')
  const document = reply.json<{
    openapi: string
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, { properties: object }> }
  }>()
  expect(document.openapi).toBe('3.1.0')
  expect(Object.keys(document.paths).sort()).toEqual(['/api/events', '/api/open', '/api/thing.pdf', '/api/things'])
  const { get, post } = document.paths['/api/things'] ?? {}
  expect(post?.parameters).toMatchObject([{ name: 'idempotency-key', in: 'header', required: true }])
  expect(get?.description).toBe('For: A signed-in person.')
  expect(get?.parameters).toMatchObject([{ name: 'limit', in: 'query' }])
  expect(get?.responses['200']?.content?.['application/json']?.schema).toMatchObject({
    type: 'object',
    properties: { things: { type: 'array', items: { type: 'string' } } },
  })
  expect(post?.description).toBe('Adds one. For: A signed-in manager.')
  expect(post?.requestBody).toMatchObject({
    content: { 'application/json': { schema: { properties: { name: { type: 'string' } } } } },
  })
  expect(document.paths['/api/thing.pdf']?.get?.responses['200']?.content).toEqual({
    'application/pdf': { schema: { type: 'string', format: 'binary' } },
  })
  expect(document.paths['/api/open']?.get?.security).toEqual([])
  for (const methods of Object.values(document.paths)) {
    for (const operation of Object.values(methods))
      expect(operation.responses.default?.content).toEqual({
        'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
      })
  }
  expect(Object.keys(document.components.schemas.Problem?.properties ?? {})).toEqual([
    'type',
    'title',
    'status',
    'code',
    'messages',
    'correlationId',
    'details',
    'approval',
  ])
})
