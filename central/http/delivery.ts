import type { FastifyReply } from 'fastify'
import { setTimeout as delay } from 'node:timers/promises'

/** Whether a caller is still there to hear an answer. */
export const isListening = (reply: FastifyReply): boolean => !reply.raw.destroyed && !reply.raw.socket?.destroyed

/** Resolves true when the last byte of the answer was handed to the network, false when the caller left before. */
export function delivered(reply: FastifyReply): Promise<boolean> {
  const { raw } = reply
  if (raw.writableFinished) return Promise.resolve(true)
  if (raw.destroyed || raw.closed) return Promise.resolve(false)
  return new Promise((resolve) => {
    raw.once('finish', () => resolve(true))
    raw.once('close', () => resolve(raw.writableFinished))
  })
}

/** Never answers: the connection stays open until the caller gives up. */
export function hang(reply: FastifyReply): void {
  reply.hijack()
}

/** Closes the connection without a byte. */
export function drop(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.socket?.destroy()
}

/** Announces the whole answer and breaks off in the middle of it. */
export function breakOff(reply: FastifyReply, status: number, body: Buffer): void {
  reply.hijack()
  reply.raw.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  reply.raw.write(body.subarray(0, Math.floor(body.length / 2)), () => {
    reply.raw.socket?.destroy()
  })
}

/** Writes the whole answer, `bytes` at a time with `ms` between. Resolves as `delivered` does. */
export async function drip(
  reply: FastifyReply,
  status: number,
  body: Buffer,
  bytes: number,
  ms: number,
): Promise<boolean> {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length })
  for (let at = 0; at < body.length; at += bytes) {
    if (!isListening(reply)) return false
    raw.write(body.subarray(at, at + bytes))
    if (at + bytes < body.length) await delay(ms)
  }
  raw.end()
  return delivered(reply)
}

export function sendBytes(reply: FastifyReply, status: number, body: Buffer): void {
  // A 204 has no body, and says no type of it.
  if (body.length === 0) void reply.code(status).send()
  else void reply.code(status).header('content-type', 'application/json').send(body)
}
