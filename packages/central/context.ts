import { CASH_PATHS } from '../../contracts/central/cash.ts'
import { ISSUANCE_PATHS } from '../../contracts/central/issuance.ts'
import { createCashRepository } from './cash/cash.sql.ts'
import { createClock } from './clock.ts'
import { type Db, createCommitter } from './db/database.ts'
import { createFaults } from './faults.ts'
import { createHistoryRepository } from './history/history.sql.ts'
import { createRequestJournal } from './http/journal.ts'
import type { ServerTls } from './http/server.ts'
import { createKeyedMutex, createStoredAnswers } from './http/stored-answers.ts'
import { createArtifacts } from './identity/artifacts.ts'
import { createIssuanceRepository } from './issuance/issuance.sql.ts'
import { createLedger } from './ledger.ts'
import { createOfferRepository, createOfferStateRepository } from './offers/offers.sql.ts'
import { createProgramRepository, createSettings, partnerClient } from './program.ts'

/** Configurable paths of calls whose paths specification 3 does not show (§4.4, §4.5). */
export interface UnshownPaths {
  readonly post: string
  readonly postEvent: string
  readonly reverse: string
  readonly cashReverse: string
}

const ASSUMED_PATHS: UnshownPaths = {
  post: ISSUANCE_PATHS.post,
  postEvent: ISSUANCE_PATHS.postEvent,
  reverse: ISSUANCE_PATHS.reverse,
  cashReverse: CASH_PATHS.reverse,
}

export interface CentralOptions {
  readonly data: string
  /** Number that seed data is generated from; null: no seed data. */
  readonly seed: number | null
  /**
   * Folder with the user's own data. Every start imports it; entries with the same key are replaced in the database.
   * Invalid data ends the start with ImportError.
   */
  readonly importFrom?: string
  readonly host: string
  readonly tls?: ServerTls
  readonly port: number
  readonly controlPort: number | null
  /** Lifetime of a partner's token in seconds. */
  readonly tokenTtl: number
  /** Lifetime of a member's token in seconds; default: `tokenTtl`. */
  readonly memberTokenTtl?: number
  /** Seconds between two polls of the token endpoint; default 5. */
  readonly memberPollInterval?: number
  /** Lifetime of the code that a member enters, in seconds; default 600. */
  readonly memberCodeTtl?: number
  /** Delay in milliseconds until a pending issuance is settled; default one minute. */
  readonly settleAfterMs?: number
  readonly paths?: Partial<UnshownPaths>
  readonly logLevel: string
}

export type Context = ReturnType<typeof openContext>

/** Opens the shared context. Reads the offers once: seed data and imports must be in the database already. */
export function openContext(db: Db, options: CentralOptions) {
  const settings = createSettings(db)
  return {
    clock: createClock(),
    commit: createCommitter(db),
    settings,
    paths: { ...ASSUMED_PATHS, ...options.paths },
    program: createProgramRepository(db),
    ledger: createLedger(db),
    client: partnerClient(settings),
    artifacts: createArtifacts(db),
    /** Lifetimes in seconds; `memberPoll` is the `interval` of RFC 8628 §3.2. */
    lifetimes: {
      token: options.tokenTtl,
      memberToken: options.memberTokenTtl ?? options.tokenTtl,
      memberPoll: options.memberPollInterval ?? 5,
      memberCode: options.memberCodeTtl ?? 600,
    },
    answers: createStoredAnswers(db),
    mutex: createKeyedMutex(),
    /** Collectors with a transaction in progress (specification 3 §4.2 rule 5). */
    busyCollectors: new Set<string>(),
    faults: createFaults(),
    requests: createRequestJournal(options.controlPort !== null),
    redemptions: createCashRepository(db),
    issuances: createIssuanceRepository(db),
    offers: createOfferRepository(db),
    offerStates: createOfferStateRepository(db),
    history: createHistoryRepository(db),
  }
}
