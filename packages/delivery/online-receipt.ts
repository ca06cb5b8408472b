import { createHash, hkdfSync, randomBytes } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { ReceiptDocument } from '../../contracts/core/receipt.ts'
import { openWith, sealWith } from './enrolment/sealing.ts'

const TOKEN_BYTES = 20
const MAX_BYTES = 2 * 1024 * 1024
const ABOUT = 'milepost online receipt 1'

export const newOnlineToken = (): string => randomBytes(TOKEN_BYTES).toString('base64url')

/** Id under which the store server finds a receipt. It does not reveal the token. */
export const onlineIdOf = (token: string): string => createHash('sha256').update(`${ABOUT}\n${token}`).digest('hex')

const keyOf = (token: string): Buffer => Buffer.from(hkdfSync('sha256', token, Buffer.alloc(0), ABOUT, 32))

export const sealOnlineReceipt = (token: string, document: ReceiptDocument): Buffer =>
  sealWith(keyOf(token), onlineIdOf(token), deflateRawSync(JSON.stringify(document)))

/** Opens a receipt with its token; null for another token, or bytes that are no receipt. */
export function openOnlineReceipt(token: string, sealed: Uint8Array): ReceiptDocument | null {
  const bytes = openWith(keyOf(token), onlineIdOf(token), sealed)
  if (bytes === null) return null
  try {
    return ReceiptDocument.parse(JSON.parse(inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }).toString()))
  } catch {
    return null
  }
}
