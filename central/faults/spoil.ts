import type { FaultAction } from './rules.ts'

/** What leaves instead of the true answer, for the faults that change its bytes. The stored answer stays as it was. */
export function spoil(action: FaultAction | undefined, body: Buffer): Buffer {
  switch (action?.kind) {
    case 'garble':
      return garble(body)
    case 'wrong-echo':
      return wrongEcho(body)
    default:
      return body
  }
}

/** Same length, no longer JSON: every third byte is turned over. */
function garble(body: Buffer): Buffer {
  const spoiled = Buffer.from(body)
  for (let index = 0; index < spoiled.length; index += 3) spoiled[index] = (spoiled[index] ?? 0) ^ 0x55
  return spoiled
}

/** A well-formed answer that belongs to another request. */
function wrongEcho(body: Buffer): Buffer {
  if (body.length === 0) return body
  const answer = JSON.parse(body.toString('utf8')) as Record<string, unknown>
  if ('traceId' in answer) answer.traceId = 'another-trace'
  if ('checkoutTransactionId' in answer) answer.checkoutTransactionId = 'ANOTHER-TRANSACTION'
  if (Array.isArray(answer.offers)) answer.offers = []
  if ('collectorNumber' in answer) answer.collectorNumber = '80000000000'
  return Buffer.from(JSON.stringify(answer))
}
