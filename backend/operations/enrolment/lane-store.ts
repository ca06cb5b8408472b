import { createHash, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { shortFingerprint, type EnrolmentTicket } from '../../../contracts/operations/enrolment-code.ts'
import type { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'
import { forgetSealed, storeSealed, openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { makeLaneKey, type LaneKey } from '../../../packages/delivery/enrolment/sealing.ts'
import { writeClientSecret } from '../../core/central/client-secret.ts'
import { perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

const Key = z.object({ privateKey: z.string(), publicKey: z.string() })
/**
 * An unfinished enrolment with its key pair, because the service repeats its answer only for the same key. `order` in
 * the file: the hash of the ticket.
 */
const Pending = z.object({ format: z.literal(1), codeId: z.string(), order: z.string(), at: z.int(), key: Key })

/** Returns a hash over service, code and certificate: the public part of a code is on the screen and proves nothing. */
export function ticketHashOf({ service, code, certificate }: EnrolmentTicket): string {
  // The whole fingerprint of a scan and the short one that a person types must give the same hash.
  const short = certificate === null || certificate.includes('-') ? certificate : shortFingerprint(certificate)
  return createHash('sha256')
    .update(JSON.stringify([service, code.id, code.secret, short]))
    .digest('base64')
}

/** Address and credentials with which an enrolled lane connects to the store server. */
export const LaneDevice = z.object({
  format: z.literal(1),
  codeId: z.string(),
  service: z.url(),
  certificate: z.string().nullable(),
  storeServer: z.object({ url: z.url(), ca: z.string().nullable() }).nullable(),
  token: z.string(),
  key: Key,
})
export type LaneDevice = z.infer<typeof LaneDevice>

export interface LaneStoreOptions {
  readonly dataFolder: string
  readonly masterKey: Uint8Array
  /**
   * Whether the lane's sealing key comes from a key store: then the next start of the shell moves the client secret
   * there too.
   */
  readonly keyStore: boolean
}

const NO_AUTHORITY =
  'the store server sent no certificate of an authority: check authority.crt in the data folder of the server, ' +
  'restore it from its backup, and restart the server; until then the lane trusts the certificate of its enrolment'

function authorityIn(pem: string): X509Certificate {
  let authority: X509Certificate
  try {
    authority = new X509Certificate(pem)
  } catch (cause) {
    throw new Error(NO_AUTHORITY, { cause })
  }
  if (!authority.ca) throw new Error(NO_AUTHORITY)
  return authority
}

export function createLaneStore({ dataFolder, masterKey, keyStore }: LaneStoreOptions) {
  const read = <T>(name: 'terminal.enrolment' | 'terminal.device', schema: z.ZodType<T>): T | null => {
    const text = openSealed(dataFolder, masterKey, name)
    if (text === null) return null
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      return null
    }
  }
  return {
    pending: () => read('terminal.enrolment', Pending),
    device: () => read('terminal.device', LaneDevice),

    /**
     * Returns the key pair for the request: that of the interrupted enrolment, or a new one, which is stored before the
     * request is sent.
     */
    keyFor(ticket: EnrolmentTicket, now: number): LaneKey {
      const [codeId, ticketHash] = [ticket.code.id, ticketHashOf(ticket)]
      const before = read('terminal.enrolment', Pending)
      if (before?.order === ticketHash) return before.key
      const { at, key } = before?.codeId === codeId ? before : { at: now, key: makeLaneKey() }
      const pending: z.infer<typeof Pending> = { format: 1, codeId, order: ticketHash, at, key }
      storeSealed(dataFolder, masterKey, 'terminal.enrolment', JSON.stringify(pending))
      return key
    },
    giveUp: () => forgetSealed(dataFolder, 'terminal.enrolment'),

    store({ clientSecret, deviceToken, storeServer }: EnrolmentPayload, ticket: EnrolmentTicket, key: LaneKey): void {
      if (clientSecret !== null) {
        if (keyStore) storeSealed(dataFolder, masterKey, 'client-secret.enrolled', clientSecret)
        else writeClientSecret(dataFolder, clientSecret)
      }
      const { service, certificate, code } = ticket
      const device: LaneDevice = {
        format: 1,
        codeId: code.id,
        service,
        certificate,
        storeServer,
        token: deviceToken,
        key,
      }
      storeSealed(dataFolder, masterKey, 'terminal.device', JSON.stringify(device))
    },

    /**
     * Adds the store's own authority to the certificates that the lane trusts, so that the server may renew its
     * certificate. Returns all of them, or null when nothing changed. A lane that trusts the system's authorities keeps
     * doing so. Throws for an authority that cannot be read.
     */
    storeAuthority(pem: string): string | null {
      const device = read('terminal.device', LaneDevice)
      const ca = device?.storeServer?.ca ?? null
      if (device?.storeServer === undefined || device.storeServer === null || ca === null) return null
      const authority = authorityIn(pem)
      if (ca.includes(authority.toString().trim())) return null
      const pins = `${ca.trim()}\n${authority.toString()}`
      const next: LaneDevice = { ...device, storeServer: { ...device.storeServer, ca: pins } }
      storeSealed(dataFolder, masterKey, 'terminal.device', JSON.stringify(next))
      return pins
    },
  }
}
export type LaneStore = ReturnType<typeof createLaneStore>

export const laneStoreOf = perLane((ctx) => {
  const { dataFolder, folder, keyStore } = programOf(ctx)
  return createLaneStore({ dataFolder, masterKey: folder.masterKey, keyStore: keyStore === true })
})
