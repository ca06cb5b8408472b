import ky, { isHTTPError, isNetworkError, isTimeoutError } from 'ky'
import { KEY_HEADER, OtherProgramError } from '../../../contracts/core/window.ts'
import { needed } from '../loading/parts.ts'
import { ApiProblem, parseProblem } from './problem.ts'
import { route, type AnswerTo, type Call, type Changes, type Gets, type Readings, type RouteName } from './routes.ts'
import { doubtLane, fetchFromLane, spendLaunchToken } from './window-session.ts'
import type { z } from 'zod'
import type { OpenSession } from '../../../contracts/staff/session.ts'

/**
 * Most calls answer from the lane's own disk. A call that waits for the program's services says so with its own limit.
 */
const LOCAL_TIMEOUT_MS = 10_000
/** A command goes again this long after the answer to it was lost, in milliseconds, doubling up to the most. */
const REPEAT_MS = 250
const MOST_REPEAT_MS = 2_000
/** Somebody who waits before a page is told by then that nothing answers. */
const PATIENCE_MS = 15_000

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
  /** A file that is sent as it is, in the place of `json`. */
  readonly body?: Blob
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/**
 * The program is stopping or away, and its server, or what stands before it, says so by itself: no answer of the
 * terminal, whose own are problems.
 */
const isServerEnding = (error: unknown): boolean =>
  isHTTPError(error) &&
  error.response.status >= 500 &&
  error.response.headers.get('content-type')?.startsWith('application/problem+json') !== true

/** When the last call without any answer was given up, or asked again. */
let silentAt = 0
interface AnswerListener {
  /** Of every answer, also of a refusal, to a question that was asked after the last one that got none. */
  readonly onAnswer: () => void
  /** A command goes again, for the second time and more: nobody may think that it was done. */
  readonly onSilence: () => void
}
let listener: AnswerListener = { onAnswer: () => undefined, onSilence: () => undefined }

export const onAnswers = (next: AnswerListener): void => {
  listener = next
}

const noteAnswer = (askedAt: number): void => {
  if (askedAt >= silentAt) listener.onAnswer()
}

interface Command {
  readonly key: string
  /** In the queue of commands it goes on until it is answered; before a page somebody waits. */
  readonly untilAnswered: boolean
}

/**
 * Options of a command that is repeated under its own key: the terminal's program does it once and answers what it
 * answered.
 */
const repeating = ({ key, untilAnswered }: Command, timeoutMs: number, onLost: () => void) => ({
  headers: { [KEY_HEADER]: key },
  totalTimeout: untilAnswered ? (false as const) : Math.max(PATIENCE_MS, timeoutMs),
  retry: {
    limit: Number.MAX_SAFE_INTEGER,
    methods: ['post' as const, 'put' as const],
    delay: (attempt: number) => Math.min(REPEAT_MS * 2 ** (attempt - 1), MOST_REPEAT_MS),
    // Every answer is one, a refusal too.
    shouldRetry({ error, retryCount }: { error: Error; retryCount: number }) {
      const lost = isNetworkError(error) || isTimeoutError(error) || isServerEnding(error)
      if (lost) onLost()
      if (lost && retryCount > 1) listener.onSilence()
      return lost
    },
  },
})

/** The shortest number of a collector has 11 digits; the check itself is loaded only for such text. */
const MANY_DIGITS = /(?:\P{Nd}*\p{Nd}){11}/u

/** Method of a route, and its path below `/api` with these params. */
export function addressOf(
  name: RouteName,
  params: CallOptions['params'] = {},
): readonly [method: string, path: string] {
  const [method = '', path = ''] = name.split(' /')
  return [method, path.replace(/:(\w+)/g, (_all, key: string) => encodeURIComponent(params[key] ?? ''))]
}

/** Answers the parsed body, undefined for 204. */
async function call<Name extends RouteName>(
  name: Name,
  options: CallOptions = {},
  command: Command | null = null,
): Promise<AnswerTo<Name>> {
  const { params, json = command ? {} : undefined, body, search, timeoutMs = LOCAL_TIMEOUT_MS, signal } = options
  const [method, path] = addressOf(name, params)
  // An address may be logged: it never holds a card number.
  const long = Object.values(search ?? {})
    .map(String)
    .filter((value) => MANY_DIGITS.test(value))
  if (long.length > 0) {
    const { holdsCardNumber } = await needed(() => import('../../../contracts/core/card-numbers.ts'))
    if (long.some(holdsCardNumber)) throw new ApiProblem('note-holds-number', null, null)
  }
  let askedAt = performance.now()
  const onLost = (): void => {
    askedAt = performance.now()
    silentAt = askedAt
  }
  let broken = false
  if (holdsPin(json)) doubtLane()
  try {
    const response = await http(path, {
      method,
      timeout: timeoutMs,
      ...(json === undefined ? {} : { json }),
      ...(body === undefined ? {} : { body, headers: { 'content-type': 'application/octet-stream' } }),
      ...(search === undefined ? {} : { searchParams: search }),
      ...(signal === undefined ? {} : { signal }),
      ...(command ? repeating(command, timeoutMs, onLost) : {}),
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
    // The answer broke off in its middle.
    if (broken && command?.untilAnswered) return call(name, options, command)
    silentAt = performance.now()
    throw unanswered(error)
  }
}

/** What the lane answered in the place of what was asked for; null where it gave no answer. */
export const refusalOf = (error: unknown): ApiProblem | null =>
  isHTTPError(error) && !isServerEnding(error)
    ? parseProblem(typeof error.data === 'string' ? parseText(error.data) : error.data)
    : null

export const unanswered = (error: unknown): ApiProblem =>
  new ApiProblem(error instanceof OtherProgramError ? 'other-program' : 'terminal-unreachable', null, null)

/** A PIN is sent to nobody but the lane, which proves at this moment that it is the lane. */
const holdsPin = (json: unknown): boolean => /"\w*pin"\s*:/i.test(JSON.stringify(json) ?? '')

export const openSession = (launchToken: string): Promise<void> =>
  spendLaunchToken(launchToken, (_method, _path, json) =>
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
export const get: Call<Gets> = call
/** A search, which changes nothing: what is searched for is in no address. */
export const search: Call<Readings> = call
/** What changes something before a page where somebody waits; each call is a command of its own. */
export const send: Call<Changes> = (name, ...[options]) => call(name, options, commandOnce(false))
/** What the queue of commands sends. */
export const command: Call<Changes> = (name, ...[options]) => call(name, options, commandOnce(true))
