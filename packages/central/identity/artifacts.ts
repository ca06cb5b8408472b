import type { FastifyRequest } from 'fastify'
import type { Adapter } from 'oidc-provider'
import type { Db } from '../db/database.ts'

/** Body of an answer 401: a message without a response code (specification 3 §5, §7.2 last row). */
export const NO_TOKEN_BODY = {
  message: 'Missing or invalid bearer token: generate a valid token and resubmit',
} as const

export const tokenOf = (request: FastifyRequest): string | undefined =>
  /^Bearer ([A-Za-z0-9\-._~+/]+=*)$/i.exec(request.headers.authorization ?? '')?.[1]

export const IDENTITY_PATH = '/oidc'
export const TOKEN_PATH = `${IDENTITY_PATH}/token`
/** Path of token revocation (RFC 7009). */
export const REVOCATION_PATH = `${TOKEN_PATH}/revocation`
/**
 * Paths of the device authorization endpoint (RFC 8628 §3.1), and of the page where the member enters the user code.
 */
export const DEVICE_AUTHORIZATION_PATH = `${IDENTITY_PATH}/device/auth`
export const MEMBER_PAGE_PATH = `${IDENTITY_PATH}/device`

/** Stores the provider's artifacts (tokens, codes, grants) in the database, so that tokens survive a restart. */
export interface Artifacts {
  adapterOf(model: string): Adapter
  findToken(token: string): Bearer | undefined
  revoke(token: string): void
  revokeAll(): number
  /** While false, every token is invalid, including new ones. */
  accepting: boolean
}

export type Bearer =
  | { readonly kind: 'partner'; readonly clientId: string }
  | { readonly kind: 'member'; readonly clientId: string; readonly collectorNumber: string }

interface StoredToken {
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

type Artifact = Record<string, unknown>

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
const readValid = (row: Row | undefined): StoredToken | undefined =>
  row && (row.expires_at === null || row.expires_at > Date.now())
    ? { payload: JSON.parse(row.payload) as Artifact, expiresAt: row.expires_at }
    : undefined

export function createArtifacts(db: Db): Artifacts {
  const rows = artifactRows(db)
  // Cache of the tokens in use, because every call checks its token.
  const tokens = new Map<string, StoredToken>()
  let accepting = true

  const load = (token: string): StoredToken | undefined => {
    const stored = readValid(rows.get(PARTNER_TOKEN, token)) ?? readValid(rows.get(MEMBER_TOKEN, token))
    if (!stored) return undefined
    if (tokens.size >= 1_000) tokens.clear()
    tokens.set(token, stored)
    return stored
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
        rows.removeExpired(Date.now())
        rows.put(model, id, payload, expiresIn === undefined ? null : Date.now() + expiresIn * 1000)
      },
      find: async (id) => readValid(rows.get(model, id))?.payload,
      findByUserCode: async (userCode) => readValid(rows.getByUserCode(model, userCode))?.payload,
      findByUid: async (uid) => readValid(rows.getByUid(model, uid))?.payload,
      consume: async (id) => {
        const found = readValid(rows.get(model, id))
        if (found) rows.put(model, id, { ...found.payload, consumed: Math.floor(Date.now() / 1000) }, found.expiresAt)
      },
      destroy: async (id) => {
        tokens.delete(id)
        rows.remove(model, id)
      },
      revokeByGrantId: async (grantId) => {
        tokens.clear()
        rows.removeByGrant(grantId)
      },
    }),
    findToken(token) {
      if (!accepting) return undefined
      const stored = tokens.get(token) ?? load(token)
      if (!stored) return undefined
      if (stored.expiresAt !== null && stored.expiresAt <= Date.now()) {
        tokens.delete(token)
        return undefined
      }
      const clientId = text(stored.payload.clientId)
      if (clientId === null) return undefined
      const collectorNumber = text(stored.payload.accountId)
      return collectorNumber === null ? { kind: 'partner', clientId } : { kind: 'member', clientId, collectorNumber }
    },
    revoke(token) {
      tokens.delete(token)
      for (const model of [PARTNER_TOKEN, MEMBER_TOKEN]) rows.remove(model, token)
    },
    revokeAll() {
      tokens.clear()
      return rows.removeTokens()
    },
  }
}

function artifactRows(db: Db) {
  const by = (column: 'id' | 'user_code' | 'uid') =>
    db.prepare<[string, string], Row>(
      `SELECT id, payload, expires_at FROM oidc_artifact WHERE model = ? AND ${column} = ?`,
    )
  const [byId, byUserCode, byUid] = [by('id'), by('user_code'), by('uid')]
  const put = db.prepare(`
    INSERT INTO oidc_artifact (model, id, payload, grant_id, user_code, uid, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (model, id) DO UPDATE SET payload = excluded.payload, grant_id = excluded.grant_id,
      user_code = excluded.user_code, uid = excluded.uid, expires_at = excluded.expires_at`)
  const remove = db.prepare('DELETE FROM oidc_artifact WHERE model = ? AND id = ?')
  const removeByGrant = db.prepare('DELETE FROM oidc_artifact WHERE grant_id = ?')
  const removeExpired = db.prepare('DELETE FROM oidc_artifact WHERE expires_at <= ?')
  const removeTokens = db.prepare(
    "DELETE FROM oidc_artifact WHERE model IN ('ClientCredentials', 'AccessToken', 'RefreshToken')",
  )
  return {
    get: (model: string, id: string) => byId.get(model, id),
    getByUserCode: (model: string, userCode: string) => byUserCode.get(model, userCode),
    getByUid: (model: string, uid: string) => byUid.get(model, uid),
    put(model: string, id: string, payload: Artifact, expiresAt: number | null): void {
      const { grantId, userCode, uid } = payload
      put.run(model, id, JSON.stringify(payload), text(grantId), text(userCode), text(uid), expiresAt)
    },
    remove: (model: string, id: string) => remove.run(model, id),
    removeByGrant: (grantId: string) => removeByGrant.run(grantId),
    removeExpired: (now: number) => removeExpired.run(now),
    removeTokens: () => removeTokens.run().changes,
  }
}
