import {
  CardFault,
  type CentralCondition,
  OneTimeScenario,
  type TrainingPanel,
} from '../../../contracts/operations/training.ts'
import type { Profile } from '../../../contracts/core/profile.ts'
import { ONE_TIME_SCENARIOS } from '../../../hardware/index.ts'
import type { TrainingBench } from '../../core/devices/training-bench.ts'

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
    scale: roles.includes('scale')
      ? { unit: bench.scaleUnit, loadThousandths: bench.scale.load, fault: bench.scale.fault }
      : null,
    oneTimeScenarios: OneTimeScenario.options.filter((oneTime) => roles.includes(ONE_TIME_SCENARIOS[oneTime])),
    waiting: [...state.waiting],
    display: roles.includes('line-display') ? [...display] : null,
    lastPaper: paper === undefined ? null : bench.recentDocuments.linesOf(paper),
  }
}
