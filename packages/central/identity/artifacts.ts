import type { FastifyRequest } from 'fastify'
import type { Adapter } from 'oidc-provider'
import type { Db } from '../db/database.ts'

/** The body of a call without a valid token: a message and no response code (specification 3 §5, §7.2 last row). */
export const NO_TOKEN_BODY = {
  message: 'Missing or invalid bearer token: generate a valid token and resubmit',
} as const

/** The token that a call carries, as it was sent; undefined when the header is missing or malformed. */
export const tokenOf = (request: FastifyRequest): string | undefined =>
  /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]

/** Where the identity provider is mounted. */
export const IDENTITY_PATH = '/oidc'
export const TOKEN_PATH = `${IDENTITY_PATH}/token`
/** Where a token is ended (RFC 7009). */
export const REVOCATION_PATH = `${TOKEN_PATH}/revocation`
/**
 * Where a partner's screen asks for a device code (RFC 8628 §3.1), and the page where the member enters the user code.
 */
export const DEVICE_AUTHORIZATION_PATH = `${IDENTITY_PATH}/device/auth`
export const MEMBER_PAGE_PATH = `${IDENTITY_PATH}/device`

/**
 * The provider's artifacts (tokens, codes, grants) in the services' own database, so that a restart forgets no token.
 */
export interface Artifacts {
  adapterOf(model: string): Adapter
  /** Whether an opaque token stands, and for whom it speaks. */
  findToken(token: string): Bearer | undefined
  /** Ends one token now, whoever holds it. */
  revoke(token: string): void
  /** Ends every token that was given out. Returns how many. */
  revokeAll(): number
  /** The revocation switch: while false, no token stands, not even a fresh one. */
  accepting: boolean
}

/** For whom a token speaks: a partner (machine to machine), or a collector who signed in at a partner's screen. */
export type Bearer =
  | { readonly kind: 'partner'; readonly clientId: string }
  | { readonly kind: 'member'; readonly clientId: string; readonly collectorNumber: string }

interface Kept {
  readonly payload: Record<string, unknown>
  readonly expiresAt: number | null
}
interface Row {
  id: string
  payload: string
  expires_at: number | null
}

const PARTNER_TOKEN = 'ClientCredentials'
const MEMBER_TOKEN = 'AccessToken'

export function createArtifacts(db: Db): Artifacts {
  const put = db.prepare(`
    INSERT INTO oidc_artifact (model, id, payload, grant_id, user_code, uid, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`)
  const get = db.prepare<[string, string], Row>(
    'SELECT id, payload, expires_at FROM oidc_artifact WHERE model = ? AND id = ?',
  )
  const getByUserCode = db.prepare<[string, string], Row>(
    'SELECT id, payload, expires_at FROM oidc_artifact WHERE model = ? AND user_code = ?',
  )
  const getByUid = db.prepare<[string, string], Row>(
    'SELECT id, payload, expires_at FROM oidc_artifact WHERE model = ? AND uid = ?',
  )
  const remove = db.prepare('DELETE FROM oidc_artifact WHERE model = ? AND id = ?')
  const removeByGrant = db.prepare('DELETE FROM oidc_artifact WHERE grant_id = ?')
  const removeExpired = db.prepare('DELETE FROM oidc_artifact WHERE expires_at <= ?')
  const removeTokens = db.prepare(
    "DELETE FROM oidc_artifact WHERE model IN ('ClientCredentials', 'AccessToken', 'RefreshToken')",
  )
  // Every call is checked against its token: the ones in use are kept at hand.
  const tokens = new Map<string, Kept>()

  const standing = (row: Row | undefined): Kept | undefined =>
    row && (row.expires_at === null || row.expires_at > Date.now())
      ? { payload: JSON.parse(row.payload) as Record<string, unknown>, expiresAt: row.expires_at }
      : undefined
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  let accepting = true

  const keep = (token: string): Kept | undefined => {
    const kept = standing(get.get(PARTNER_TOKEN, token)) ?? standing(get.get(MEMBER_TOKEN, token))
    if (!kept) return undefined
    if (tokens.size >= 1_000) tokens.clear()
    tokens.set(token, kept)
    return kept
  }

  return {
    get accepting() {
      return accepting
    },
    set accepting(value) {
      accepting = value
    },
    adapterOf: (model) => ({
      upsert: async (id, payload, expiresIn) => {
        removeExpired.run(Date.now())
        const expiresAt = expiresIn === undefined ? null : Date.now() + expiresIn * 1000
        put.run(
          model,
          id,
          JSON.stringify(payload),
          text(payload.grantId),
          text(payload.userCode),
          text(payload.uid),
          expiresAt,
        )
      },
      find: async (id) => standing(get.get(model, id))?.payload,
      findByUserCode: async (userCode) => standing(getByUserCode.get(model, userCode))?.payload,
      findByUid: async (uid) => standing(getByUid.get(model, uid))?.payload,
      consume: async (id) => {
        const row = get.get(model, id)
        const found = standing(row)
        if (row && found) {
          const payload: Record<string, unknown> = { ...found.payload, consumed: Math.floor(Date.now() / 1000) }
          put.run(
            model,
            id,
            JSON.stringify(payload),
            text(payload.grantId),
            text(payload.userCode),
            text(payload.uid),
            row.expires_at,
          )
        }
      },
      destroy: async (id) => {
        tokens.delete(id)
        // mutant: revoked-token-stands
        remove.run(model, id)
      },
      revokeByGrantId: async (grantId) => {
        tokens.clear()
        removeByGrant.run(grantId)
      },
    }),
    findToken(token) {
      if (!accepting) return undefined
      const kept = tokens.get(token) ?? keep(token)
      if (!kept) return undefined
      if (kept.expiresAt !== null && kept.expiresAt <= Date.now()) {
        tokens.delete(token)
        return undefined
      }
      const clientId = text(kept.payload.clientId)
      if (clientId === null) return undefined
      const collectorNumber = text(kept.payload.accountId)
      return collectorNumber === null ? { kind: 'partner', clientId } : { kind: 'member', clientId, collectorNumber }
    },
    revoke(token) {
      tokens.delete(token)
      for (const model of [PARTNER_TOKEN, MEMBER_TOKEN]) remove.run(model, token)
    },
    revokeAll() {
      tokens.clear()
      return removeTokens.run().changes
    },
  }
}
