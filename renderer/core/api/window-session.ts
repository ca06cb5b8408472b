import {
  OtherProgramError,
  openWindowKey,
  verifyLane,
  WINDOW_HEADER,
  type CallLane,
  type WindowKey,
} from '../../../contracts/core/window.ts'
import { parseProblem } from './problem.ts'

const PROOF_TIMEOUT_MS = 10_000

/**
 * This window's session key, only in the memory of this page: another program that takes the address later cannot read
 * it.
 */
let own: WindowKey | null = null
/** The window's authentication header, valid until the lane restarts; null before the lane has proved its identity. */
let verified: Promise<string> | null = null

/** Address of the lane. The development server proxies calls, so its pages have another address than the lane. */
const host = (): string => import.meta.env.VITE_LANE_HOST ?? location.host

export const hasWindowKey = (): boolean => own !== null

export async function openWithLaunchToken(token: string, ask: CallLane): Promise<void> {
  own = await openWindowKey(ask, host(), token)
  verified = null
}

/** Requires a new proof of identity before the next request, because another program may answer from now on. */
export const requireProof = (): void => {
  verified = null
}

async function requestRun(_method: string, path: string): Promise<unknown> {
  const response = await fetch(path, { signal: AbortSignal.timeout(PROOF_TIMEOUT_MS) })
  const answer: unknown = await response.json()
  if (!response.ok) throw parseProblem(answer)
  return answer
}

async function verifiedHeader(key: WindowKey): Promise<string> {
  const header = (verified ??= verifyLane(requestRun, host(), key))
  try {
    return await header
  } catch (error) {
    if (verified === header) verified = null
    throw error
  }
}

/**
 * Makes the lane prove its identity now, so that code it sends next may run. Throws the same errors as `fetchFromLane`.
 */
export async function proveLane(): Promise<void> {
  requireProof()
  if (own !== null) await verifiedHeader(own)
}

// The page's reload guard calls this function; it is not a module (loading/reload-guard.js).
Object.assign(globalThis, { proveLane })

/**
 * Fetches from the verified lane. Throws OtherProgramError, ApiProblem if the window's session has ended, or the errors
 * of `fetch`.
 */
export async function fetchFromLane(input: Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  if (own === null) return fetch(request)
  const header = await verifiedHeader(own)
  const again = request.clone()
  try {
    const response = await sendToLane(withHeader(request, header))
    if (response.status !== 401) return response
    requireProof()
    const next = await verifiedHeader(own)
    // After a restart of the lane, the header of its previous run is invalid.
    return next === header ? response : await sendToLane(withHeader(again, next))
  } catch (error) {
    requireProof()
    throw error
  }
}

/**
 * Sends a request, and rejects an answer below status 500 without the terminal's correlation id: browsers retry a
 * request whose connection broke, and by then another program may have the lane's port.
 */
async function sendToLane(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.status < 500 && !response.headers.has('x-correlation-id')) throw new OtherProgramError()
  return response
}

function withHeader(request: Request, header: string): Request {
  request.headers.set(WINDOW_HEADER, header)
  return request
}
