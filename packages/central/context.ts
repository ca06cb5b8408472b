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

/** Calls whose paths the specification does not show (3 §4.4, §4.5): settings. */
export interface UnshownPaths {
  readonly post: string
  readonly postEvent: string
  readonly reverse: string
  readonly cashReverse: string
}

/** Where they are by default. */
const ASSUMED_PATHS: UnshownPaths = {
  post: ISSUANCE_PATHS.post,
  postEvent: ISSUANCE_PATHS.postEvent,
  reverse: ISSUANCE_PATHS.reverse,
  cashReverse: CASH_PATHS.reverse,
}

export interface CentralOptions {
  /** Folder of the database; made when missing. */
  readonly data: string
  /** null: no seed data, only what is imported. */
  readonly seed: number | null
  /** Folder of the user's own data, laid over what is there at every start. Throws ImportError when it cannot be. */
  readonly importFrom?: string
  readonly host: string
  /** HTTPS in the place of HTTP. */
  readonly tls?: ServerTls
  /** 0: any free port. */
  readonly port: number
  /** null: no control port. */
  readonly controlPort: number | null
  /** Life of a partner's token in seconds. */
  readonly tokenTtl: number
  /** Life of a member's token in seconds; as a partner's when left out. */
  readonly memberTokenTtl?: number
  /** Seconds between two polls of a lane for a member; left out: five. */
  readonly memberPollInterval?: number
  /** Life of a code for a member's phone in seconds; ten minutes when left out. */
  readonly memberCodeTtl?: number
  /** How long an issuance that waits does so before it settles by itself; a minute when left out. */
  readonly settleAfterMs?: number
  /** Paths that the specification does not show (3 §4.4, §4.5). */
  readonly paths?: Partial<UnshownPaths>
  readonly logLevel: string
}

/** What the services share. Their functions take it first. */
export type Context = ReturnType<typeof openContext>

/** The offers are read here, once: seed data and imports must be in the database before. */
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
    /** In seconds; `memberPoll` is the `interval` of RFC 8628 §3.2. */
    lifetimes: {
      token: options.tokenTtl,
      memberToken: options.memberTokenTtl ?? options.tokenTtl,
      memberPoll: options.memberPollInterval ?? 5,
      memberCode: options.memberCodeTtl ?? 600,
    },
    answers: createStoredAnswers(db),
    mutex: createKeyedMutex(),
    /** Collectors with a transaction under way (specification 3 §4.2 rule 5). */
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
