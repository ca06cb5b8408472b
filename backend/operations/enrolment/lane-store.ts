import { createHash, X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { shortFingerprint, type EnrolmentTicket } from '../../../contracts/operations/enrolment-code.ts'
import type { EnrolmentPayload } from '../../../contracts/operations/enrolment.ts'
import { forgetSealed, keepSealed, openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { makeLaneKey, type LaneKey } from '../../../packages/delivery/enrolment/sealing.ts'
import { writeClientSecret } from '../../core/central/client-secret.ts'
import { perLane } from '../../core/context.ts'
import { programOf } from '../../core/program/lane-program.ts'

const Key = z.object({ privateKey: z.string(), publicKey: z.string() })
/** An enrolment that is asked for and not done: with the same key the service gives the same answer again. */
const Pending = z.object({ format: z.literal(1), codeId: z.string(), order: z.string(), at: z.int(), key: Key })

/** The whole of what was asked for, and of whom: the public part of a code stands on the screen, for anybody. */
export function orderOf({ service, code, certificate }: EnrolmentTicket): string {
  // Scanned it was begun with all of the fingerprint, typed it goes on with the first of it.
  const short = certificate === null || certificate.includes('-') ? certificate : shortFingerprint(certificate)
  return createHash('sha256')
    .update(JSON.stringify([service, code.id, code.secret, short]))
    .digest('base64')
}

/** How this lane is known to the store's server, from its enrolment on. */
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
  /** The key of the lane comes from a key store: the client secret goes there too, at the shell's next start. */
  readonly keyStore: boolean
}

const NO_AUTHORITY =
  'the store server sent no certificate of an authority: look at authority.crt in the data folder of the server, put ' +
  'back its backup, and restart the server; the lane trusts the certificate of its enrolment until then'

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

/** What an enrolment keeps in the data folder. */
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

    /** The key to ask with, on the disk before anybody is asked: of an enrolment that was cut off, or a new one. */
    keyFor(ticket: EnrolmentTicket, now: number): LaneKey {
      const [codeId, order] = [ticket.code.id, orderOf(ticket)]
      const before = read('terminal.enrolment', Pending)
      if (before?.order === order) return before.key
      const { at, key } = before?.codeId === codeId ? before : { at: now, key: makeLaneKey() }
      const pending: z.infer<typeof Pending> = { format: 1, codeId, order, at, key }
      keepSealed(dataFolder, masterKey, 'terminal.enrolment', JSON.stringify(pending))
      return key
    },
    giveUp: () => forgetSealed(dataFolder, 'terminal.enrolment'),

    keep({ clientSecret, deviceToken, storeServer }: EnrolmentPayload, ticket: EnrolmentTicket, key: LaneKey): void {
      if (clientSecret !== null) {
        if (keyStore) keepSealed(dataFolder, masterKey, 'client-secret.enrolled', clientSecret)
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
      keepSealed(dataFolder, masterKey, 'terminal.device', JSON.stringify(device))
    },

    /**
     * Pins the store's authority beside the certificate that the lane knows, so that the server may renew it. Returns
     * all pins, or null where nothing changed. A lane that trusts the authorities of its system keeps that. Throws for
     * an authority that cannot be read.
     */
    keepAuthority(pem: string): string | null {
      const device = read('terminal.device', LaneDevice)
      const ca = device?.storeServer?.ca ?? null
      if (device?.storeServer === undefined || device.storeServer === null || ca === null) return null
      const authority = authorityIn(pem)
      if (ca.includes(authority.toString().trim())) return null
      const pins = `${ca.trim()}\n${authority.toString()}`
      const next: LaneDevice = { ...device, storeServer: { ...device.storeServer, ca: pins } }
      keepSealed(dataFolder, masterKey, 'terminal.device', JSON.stringify(next))
      return pins
    },
  }
}
export type LaneStore = ReturnType<typeof createLaneStore>

/** What the lane was given when it was enrolled. */
export const laneStoreOf = perLane((ctx) => {
  const { dataFolder, folder, keyStore } = programOf(ctx)
  return createLaneStore({ dataFolder, masterKey: folder.masterKey, keyStore: keyStore === true })
})
