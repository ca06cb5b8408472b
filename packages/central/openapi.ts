import fastifySwagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { z } from 'zod'
import type { DeclaredAnswers } from './http/declare.ts'
import { DEVICE_AUTHORIZATION_PATH, TOKEN_PATH } from './identity/artifacts.ts'

/** Sign-in flow of members, typed loosely: the library's types end at OpenAPI 3.1, and this flow is in OpenAPI 3.2. */
const MEMBER_FLOW: object = {
  deviceAuthorization: {
    deviceAuthorizationUrl: DEVICE_AUTHORIZATION_PATH,
    tokenUrl: TOKEN_PATH,
    scopes: { openid: 'A token of one collector' },
  },
}

export function addDescription(app: FastifyInstance): void {
  void app.register(fastifySwagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Milepost reference central services',
        version: '1',
        description: 'The central services of training mode. Every card, balance and mile is made up.',
      },
      components: {
        securitySchemes: {
          partner: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: TOKEN_PATH, scopes: {} } } },
          member: {
            type: 'oauth2',
            description: 'Device authorization grant (RFC 8628)',
            flows: { ...MEMBER_FLOW },
          },
        },
      },
    },
    convertConstToEnum: false,
    transform: ({ schema, url }) => ({ url, schema: schema === undefined ? { hide: true } : describe(schema) }),
  })
}

function describe({ headers, querystring, params, body, response = {}, ...rest }: FastifySchema): FastifySchema {
  return {
    ...rest,
    ...(headers === undefined ? {} : { headers: describedOnly(jsonOf(headers)) }),
    ...(querystring === undefined ? {} : { querystring: jsonOf(querystring) }),
    ...(params === undefined ? {} : { params: jsonOf(params) }),
    ...(body === undefined ? {} : { body: jsonOf(body) }),
    response: mapped(response as DeclaredAnswers, ({ content, ...answer }) => ({
      ...answer,
      ...(content && { content: mapped(content, ({ schema, example }) => ({ schema: jsonOf(schema), example })) }),
    })),
  }
}

type Json = Record<string, unknown>

function jsonOf(schema: unknown): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema as z.ZodType, { io: 'input', unrepresentable: 'any' })
  return rest
}

const describedOnly = ({ properties = {}, ...rest }: Json): Json => ({
  ...rest,
  properties: Object.fromEntries(
    Object.entries(properties as Record<string, Json>).filter(([, { description }]) => description !== undefined),
  ),
})

const mapped = <Value>(record: Readonly<Record<string, Value>>, map: (value: Value) => unknown): Json =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
