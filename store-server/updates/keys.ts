import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { signerOf, type Signer } from '../../delivery/keys.ts'
import type { Trusted } from '../../delivery/signed.ts'
import { newestTrust, ownTrust, trustedIn } from '../../delivery/trust.ts'
import { refused } from '../words.ts'

/** Whose channel is believed, and with what a halt is signed; no signer: the folder has no private key. */
export interface UpdateKeys {
  readonly trusted: Trusted
  readonly signer: Signer | null
}

/**
 * The keys of a folder as `npm run keys` keeps them: the lists of trusted keys, and the private part of one that is
 * trusted where the server is to halt waves by itself. Throws an Error in plain words.
 */
export function readUpdateKeys(folder: string, passphrase: string | null): UpdateKeys {
  const lists = join(folder, 'trust')
  const [first, ...others] = existsSync(lists)
    ? readdirSync(lists)
        .filter((name) => name.endsWith('.keys'))
        .toSorted()
        .map((name) => readFileSync(join(lists, name)))
    : []
  const own = first && ownTrust(first)
  if (!own) throw refused('noTrust', { folder: lists })
  const trust = newestTrust(own, others)
  for (const { id } of trust.keys.toReversed()) {
    const file = join(folder, `${id}.private.pem`)
    if (!existsSync(file)) continue
    try {
      return { trusted: trustedIn(trust), signer: signerOf(readFileSync(file, 'utf8'), passphrase) }
    } catch {
      throw refused('keyLocked', { file })
    }
  }
  return { trusted: trustedIn(trust), signer: null }
}
