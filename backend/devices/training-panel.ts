import { Story, type CentreCondition, type TrainingPanel, type VirtualRole } from '../../contracts/api/training.ts'
import type { Profile } from '../../contracts/profile.ts'
import { STORIES, type VirtualBench } from '../../hardware/index.ts'
import type { ShownPaper } from './shown-paper.ts'

/** What a lane of virtual devices has for the training panel. */
export interface TrainingBench extends VirtualBench {
  /** The devices of this lane whose far ends these are. */
  readonly roles: readonly VirtualRole[]
  readonly shownPaper: ShownPaper
}

/** The far ends as the training panel shows them. Collector numbers stay here: a card is known by its id. */
export function trainingPanel(bench: TrainingBench, profile: Profile, centre: CentreCondition | null): TrainingPanel {
  const { roles, state, display } = bench
  const paper = bench.papers.at(-1)
  return {
    cards: (profile.training?.cards ?? []).map(({ id, label }) => ({ id, label })),
    devices: roles.map((role) => ({ role, plugged: state.plugged[role] })),
    printer: roles.includes('printer') ? state.printer : null,
    centre,
    stories: Story.options.filter((story) => roles.includes(STORIES[story])),
    waiting: [...state.waiting],
    display: roles.includes('line-display') ? [...display] : null,
    lastPaper: paper === undefined ? null : bench.shownPaper.linesOf(paper),
  }
}
