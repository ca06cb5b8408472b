import type { FastifyInstance } from 'fastify'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import Provider from 'oidc-provider'
import { addressOf } from '../http/address.ts'
import type { Settings } from '../program/settings.ts'
import type { Artifacts } from './artifacts.ts'

/** Where the identity provider is mounted; its token endpoint is `/oidc/token`. */
export const IDENTITY_PATH = '/oidc'
export const TOKEN_PATH = `${IDENTITY_PATH}/token`

export interface PartnerClient { readonly clientId: string, readonly clientSecret: string }

/** The one partner of training mode. Its secret is made once per data folder. */
export function partnerClient(settings: Settings): PartnerClient {
  return { clientId: 'milepost-training', clientSecret: settings.once('partner.client-secret', () => randomBytes(24).toString('base64url')) }
}

export interface IdentityOptions {
  readonly settings: Settings
  readonly artifacts: Artifacts
  readonly client: PartnerClient
  /** Life of a partner's token in seconds. */
  readonly tokenTtl: number
}

/**
 * Mounts the identity provider on the services' own port: client credentials (RFC 6749 §4.4), opaque tokens.
 * How tokens are obtained is not shown in the specification (3 §5): this is the flow that the terminal assumes.
 */
export function identityRoutes(options: IdentityOptions) {
  return (app: FastifyInstance): void => {
    let handle: ReturnType<Provider['callback']> | undefined
    // The provider reads its own bodies from the raw stream.
    app.removeAllContentTypeParsers()
    app.addContentTypeParser('*', (_request, _payload, done) => { done(null) })
    app.all(`${IDENTITY_PATH}/*`, (request, reply) => {
      // The issuer is the address that was really bound, known only once the server listens.
      handle ??= createProvider(`${addressOf(app)}${IDENTITY_PATH}`, options).callback()
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

function createProvider(issuer: string, { settings, artifacts, client, tokenTtl }: IdentityOptions): Provider {
  const day = 86_400
  const signingKey = settings.once('identity.signing-key', () =>
    JSON.stringify({ ...generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }))
  return new Provider(issuer, {
    adapter: artifacts.adapterOf,
    clients: [{
      client_id: client.clientId,
      client_secret: client.clientSecret,
      grant_types: ['client_credentials'],
      response_types: [],
      redirect_uris: [],
      token_endpoint_auth_method: 'client_secret_basic',
      id_token_signed_response_alg: 'ES256',
    }],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post'],
    clientDefaults: { grant_types: ['client_credentials'], response_types: [], id_token_signed_response_alg: 'ES256' },
    cookies: { keys: [settings.once('identity.cookie-key', () => randomBytes(24).toString('base64url'))] },
    jwks: { keys: [JSON.parse(signingKey) as unknown] },
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: async () => true },
      revocation: { enabled: true, allowedPolicy: async () => true },
    },
    findAccount: async () => undefined,
    ttl: { ClientCredentials: () => tokenTtl, AccessToken: tokenTtl, IdToken: tokenTtl, Grant: day, Session: day, Interaction: 600, DeviceCode: 600, RefreshToken: day },
  })
}
