import {
  CardFault,
  OneTimeScenario,
  type CentralCondition,
  type TrainingPanel,
  type VirtualRole,
} from '../../contracts/api/training.ts'
import type { Profile } from '../../contracts/profile.ts'
import { ONE_TIME_SCENARIOS, type VirtualBench, type VirtualCardTerminal } from '../../hardware/index.ts'
import type { RecentDocuments } from './recent-documents.ts'

/** What a lane of virtual devices has for the training panel. */
export interface TrainingBench extends VirtualBench {
  /** The devices of this lane whose far ends these are. */
  readonly roles: readonly VirtualRole[]
  readonly recentDocuments: RecentDocuments
  /** Null where the lane's card terminal is none of the simulated ones. */
  readonly cardTerminal: VirtualCardTerminal | null
}

/** The far ends as the training panel shows them. Collector numbers stay here: a card is known by its id. */
export function trainingPanel(
  bench: TrainingBench,
  profile: Profile,
  central: CentralCondition | null,
  phone: boolean,
): TrainingPanel {
  const { roles, state, display, cardTerminal } = bench
  const paper = bench.documents.at(-1)
  return {
    cards: (profile.training?.cards ?? []).map(({ id, label }) => ({ id, label })),
    devices: roles.map((role) => ({ role, plugged: state.plugged[role] })),
    printer: roles.includes('printer') ? state.printer : null,
    central,
    phone,
    cardTerminal: cardTerminal && {
      faults: CardFault.options,
      next: CardFault.nullable().parse(cardTerminal.next),
      customerWaits: cardTerminal.customerWaits,
    },
    oneTimeScenarios: OneTimeScenario.options.filter((oneTime) => roles.includes(ONE_TIME_SCENARIOS[oneTime])),
    waiting: [...state.waiting],
    display: roles.includes('line-display') ? [...display] : null,
    lastPaper: paper === undefined ? null : bench.recentDocuments.linesOf(paper),
  }
}
