import ky, { isHTTPError } from 'ky'
import { ApiProblem, parseProblem } from './problem.ts'

/** Most calls answer from the lane's own disk. A call that waits for the program's services says so with its own limit. */
const LOCAL_TIMEOUT_MS = 10_000

const http = ky.create({ prefix: '/api', retry: 0, timeout: LOCAL_TIMEOUT_MS, credentials: 'same-origin' })

interface CallOptions {
  readonly json?: unknown
  readonly search?: Readonly<Record<string, string | number>>
  readonly timeoutMs?: number
  readonly signal?: AbortSignal | undefined
}

/** When the last call without any answer was given up. */
let silentAt = 0
let answered: () => void = () => undefined

/** `listener` hears of every answer, also of a refusal, to a question that was asked after the last one that got none. */
export const onAnswered = (listener: () => void): void => {
  answered = listener
}

const heard = (askedAt: number): void => {
  if (askedAt >= silentAt) answered()
}

/** Call the local API. Answers the parsed body, undefined for 204. Throws ApiProblem, or the abort reason when the caller gave up. */
async function call<Answer>(method: 'get' | 'post' | 'put', path: string, options: CallOptions = {}): Promise<Answer> {
  const askedAt = performance.now()
  try {
    const response = await http(path, {
      method,
      ...(options.json === undefined ? {} : { json: options.json }),
      ...(options.search === undefined ? {} : { searchParams: options.search }),
      ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    heard(askedAt)
    if (response.status === 204) return undefined as Answer
    return await response.json<Answer>()
  } catch (error) {
    if (options.signal?.aborted) throw error
    if (isHTTPError(error)) {
      heard(askedAt)
      throw parseProblem(typeof error.data === 'string' ? parseText(error.data) : error.data)
    }
    silentAt = performance.now()
    throw new ApiProblem('terminal-unreachable', null, null)
  }
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const get = <Answer>(path: string, options?: CallOptions): Promise<Answer> => call<Answer>('get', path, options)
export const post = <Answer>(path: string, options?: CallOptions): Promise<Answer> =>
  call<Answer>('post', path, { json: {}, ...options })
export const put = <Answer>(path: string, options?: CallOptions): Promise<Answer> => call<Answer>('put', path, options)
