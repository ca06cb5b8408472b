import { destination } from 'pino'
import type { LaneFinding } from '../../../contracts/operations/lane-check-page.ts'
import type { ConnectionCause } from '../../../contracts/operations/connection.ts'
import type { Localized } from '../../../contracts/core/locales.ts'
import { clientCredentials, createTokenSource } from '../../core/central/token.ts'
import { readClientSecret } from '../../core/central/client-secret.ts'
import { systemClock } from '../../core/clock.ts'
import { type Place, hostOf, placesOf, probeConnection, probeName, probeTls } from '../connection/probes.ts'
import { createLogger } from '../../core/log.ts'
import { finding, inEach } from './finding.ts'
import { otherOwner, type ProbedPlace, type ReadLane, type TokenAnswer } from './lane.ts'

const DAY_MS = 86_400_000
/** Timeout of each step (name lookup, connection, handshake) of one place, and of the token request, in ms. */
const STEP_MS = 2_500

function endpointsOf({ running, read }: ReadLane) {
  if (running !== null) return running.endpoints
  return read.kind === 'good' ? (read.profile.endpoints ?? null) : null
}

export async function probePlaces(lane: ReadLane, signal: AbortSignal): Promise<readonly ProbedPlace[] | null> {
  const endpoints = endpointsOf(lane)
  if (endpoints === null || lane.read.kind !== 'good') return null
  const { certificateWarnDays } = lane.read.profile.connection
  return Promise.all(
    placesOf(endpoints).map((place) => probePlace(place, certificateWarnDays, lane.now().getTime(), signal)),
  )
}

async function probePlace(place: Place, warnDays: number, nowMs: number, signal: AbortSignal): Promise<ProbedPlace> {
  const seen = (cause: ConnectionCause | null, code: string | null, validTo: string | null = null): ProbedPlace => ({
    place,
    cause,
    code,
    validTo,
  })
  const named = await orLate(probeName(place), signal)
  if (named.cause !== null) return seen(named.cause, named.code)
  const step = (): AbortSignal => AbortSignal.any([signal, AbortSignal.timeout(STEP_MS)])
  const connected = await probeConnection(place, step())
  if (connected.cause !== null || !place.encrypted) return seen(connected.cause, connected.code)
  const { cause, code, validTo } = await probeTls(place, { signal: step(), warnDays, nowMs })
  return seen(cause, code, validTo)
}

/** The system cannot cancel a name lookup, so a result after the timeout is ignored. */
const orLate = async (work: ReturnType<typeof probeName>, signal: AbortSignal): ReturnType<typeof probeName> => {
  const ending = new AbortController()
  const late = AbortSignal.any([signal, AbortSignal.timeout(STEP_MS), ending.signal])
  const waited = new Promise<{ cause: ConnectionCause; code: null }>((resolve) => {
    late.addEventListener(
      'abort',
      () => {
        resolve({ cause: 'dns-no-answer', code: null })
      },
      { once: true },
    )
  })
  try {
    return await Promise.race([work, waited])
  } finally {
    ending.abort()
  }
}

const isOfCertificate = (cause: ConnectionCause): boolean => cause.startsWith('certificate')

const causeText = (cause: ConnectionCause, code: string | null): Localized =>
  inEach((t) => `${t(`screens.connection.cause.${cause}`)}${code === null ? '' : ` (${code})`}`)
const todoText = (cause: ConnectionCause): Localized => inEach((t) => t(`screens.connection.todo.${cause}`))

export function networkFindings(lane: ReadLane, places: readonly ProbedPlace[] | null): LaneFinding[] {
  if (lane.read.kind !== 'good') return [finding('needs-profile')]
  if (places === null) return [finding('network-training')]
  return places.map(({ place, cause, code }) => {
    const named = {
      host: hostOf(place),
      services: inEach((t) => place.services.map((service) => t(`screens.connection.service.${service}`)).join(', ')),
    }
    if (cause !== null && !isOfCertificate(cause))
      return finding('place-failed', { ...named, cause: causeText(cause, code), todo: todoText(cause) })
    return finding(place.proxy === null ? 'place-reached' : 'place-reached-by-proxy', named)
  })
}

export function certificateFindings(lane: ReadLane, places: readonly ProbedPlace[] | null): LaneFinding[] {
  if (lane.read.kind !== 'good') return [finding('needs-profile')]
  if (places === null) return [finding('network-training')]
  const now = lane.now().getTime()
  return places.map(({ place, cause, code, validTo }) => {
    const host = hostOf(place)
    if (!place.encrypted) return finding('certificate-plain', { host })
    const days = validTo === null ? 0 : Math.floor((Date.parse(validTo) - now) / DAY_MS)
    if (cause === 'certificate-ends-soon') return finding('certificate-ends-soon', { host, days })
    if (cause !== null && isOfCertificate(cause))
      return finding('certificate-wrong', { host, cause: causeText(cause, code), todo: todoText(cause) })
    return cause === null ? finding('certificate-good', { host, days }) : finding('certificate-unseen', { host })
  })
}

const ANSWERS = {
  accepted: 'secret-accepted',
  refused: 'secret-refused',
  'no-answer': 'authorization-unseen',
} as const satisfies Record<TokenAnswer, string>

/** Checks whether the token service issues a token, which has no effect. */
export async function checkAuthorization(lane: ReadLane): Promise<LaneFinding[]> {
  if (lane.running !== null) return [finding(ANSWERS[await lane.running.requestToken()])]
  if (lane.read.kind !== 'good') return [finding('needs-profile')]
  return [finding(ANSWERS[await requestToken(lane)])]
}

async function requestToken(lane: ReadLane): Promise<TokenAnswer> {
  const endpoints = endpointsOf(lane)
  if (endpoints === null || lane.read.kind !== 'good') return 'no-answer'
  // The credentials of this folder's lane must not go to the server of another lane's profile; a start refuses it too.
  if (otherOwner(lane) !== null) return 'no-answer'
  const clientSecret = secretOf(lane)
  if (clientSecret === null) return 'no-answer'
  const { url: tokenUrl, clientId, scope } = endpoints.token
  const tokens = createTokenSource({
    grant: clientCredentials({ tokenUrl, clientId, clientSecret, scope, timeoutMs: STEP_MS }),
    clock: systemClock,
    log: createLogger({ level: 'silent', destination: destination({ fd: 2, sync: true }) }),
  })
  const token = await tokens.current()
  return token.kind === 'token' ? 'accepted' : token.cause === 'refused' ? 'refused' : 'no-answer'
}

/** Returns the client secret; null for one that others can read, which another check reports. */
function secretOf({ dataFolder, environment }: ReadLane): string | null {
  try {
    return readClientSecret(dataFolder, environment)
  } catch {
    return null
  }
}
