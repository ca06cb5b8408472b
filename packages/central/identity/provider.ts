import type { FastifyInstance } from 'fastify'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import Provider from 'oidc-provider'
import { type CallDependencies, addressOf } from '../http/call.ts'
import type { Settings } from '../program.ts'
import type { Artifacts } from './artifacts.ts'
import { deviceSignIn } from './device.ts'
import { IDENTITY_PATH } from './bearer.ts'
import { setTimeout as delay } from 'node:timers/promises'
import { drop, hang, sendBytes } from '../http/answer.ts'

export interface PartnerClient {
  readonly clientId: string
  readonly clientSecret: string
}

/** The one partner of training mode. Its secret is made once per data folder. */
export function partnerClient(settings: Settings): PartnerClient {
  return {
    clientId: 'milepost-training',
    clientSecret: settings.once('partner.client-secret', () => randomBytes(24).toString('base64url')),
  }
}

export interface IdentityOptions {
  readonly settings: Settings
  readonly artifacts: Artifacts
  readonly client: PartnerClient
  /** Life of a partner's token in seconds. */
  readonly tokenTtl: number
  /** Life of a member's token in seconds. */
  readonly memberTokenTtl: number
  /** How long a lane waits between two polls for a member, in seconds (RFC 8628 §3.2, `interval`). */
  readonly memberPollInterval: number
  /** Life of a code for a member's phone in seconds. */
  readonly memberCodeTtl: number
  /** Whether this collector may sign in. */
  readonly isMember: (collectorNumber: string) => boolean
  /** Whether this is what the collector types beside the number. */
  readonly hasPin: (collectorNumber: string, pin: string) => boolean
}

/**
 * Mounts the identity provider on the services' own port: client credentials (RFC 6749 §4.4) for partners, the device
 * authorization grant (RFC 8628) for members; opaque tokens. How tokens are obtained is not shown in the specifications
 * (1 §5, 2 §5, 3 §5): these are the flows that the terminal assumes.
 */
export function identityRoutes(options: IdentityOptions) {
  return (app: FastifyInstance): void => {
    let provider: Provider | undefined
    let handle: ReturnType<Provider['callback']> | undefined
    // The issuer is the address that was really bound, known only once the server listens.
    const theProvider = (): Provider => (provider ??= createProvider(`${addressOf(app)}${IDENTITY_PATH}`, options))
    // The provider reads its own bodies from the raw stream.
    app.removeAllContentTypeParsers()
    app.register(async (scope) => {
      deviceSignIn(theProvider, (number, pin) => options.isMember(number) && options.hasPin(number, pin))(scope)
    })
    app.addContentTypeParser('*', (_request, _payload, done) => {
      done(null)
    })
    app.all(`${IDENTITY_PATH}/*`, (request, reply) => {
      handle ??= theProvider().callback()
      reply.hijack()
      const { raw } = request
      const original = raw.url ?? IDENTITY_PATH
      Object.assign(raw, { originalUrl: original })
      raw.url = original.slice(IDENTITY_PATH.length) || '/'
      handle(raw, reply.raw).catch((error: unknown) => {
        request.log.error({ err: error }, 'identity provider failed')
        reply.raw.destroy()
      })
    })
  }
}

const DEVICE_PATH = '/device/auth'
const GRANT_TYPES = ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code']

function createProvider(
  issuer: string,
  {
    settings,
    artifacts,
    client,
    tokenTtl,
    memberTokenTtl,
    memberCodeTtl,
    memberPollInterval,
    isMember,
  }: IdentityOptions,
): Provider {
  const day = 86_400
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
    // The paths of RFC 8628 that the terminal is told about: `/oidc/device/auth` asks for a code, `/oidc/device` is the
    // member's page.
    routes: { device_authorization: DEVICE_PATH, code_verification: '/device' },
    // What a lane says of itself, for the member's page to name (an assumption: no specification shows it).
    extraParams: ['store_name', 'lane_id'],
    findAccount: async (_context: unknown, accountId: string) =>
      isMember(accountId) ? { accountId, claims: async () => ({ sub: accountId }) } : undefined,
    ttl: {
      ClientCredentials: () => tokenTtl,
      AccessToken: () => memberTokenTtl,
      IdToken: memberTokenTtl,
      Grant: day,
      Session: day,
      Interaction: 600,
      DeviceCode: memberCodeTtl,
      RefreshToken: day,
    },
  })
  // The library leaves it out, which stands for five seconds.
  provider.use(async (context, next) => {
    await next()
    if (context.path === DEVICE_PATH && context.status === 200)
      Object.assign(context.body ?? {}, { interval: memberPollInterval })
  })
  return provider
}

/**
 * Faults of the identity provider: those that strike before an answer. Its bodies hold the secret and are not noted.
 */
export function tokenFaults({ faults, requests, clock }: CallDependencies) {
  return (app: FastifyInstance): void => {
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
          hang(reply)
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
}
