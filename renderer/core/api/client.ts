import ky, { isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import { KEY_HEADER, OtherProgramError } from '../../../contracts/core/window.ts'
import { loadChunk } from '../loading/chunks.ts'
import { ApiProblem, parseProblem } from './problem.ts'
import {
  route,
  type AnswerTo,
  type Call,
  type Changes,
  type GetRoutes,
  type Readings,
  type RouteName,
} from './routes.ts'
import { requireProof, fetchFromLane, openWithLaunchToken } from './window-session.ts'
import type { z } from 'zod'
import type { OpenSession } from '../../../contracts/staff/session.ts'

/**
 * Time limit of a local call: the lane answers from its own disk. A call that waits for the program's services sets its
 * own limit.
 */
const LOCAL_TIMEOUT_MS = 10_000
/** Delay before a command whose answer was lost is resent, in milliseconds; doubles up to the maximum. */
const RETRY_MS = 250
const MAX_RETRY_MS = 2_000
/** A call for which a person waits fails after this time, or after its own time limit if that is longer. */
const WAIT_LIMIT_MS = 15_000

export const http = ky.create({
  prefix: '/api',
  retry: 0,
  timeout: LOCAL_TIMEOUT_MS,
  fetch: (input, init) => fetchFromLane(input as Request, init),
})

interface CallOptions {
  readonly params?: Readonly<Record<string, string | number>>
  readonly json?: unknown
  readonly search?: Readonly<Record<string, string | number | undefined>>
  /** A file that is sent unchanged, instead of `json`. */
  readonly body?: Blob
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Whether the error is the answer of a server that is stopping, or of a proxy. The terminal's own errors are
 * problem+json.
 */
const isServerStopping = (error: unknown): boolean =>
  isHTTPError(error) &&
  error.response.status >= 500 &&
  error.response.headers.get('content-type')?.startsWith('application/problem+json') !== true

/** Time at which the last unanswered call failed or was retried, in milliseconds of `performance.now()`. */
let unansweredAt = 0
interface AnswerListener {
  /** Called for every answer, also a rejection, to a request that was sent after the last unanswered call. */
  readonly onAnswer: () => void
  /** Called from a command's second retry on, because the screen must not imply that the command was executed. */
  readonly onRetry: () => void
}
let listener: AnswerListener = { onAnswer: () => undefined, onRetry: () => undefined }

export const onAnswers = (next: AnswerListener): void => {
  listener = next
}

const noteAnswer = (askedAt: number): void => {
  if (askedAt >= unansweredAt) listener.onAnswer()
}

interface Command {
  readonly key: string
  /** A command of the command queue is retried until it is answered; a command for which a person waits is not. */
  readonly untilAnswered: boolean
}

/**
 * Options of a command that is retried with its own idempotency key: the backend executes it once and repeats its
 * answer.
 */
const retryOptions = ({ key, untilAnswered }: Command, timeoutMs: number, onLost: () => void) => ({
  headers: { [KEY_HEADER]: key },
  totalTimeout: untilAnswered ? (false as const) : Math.max(WAIT_LIMIT_MS, timeoutMs),
  retry: {
    limit: Number.MAX_SAFE_INTEGER,
    methods: ['post' as const, 'put' as const],
    delay: (attempt: number) => Math.min(RETRY_MS * 2 ** (attempt - 1), MAX_RETRY_MS),
    // Every response of the terminal counts as an answer, also a rejection.
    shouldRetry({ error, retryCount }: { error: Error; retryCount: number }) {
      const lost = isNetworkError(error) || isTimeoutError(error) || isServerStopping(error)
      if (lost) onLost()
      if (lost && retryCount > 1) listener.onRetry()
      return lost
    },
  },
})

/**
 * Text with as many digits as the shortest collector number (11); the card number check is loaded for such text only.
 */
const MANY_DIGITS = /(?:\P{Nd}*\p{Nd}){11}/u

/** Method and path of a route; the path is relative to `/api` and contains these params. */
export function addressOf(
  name: RouteName,
  params: CallOptions['params'] = {},
): readonly [method: string, path: string] {
  const [method = '', path = ''] = name.split(' /')
  return [method, path.replace(/:(\w+)/g, (_all, key: string) => encodeURIComponent(params[key] ?? ''))]
}

/** Calls a route. Returns the parsed body, undefined for 204. */
async function call<Name extends RouteName>(
  name: Name,
  options: CallOptions = {},
  command: Command | null = null,
): Promise<AnswerTo<Name>> {
  const { params, json = command ? {} : undefined, body, search, timeoutMs = LOCAL_TIMEOUT_MS, signal } = options
  const [method, path] = addressOf(name, params)
  // Addresses may be logged, so they must not contain a card number.
  const long = Object.values(search ?? {})
    .map(String)
    .filter((value) => MANY_DIGITS.test(value))
  if (long.length > 0) {
    const { holdsCardNumber } = await loadChunk(() => import('../../../contracts/core/card-numbers.ts'))
    if (long.some(holdsCardNumber)) throw new ApiProblem('note-holds-number', null, null)
  }
  let askedAt = performance.now()
  const onLost = (): void => {
    askedAt = performance.now()
    unansweredAt = askedAt
  }
  let broken = false
  if (containsPin(json)) requireProof()
  try {
    const response = await http(path, {
      method,
      timeout: timeoutMs,
      ...(json === undefined ? {} : { json }),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/octet-stream' } }),
      ...(search === undefined ? {} : { searchParams: search }),
      ...(signal === undefined ? {} : { signal }),
      ...(command ? retryOptions(command, timeoutMs, onLost) : {}),
    })
    broken = true
    const answer = response.status === 204 ? undefined : await response.json()
    noteAnswer(askedAt)
    return answer as AnswerTo<Name>
  } catch (error) {
    if (signal?.aborted || error instanceof ApiProblem) throw error
    const refusal = refusalOf(error)
    if (refusal !== null) {
      noteAnswer(askedAt)
      throw refusal
    }
    // The body of the answer was cut off, so a queued command is resent.
    if (broken && command?.untilAnswered) return call(name, options, command)
    unansweredAt = performance.now()
    throw unanswered(error)
  }
}

/** The problem with which the lane rejected the call, or null if the lane gave no answer. */
export const refusalOf = (error: unknown): ApiProblem | null =>
  isHTTPError(error) && !isServerStopping(error)
    ? parseProblem(typeof error.data === 'string' ? parseText(error.data) : error.data)
    : null

export const unanswered = (error: unknown): ApiProblem =>
  new ApiProblem(error instanceof OtherProgramError ? 'other-program' : 'terminal-unreachable', null, null)

/** Whether a body contains a PIN, which is sent only after the lane has proved its identity for this request. */
const containsPin = (json: unknown): boolean => /"\w*pin"\s*:/i.test(JSON.stringify(json) ?? '')

export const openSession = (launchToken: string): Promise<void> =>
  openWithLaunchToken(launchToken, (_method, _path, json) =>
    send(route['POST /session'], { json: json as z.input<typeof OpenSession> }),
  )

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const commandOnce = (untilAnswered: boolean): Command => ({ key: crypto.randomUUID(), untilAnswered })
export const get: Call<GetRoutes> = call
/**
 * Calls a route that searches: it changes nothing, and sends the search text in the body, because addresses may be
 * logged.
 */
export const search: Call<Readings> = call
/** Sends a changing call for which a person waits; each call has its own idempotency key. */
export const send: Call<Changes> = (name, ...[options]) => call(name, options, commandOnce(false))
/** Sends a command of the command queue, and retries it until it is answered. */
export const command: Call<Changes> = (name, ...[options]) => call(name, options, commandOnce(true))
