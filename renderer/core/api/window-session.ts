import {
  OtherProgramError,
  openWindowKey,
  verifyLane,
  WINDOW_HEADER,
  type AskLane,
  type WindowKey,
} from '../../../contracts/core/window.ts'
import { parseProblem } from './problem.ts'

/** How long the lane may take to prove that it is the lane. */
const PROOF_TIMEOUT_MS = 10_000

/** In the memory of this page alone: another program that takes the address later finds no trace of it. */
let own: WindowKey | null = null
/** The header for the run of the lane that was verified last. */
let verified: Promise<string> | null = null

/** The development server passes calls on, so that its pages have another address than the lane. */
const host = (): string => import.meta.env.VITE_LANE_HOST ?? location.host

export const hasWindowKey = (): boolean => own !== null

export async function spendLaunchToken(token: string, ask: AskLane): Promise<void> {
  own = await openWindowKey(ask, host(), token)
  verified = null
}

/** Whoever answers next may be another program: it is asked for a proof before it is sent anything more. */
export const doubtLane = (): void => {
  verified = null
}

async function askRun(_method: string, path: string): Promise<unknown> {
  const response = await fetch(path, { signal: AbortSignal.timeout(PROOF_TIMEOUT_MS) })
  const answer: unknown = await response.json()
  if (!response.ok) throw parseProblem(answer)
  return answer
}

async function verifiedHeader(key: WindowKey): Promise<string> {
  const header = (verified ??= verifyLane(askRun, host(), key))
  try {
    return await header
  } catch (error) {
    if (verified === header) verified = null
    throw error
  }
}

/** The lane proves that it is the lane at this moment: what it sends next may be run. Throws as `fetchFromLane`. */
export async function proveLane(): Promise<void> {
  doubtLane()
  if (own !== null) await verifiedHeader(own)
}

// For the guard of the page, which is no module (loading/reload-guard.js).
Object.assign(globalThis, { proveLane })

/** As `fetch`, to the verified lane. Throws OtherProgramError; ApiProblem where the window has ended; as `fetch`. */
export async function fetchFromLane(input: Request, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init)
  if (own === null) return fetch(request)
  const header = await verifiedHeader(own)
  const again = request.clone()
  try {
    const response = await askLane(shown(request, header))
    if (response.status !== 401) return response
    doubtLane()
    const next = await verifiedHeader(own)
    // The lane has started again: the header was for its run before.
    return next === header ? response : await askLane(shown(again, next))
  } catch (error) {
    doubtLane()
    throw error
  }
}

/** A browser repeats a question whose connection broke: by then another program may have the port of the lane. */
async function askLane(request: Request): Promise<Response> {
  const response = await fetch(request)
  if (response.status < 500 && !response.headers.has('x-correlation-id')) throw new OtherProgramError()
  return response
}

function shown(request: Request, header: string): Request {
  request.headers.set(WINDOW_HEADER, header)
  return request
}
