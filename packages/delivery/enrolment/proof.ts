import { type KeyObject, createHash, createPrivateKey, hkdfSync, randomBytes, sign, verify } from 'node:crypto'
import { z } from 'zod'
import { type LaneKey, keysOf, openAs, openWith, sealWith } from './sealing.ts'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { writeWhole } from '../whole-file.ts'
import type { EnrolmentCode } from '../../../contracts/operations/enrolment-code.ts'
import { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'

/**
 * Proof that a caller has the private key of its lane, created for each call, after DPoP (RFC 9449): a compact JWS over
 * the method, the path, the token, the body and a nonce of the server. Differences and reasons: decision 26.
 * See docs/decisions/0026-enrolment-and-proof-of-possession.md.
 */
export const PROOF_HEADER = 'lane-proof'
/** Header with the nonce for the next call, in each response to a proof that the lane's key signed. */
export const NONCE_HEADER = 'lane-nonce'
/**
 * Reason to reject a proof with no nonce, an old nonce, or an id that was used before: the caller signs again and
 * retries.
 */
export const NONCE_REFUSED = 'nonce'

/** The only JWS header that is accepted: no algorithm is negotiated. */
const HEADER = Buffer.from('{"alg":"ES256","typ":"milepost-proof+jwt"}').toString('base64url')
const MAX_PROOF_CHARACTERS = 2_048
const ID_BYTES = 16

const Digest = z.string().regex(/^[\w-]{43}$/)
const Payload = z.object({
  jti: z.string().regex(/^[\w-]{22}$/),
  htm: z.string(),
  /** Path of the call without the host: a lane may know its server by several names. */
  path: z.string(),
  ath: Digest,
  body: Digest,
  nonce: z.string().max(64).optional(),
})
export type ProofPayload = z.infer<typeof Payload>

export const digestOf = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('base64url')

export interface ProvenCall {
  readonly method: string
  readonly path: string
  readonly body: string
}

export interface LaneProver {
  headers(call: ProvenCall): Readonly<Record<string, string>>
  take(nonce: string | string[] | undefined): void
}

export interface LaneCredentials {
  readonly token: string
  readonly key: LaneKey
}

export function createProver({ token, key }: LaneCredentials): LaneProver {
  const privateKey = createPrivateKey({ key: Buffer.from(key.privateKey, 'base64'), format: 'der', type: 'pkcs8' })
  const ath = digestOf(token)
  let nonce: string | undefined
  return {
    headers: ({ method, path, body }) => ({
      authorization: `Bearer ${token}`,
      [PROOF_HEADER]: signed(privateKey, {
        jti: randomBytes(ID_BYTES).toString('base64url'),
        htm: method,
        path,
        ath,
        body: digestOf(body),
        nonce,
      }),
    }),
    take(next) {
      if (typeof next === 'string') nonce = next
    },
  }
}

function signed(key: KeyObject, payload: ProofPayload): string {
  const input = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`
  return `${input}.${sign('sha256', Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' }).toString('base64url')}`
}

/** Returns the payload of a proof, its JWT claims; null if the proof is malformed or not signed by this key. */
export function readProof(key: KeyObject, proof: string): ProofPayload | null {
  if (proof.length > MAX_PROOF_CHARACTERS) return null
  const [header, payload = '', signature = '', ...rest] = proof.split('.')
  if (header !== HEADER || rest.length > 0) return null
  const input = Buffer.from(`${header}.${payload}`)
  const bytes = Buffer.from(signature, 'base64url')
  if (!verify('sha256', input, { key, dsaEncoding: 'ieee-p1363' }, bytes)) return null
  try {
    return Payload.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))).data ?? null
  } catch {
    return null
  }
}

/**
 * Secrets in a lane's data folder, sealed with the lane's own key, which may be in a key store.
 */
export type SealedName = 'client-secret.enrolled' | 'terminal.enrolment' | 'terminal.device' | 'mail-password.sealed'

const keyOf = (laneKey: Uint8Array, name: SealedName): Buffer =>
  Buffer.from(hkdfSync('sha256', laneKey, Buffer.alloc(0), `milepost ${name} 1`, 32))

export function storeSealed(dataFolder: string, laneKey: Uint8Array, name: SealedName, text: string): void {
  writeWhole(path.join(dataFolder, name), sealWith(keyOf(laneKey, name), name, Buffer.from(text)))
}

/** Opens a sealed file; null if it is missing or was sealed with another key. */
export function openSealed(dataFolder: string, laneKey: Uint8Array, name: SealedName): string | null {
  const file = path.join(dataFolder, name)
  if (!existsSync(file)) return null
  return openWith(keyOf(laneKey, name), name, readFileSync(file))?.toString('utf8') ?? null
}

export const forgetSealed = (dataFolder: string, name: SealedName): void =>
  rmSync(path.join(dataFolder, name), { force: true })

export const aboutPayload = (id: string, { store, lane }: { readonly store: string; readonly lane: string }): string =>
  `milepost enrolment payload 1\n${JSON.stringify([id, store, lane])}`

export const aboutAnswer = (id: string): string => `milepost enrolment answer 1\n${id}`

/**
 * Decrypts the server's answer to an enrolment, first with the lane's key and then with the enrolment code, which
 * proves that the payload comes from the creator of the code. Returns null if either fails.
 */
export async function openAnswer(
  answer: Uint8Array,
  lane: { readonly store: string; readonly lane: string; readonly code: EnrolmentCode; readonly key: LaneKey },
): Promise<EnrolmentPayload | null> {
  const { id } = lane.code
  const sealed = openAs(lane.key, aboutAnswer(id), answer)
  const bytes = sealed && openWith((await keysOf(lane.code)).opens, aboutPayload(id, lane), sealed)
  if (!bytes) return null
  try {
    return EnrolmentPayload.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return null
  }
}
