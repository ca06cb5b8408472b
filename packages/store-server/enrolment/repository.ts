/** One code, as the service keeps it. Times are epoch milliseconds. */
export interface StoredCode {
  /** Public part of the code. */
  readonly id: string
  readonly store: string
  readonly lane: string
  readonly madeAt: number
  readonly expiresAt: number
  /** SHA-256 of the proof that the lane shows. */
  readonly proofHash: Buffer
  /** SHA-256 of the device token that is in the payload. */
  readonly tokenHash: Buffer
  /** The payload, sealed by the code; null once it was exchanged or revoked, or some time after its expiry. */
  readonly sealed: Buffer | null
  readonly revokedAt: number | null
  readonly exchangedAt: number | null
  /** Public key of the lane that exchanged it. */
  readonly laneKey: string | null
  /** What that lane was answered, sealed to its key, while it may ask again. */
  readonly answer: Buffer | null
  /** When the lane said that everything is in its care. */
  readonly confirmedAt: number | null
}

/** A code with what became of it. */
export interface ListedCode extends StoredCode {
  readonly wrong: number
  /** When the token that came with it was revoked, or another's took its place; null: it is good, or never was used. */
  readonly tokenEndedAt: number | null
}

/** Wrong tries of a public part, whether there is a code of it or not. */
export interface Tries {
  readonly wrong: number
  readonly last: number
}

/** A lane that was enrolled, as it is told by its token. */
export interface Device {
  readonly tokenHash: Buffer
  readonly store: string
  readonly lane: string
  /** Public key of the lane: only who signs with it is this lane. */
  readonly laneKey: string
  readonly codeId: string
  readonly since: number
  readonly revokedAt: number | null
}

/** What one decision writes. What is left out stays as it was. */
export interface CodeChange {
  readonly wrong?: number
  readonly code?: Partial<Pick<StoredCode, 'sealed' | 'exchangedAt' | 'laneKey' | 'answer' | 'confirmedAt'>>
  /** Takes the place of every other token of its store and lane. */
  readonly device?: Device
}

/**
 * What the service keeps. Every method is one transaction of whatever database is behind it; one that was answered is
 * on the disk.
 */
export interface EnrolmentRepository {
  /** Puts new codes in the place of those of the same store and lane that wait. Rejects when an id is taken. */
  add(codes: readonly StoredCode[]): Promise<void>
  /**
   * Reads what stands under a public part, has it decided, and writes the change, with nobody else in between: two
   * tries at once are counted one after the other.
   */
  decide<Outcome>(
    id: string,
    at: number,
    decision: (code: StoredCode | null, tries: Tries) => { readonly change: CodeChange; readonly outcome: Outcome },
  ): Promise<Outcome>
  /** All codes, by store and lane, the newest of each first. */
  list(): Promise<readonly ListedCode[]>
  /** Codes that wait, of a store, or of one of its lanes, lose what they hold. Answers how many there were. */
  revoke(which: { readonly store: string; readonly lane: string | null }, at: number): Promise<number>
  /** Tokens of a store, or of one of its lanes, are good for nothing from now on. Answers how many there were. */
  revokeDevices(which: { readonly store: string; readonly lane: string | null }, at: number): Promise<number>
  device(tokenHash: Buffer): Promise<Device | null>
  /**
   * Deletes the payloads of codes that expired by `expiredBefore`, the answers that were given by `answersBefore`, and
   * wrong tries from before `triesBefore`.
   */
  sweep(expiredBefore: number, answersBefore: number, triesBefore: number): Promise<void>
}
