import { existsSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { type Signer, makeKey, signerOf } from '../keys.ts'
import { TrustList, neededLists, newestTrust, ownTrust, sealTrust } from '../trust.ts'
import { makeFolder, writeNew, writeWhole } from '../whole-file.ts'
import { dataHome } from '../../supervisor/places.ts'

/** What an installer has to mend before anything is done; in words for them. */
export class KeyringError extends Error {
  override name = 'KeyringError'
}

/** Null where none is given; an empty one would close nothing. */
export const passphraseGiven = (): string | null => process.env['MILEPOST_KEY_PASSPHRASE'] || null

/**
 * The keys of an installer: a folder of their own with the private keys, for its owner's eyes alone, and the lists of
 * trusted keys. `passphrase` opens and closes the private ones; null: they are kept as they are. Throws KeyringError
 * where the folder is inside the checkout, whose files become packages.
 */
export class Keyring {
  private readonly folder: string
  private readonly passphrase: string | null
  private readonly listFolder
  /** The signed lists, the oldest first: the first goes into programs, the others along with bundles. */
  readonly lists: readonly Buffer[]
  /** Null before the first key was made. */
  readonly trust: TrustList | null
  private neededOnce: readonly Uint8Array[] | null = null

  constructor(folder: string, checkout: string, passphrase: string | null) {
    this.folder = folder
    this.passphrase = passphrase
    if (isWithin(folder, checkout))
      throw new KeyringError(`${folder} is inside the checkout. Private keys stay out of it: give another folder.`)
    if (existsSync(folder) && !statSync(folder).isDirectory())
      throw new KeyringError(`${folder} is a file. Name the folder of your keys.`)
    this.listFolder = path.join(folder, 'trust')
    this.lists = existsSync(this.listFolder)
      ? readdirSync(this.listFolder)
          .filter((name) => name.endsWith('.keys'))
          .toSorted()
          .map((name) => readFileSync(path.join(this.listFolder, name)))
      : []
    const [first, ...others] = this.lists
    const own = first === undefined ? null : ownTrust(first)
    if (first !== undefined && own === null)
      throw new KeyringError(`${this.listFile(1)} is no list of trusted keys. Take it from your backup.`)
    this.trust = own && newestTrust(own, others)
  }

  private listFile(version: number): string {
    return path.join(this.listFolder, `${String(version).padStart(6, '0')}.keys`)
  }

  private privateFile(id: string): string {
    return path.join(this.folder, `${id}.private.pem`)
  }

  private signerWith(id: string): Signer | null {
    const file = this.privateFile(id)
    if (!existsSync(file)) return null
    try {
      return signerOf(readFileSync(file, 'utf8'), this.passphrase)
    } catch {
      throw new KeyringError(
        `${file} cannot be opened. Give its passphrase in MILEPOST_KEY_PASSPHRASE, or take it from your backup.`,
      )
    }
  }

  /** The one that is known for longest. */
  private signerAmong(among: readonly { readonly id: string }[]): Signer {
    for (const { id } of among) {
      const found = this.signerWith(id)
      if (found) return found
    }
    throw new KeyringError(
      `No private key of a trusted one is in ${this.folder}. ` +
        'Make the first by: npm run milepost -- keys new --name NAME',
    )
  }

  /** Of two commands at once, one has the number: the other has seen a list that is not the newest any more. */
  private write(list: TrustList, by: Signer): void {
    makeFolder(this.listFolder, 0o700)
    if (!writeNew(this.listFile(list.version), sealTrust(list, by), true))
      throw new KeyringError('Another command has changed the keys meanwhile. Nothing was done: do it again.')
  }

  /** Before anything is written: a key whose list is refused would lie there for nothing. */
  private checked(list: TrustList): TrustList {
    const { success, data } = TrustList.safeParse(list)
    if (success) return data
    throw new KeyringError('A name has up to 80 characters, a reason up to 200, and a list up to 32 trusted keys.')
  }

  /** Of them, what a bundle brings along: each lane comes to the newest by these. */
  get needed(): readonly Uint8Array[] {
    this.neededOnce ??= neededLists(this.lists)
    return this.neededOnce
  }

  /**
   * Signs with the oldest trusted key whose private part is here: a lane that has not heard of the others yet believes
   * it, and hears of them by what it signs. Throws KeyringError where there is none.
   */
  signer(): Signer {
    return this.signerAmong(this.trust?.keys ?? [])
  }

  /** Makes a key and trusts it beside those that are trusted. Answers its id. */
  add(name: string): string {
    const before = this.trust
    // Who vouches for it: the list before's, or itself where it is the first.
    const by = before && this.signerAmong(before.keys)
    const { pem, publicKey } = makeKey(this.passphrase)
    const key = { ...publicKey, name }
    const list = this.checked(
      before
        ? { ...before, version: before.version + 1, keys: [...before.keys, key] }
        : { format: 1, version: 1, keys: [key], revoked: [] },
    )
    makeFolder(this.folder, 0o700)
    writeWhole(this.privateFile(publicKey.id), pem)
    try {
      this.write(list, by ?? signerOf(pem, this.passphrase))
    } catch (error) {
      rmSync(this.privateFile(publicKey.id), { force: true })
      throw error
    }
    return publicKey.id
  }

  /** Trusts the key no more. Throws KeyringError where none would be left, or the id names none or several. */
  revoke(idPart: string, reason: string): string {
    const found = this.trust?.keys.filter(({ id }) => id.startsWith(idPart)) ?? []
    const [key] = found
    if (!this.trust || !key || found.length > 1)
      throw new KeyringError(
        found.length > 1
          ? `Several trusted keys begin with ${idPart}: give more of it.`
          : `No trusted key begins with ${idPart}. See: npm run milepost -- keys list`,
      )
    const keys = this.trust.keys.filter(({ id }) => id !== key.id)
    if (keys.length === 0)
      throw new KeyringError('It is the only trusted key. Make another first: npm run milepost -- keys new --name NAME')
    // By one that stays: a list that only the revoked key vouches for could be the thief's.
    this.write(
      this.checked({
        ...this.trust,
        version: this.trust.version + 1,
        keys,
        revoked: [...this.trust.revoked, { ...key, reason }],
      }),
      this.signerAmong(keys),
    )
    return key.id
  }
}

export const openKeyring = (...args: ConstructorParameters<typeof Keyring>): Keyring => new Keyring(...args)

function isWithin(folder: string, other: string): boolean {
  const relative = path.relative(realOf(other), realOf(path.resolve(folder)))
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative))
}

/** With links followed, as far as the path is there. */
function realOf(place: string): string {
  if (existsSync(place)) return realpathSync(place)
  const parent = path.dirname(place)
  return parent === place ? place : path.join(realOf(parent), path.basename(place))
}

/** Where an installer's keys are, unless they say otherwise. */
export const DEFAULT_KEYS = path.join(dataHome(), 'milepost-keys')
