import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import Provider from 'oidc-provider'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { drop, leaveUnanswered, sendBytes } from '../http/answer.ts'
import { addressOf } from '../http/call.ts'
import { type DeclaredAnswer, answerOf } from '../http/declare.ts'
import { DEVICE_AUTHORIZATION_PATH, IDENTITY_PATH, REVOCATION_PATH, TOKEN_PATH } from './artifacts.ts'
import { FORM, deviceSignIn } from './device.ts'

const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code'

const text = z.string()
/** Error answer of the identity provider (RFC 6749 §5.2). */
const oauth = (description: string, error: string): DeclaredAnswer =>
  answerOf(description, z.object({ error: text, error_description: text.optional() }), { error })
const INVALID_CLIENT = oauth('Wrong client id or secret', 'invalid_client')

/** Operations for the API description only: the provider validates its requests itself. */
const OPERATIONS = {
  [TOKEN_PATH]: {
    summary: 'A token, for a partner or after a device sign-in',
    body: z.object({ grant_type: z.enum(['client_credentials', DEVICE_GRANT]), device_code: text.optional() }),
    response: {
      200: answerOf('A token', z.object({ access_token: text, token_type: text, expires_in: z.int() }), {
        access_token: 'nQ4…',
        token_type: 'Bearer',
        expires_in: 300,
      }),
      400: oauth('authorization_pending, access_denied, expired_token, invalid_grant, …', 'authorization_pending'),
      401: INVALID_CLIENT,
    },
  },
  [REVOCATION_PATH]: {
    summary: 'Revokes a token (RFC 7009)',
    body: z.object({ token: text }),
    response: {
      200: answerOf('The token is invalid now, even if it was invalid before; no body', text, '', 'text/plain'),
      400: oauth('The token is missing', 'invalid_request'),
      401: INVALID_CLIENT,
    },
  },
  [DEVICE_AUTHORIZATION_PATH]: {
    summary: 'A code for a collector to sign in with (RFC 8628)',
    body: z.object({ client_id: text, scope: z.literal('openid').optional() }),
    response: {
      200: answerOf(
        'The codes',
        z.object({
          device_code: text,
          user_code: text,
          verification_uri: text,
          verification_uri_complete: text,
          expires_in: z.int(),
        }),
        {
          device_code: 'k3…',
          user_code: 'WDJB-MJHT',
          verification_uri: 'https://services.example/oidc/device',
          verification_uri_complete: 'https://services.example/oidc/device?user_code=WDJB-MJHT',
          expires_in: 600,
        },
      ),
    },
  },
}

/**
 * Mounts the identity provider: client credentials (RFC 6749 §4.4) for partners, device authorization grant (RFC 8628)
 * for members, opaque tokens. The specifications do not show how tokens are obtained (§5 of specifications 1, 2 and 3);
 * the terminal assumes these flows.
 */
export function identityRoutes(app: FastifyInstance, ctx: Context): void {
  let provider: Provider | undefined
  let handle: ReturnType<Provider['callback']> | undefined
  // The provider is created late, because its issuer is the bound address, which is known only after the server
  // listens.
  const lazyProvider = (): Provider => (provider ??= createProvider(ctx, `${addressOf(app)}${IDENTITY_PATH}`))
  addTokenFaults(app, ctx)
  // The provider parses bodies itself, from the raw stream.
  app.removeAllContentTypeParsers()
  app.register(async (scope) => deviceSignIn(scope, ctx, lazyProvider))
  app.addContentTypeParser('*', (_request, _payload, done) => {
    done(null)
  })
  const pass = (request: FastifyRequest, reply: FastifyReply): void => {
    handle ??= lazyProvider().callback()
    reply.hijack()
    const { raw } = request
    const original = raw.url ?? IDENTITY_PATH
    Object.assign(raw, { originalUrl: original })
    raw.url = original.slice(IDENTITY_PATH.length) || '/'
    handle(raw, reply.raw).catch((error: unknown) => {
      request.log.error({ err: error }, 'identity provider failed')
      reply.raw.destroy()
    })
  }
  for (const [path, operation] of Object.entries(OPERATIONS))
    app.post(path, { schema: { ...operation, tags: ['identity'], consumes: [FORM] } }, pass)
  app.all(`${IDENTITY_PATH}/*`, pass)
}

const DEVICE_PATH = '/device/auth'
const GRANT_TYPES = ['client_credentials', DEVICE_GRANT]
const DAY_SECONDS = 86_400

function createProvider({ settings, artifacts, client, lifetimes, program }: Context, issuer: string): Provider {
  const signingKey = settings.once('identity.signing-key', () =>
    JSON.stringify({
      ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }),
      use: 'sig',
      alg: 'ES256',
    }),
  )
  const provider = new Provider(issuer, {
    adapter: artifacts.adapterOf,
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        grant_types: GRANT_TYPES,
        response_types: [],
        redirect_uris: [],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: 'ES256',
      },
    ],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: { grant_types: GRANT_TYPES, response_types: [], id_token_signed_response_alg: 'ES256' },
    cookies: { keys: [settings.once('identity.cookie-key', () => randomBytes(24).toString('base64url'))] },
    jwks: { keys: [JSON.parse(signingKey) as unknown] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    // Paths of RFC 8628: `/oidc/device/auth` issues a code, `/oidc/device` is the member's page.
    routes: { device_authorization: DEVICE_PATH, code_verification: '/device' },
    // Store and lane to show on the member's page. This is an assumption: no specification has it.
    extraParams: ['store_name', 'lane_id'],
    findAccount: async (_context: unknown, accountId: string) =>
      program.findCollector(accountId)?.state === 'active'
        ? { accountId, claims: async () => ({ sub: accountId }) }
        : undefined,
    ttl: {
      ClientCredentials: () => lifetimes.token,
      AccessToken: () => lifetimes.memberToken,
      IdToken: lifetimes.memberToken,
      Grant: DAY_SECONDS,
      Session: DAY_SECONDS,
      Interaction: 600,
      DeviceCode: lifetimes.memberCode,
      RefreshToken: DAY_SECONDS,
    },
  })
  // The library omits the field `interval` of RFC 8628 §3.2, for which clients then use five seconds, so it is added
  // here.
  provider.use(async (context, next) => {
    await next()
    if (context.path === DEVICE_PATH && context.status === 200)
      Object.assign(context.body ?? {}, { interval: lifetimes.memberPoll })
  })
  return provider
}

function addTokenFaults(app: FastifyInstance, { faults, requests, clock }: Context): void {
  app.addHook('onRequest', async (request, reply) => {
    const path = request.url.split('?', 1)[0] ?? request.url
    requests.receive(request.method, path, request.headers, Buffer.alloc(0), null)
    const fault = faults.strike(path, undefined, clock.now())
    switch (fault?.kind) {
      case 'delay':
        await delay(fault.ms)
        break
      case 'hang-before':
      case 'hang-after':
        leaveUnanswered(reply)
        break
      case 'drop-before':
      case 'drop-after':
        drop(reply)
        break
      case 'answer':
        sendBytes(reply, fault.status, Buffer.from(JSON.stringify(fault.body ?? {})))
        break
      case 'outage':
        sendBytes(reply, 503, Buffer.from(JSON.stringify({ error: 'temporarily_unavailable' })))
        break
      default:
        break
    }
  })
}
