import type { ReceiptEmail } from '../../../contracts/core/profile.ts'
import type { DeliveryProblem } from '../../../contracts/payments/receipt-delivery.ts'
import { storeSealed, openSealed } from '../../../packages/delivery/enrolment/proof.ts'
import { tunnelTo } from '../../../packages/delivery/outgoing.ts'
import type { ComposedEmail } from './email-message.ts'

const PASSWORD = 'mail-password.sealed'
const CONNECT_MS = 10_000
const SILENCE_MS = 20_000

/** Stores the password of the mail server, sealed with the key of the lane. */
export const writeMailPassword = (dataFolder: string, masterKey: Uint8Array, password: string): void =>
  storeSealed(dataFolder, masterKey, PASSWORD, password)

export const readMailPassword = (dataFolder: string, masterKey: Uint8Array): string | null =>
  openSealed(dataFolder, masterKey, PASSWORD)

/**
 * Result of one try. `again`: the same e-mail may be accepted later. The server's text is left out, because it quotes
 * the address. nodemailer: docs/decisions/0009-libraries-outside-our-trade.md.
 */
export type MailOutcome =
  | { readonly kind: 'sent' }
  | { readonly kind: 'again'; readonly problem: DeliveryProblem; readonly code: string }
  | { readonly kind: 'refused'; readonly code: string }

export interface OutgoingMail extends ComposedEmail {
  readonly id: string
  readonly address: string
  readonly sender: { readonly name: string; readonly address: string }
}

/**
 * Sends one e-mail by SMTP (RFC 5321), with TLS unless the server is on this machine, and through the proxy of the
 * profile. The library is loaded with the first e-mail. Never rejects.
 */
export async function sendMail(
  { host, port, tls, user }: ReceiptEmail,
  password: string | null,
  { id, address, sender, subject, text, html, locale, attachment }: OutgoingMail,
): Promise<MailOutcome> {
  if (user !== undefined && password === null) return { kind: 'again', problem: 'sign-in', code: 'NO_PASSWORD' }
  try {
    const { createTransport } = await import('nodemailer')
    const tunnel = await tunnelTo({ hostname: host, port })
    const transport = createTransport({
      host,
      port,
      secure: tls === 'implicit',
      requireTLS: tls === 'starttls',
      ignoreTLS: tls === 'none',
      tls: { minVersion: 'TLSv1.2' },
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENCE_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
      ...(user === undefined ? {} : { auth: { user, pass: password ?? '' } }),
      ...(tunnel === null ? {} : { connection: tunnel }),
    })
    try {
      await transport.sendMail({
        from: sender,
        to: { name: '', address },
        subject,
        text,
        html,
        attachments: [{ filename: attachment.fileName, content: attachment.pdf, contentType: 'application/pdf' }],
        // The same id for each try: a mail program shows an e-mail that was accepted twice only once.
        messageId: `<${id}@${sender.address.split('@').at(-1)}>`,
        headers: { 'Content-Language': locale, 'Auto-Submitted': 'auto-generated' },
      })
    } finally {
      transport.close()
    }
    return { kind: 'sent' }
  } catch (error) {
    return outcomeOf(error)
  }
}

/** A reply of 5yz is final and one of 4yz is not (RFC 5321 §4.2.1), except for the sign-in, which a person corrects. */
function outcomeOf(error: unknown): MailOutcome {
  const fields: Record<string, unknown> = error instanceof Error ? { ...error } : {}
  // For a system error, nodemailer overwrites `code` and keeps the more exact system code in `originalCode`.
  const code = [fields['originalCode'], fields['code']].find((one) => typeof one === 'string') ?? 'UNKNOWN'
  const responseCode = Number(fields['responseCode'] ?? 0)
  const again = (problem: DeliveryProblem): MailOutcome => ({ kind: 'again', problem, code })
  if (code === 'EAUTH' || code === 'ENOAUTH') return again('sign-in')
  if (INSECURE.test(code)) return again('not-secure')
  if (responseCode >= 500) return { kind: 'refused', code: `${code} ${responseCode}` }
  return again(responseCode >= 400 ? 'busy' : 'unreachable')
}

const INSECURE = /^ETLS|^ERR_(TLS|SSL)|CERT|SELF_SIGNED|UNABLE_TO_VERIFY/
