import { z } from 'zod'
import { scannedText } from '../core/text.ts'
import { Names } from '../core/locales.ts'

/** What may happen at a lane of virtual devices, by name: the training panel and the tests say the same. */
export const Scenario = z.enum([
  'paper-out',
  'paper-ok',
  'cover-open',
  'cover-closed',
  'printer-off',
  'printer-on',
  'printer-silent',
  'printer-talks',
  'paper-out-during-job',
  'cover-open-during-job',
  'printer-unplugged-during-job',
  'drawer-open',
  'drawer-closed',
  'drawer-held',
  'drawer-free',
  'line-display-unplugged',
  'line-display-plugged',
  'card-reader-unplugged',
  'card-reader-plugged',
  'scanner-unplugged',
  'scanner-plugged',
  'swipe-unreadable',
  'card-reader-noise',
  'card-reader-unplugged-during-swipe',
  'scanner-unplugged-during-scan',
  'scanner-chatters',
  'all-well',
])
export type Scenario = z.infer<typeof Scenario>

/**
 * What happens once and is over, or waits for the next receipt: a button each. Everything else is a switch with two
 * sides.
 */
export const OneTimeScenario = Scenario.extract([
  'paper-out-during-job',
  'cover-open-during-job',
  'printer-unplugged-during-job',
  'card-reader-unplugged-during-swipe',
  'swipe-unreadable',
  'card-reader-noise',
  'scanner-unplugged-during-scan',
  'scanner-chatters',
])
export type OneTimeScenario = z.infer<typeof OneTimeScenario>

export const VirtualRole = z.enum(['card-reader', 'scanner', 'printer', 'line-display'])
export type VirtualRole = z.infer<typeof VirtualRole>

/**
 * How the reference services treat the lane: slow, without a word (though what was asked is done), with answers to
 * somebody else, away as in a planned outage; or the answer of the next redemption is lost.
 */
export const CentralCondition = z.enum(['well', 'slow', 'silent', 'wrong', 'away', 'answer-lost'])
export type CentralCondition = z.infer<typeof CentralCondition>

/** What the card terminal does with the next payment or refund; without any it approves. */
export const CardFault = z.enum([
  'declined',
  'customer-cancels',
  'waits',
  'busy',
  'partial',
  'answer-lost',
  'cut-before',
  'restart-before',
  'restart-after',
  'wrong-amount',
])
export type CardFault = z.infer<typeof CardFault>

/** What the customer's phone does with the code of a sign-in that waits. */
export const TrainingPhone = z.enum(['sign-in', 'someone-else', 'decline'])
export type TrainingPhone = z.infer<typeof TrainingPhone>

/**
 * The training panel: the far ends of the virtual devices of the lane. Every route answers `training-only` elsewhere.
 */
export const TrainingPanel = z.object({
  cards: z.array(z.object({ id: z.string(), label: Names })),
  /** The virtual devices of this lane, and whether the cable of each is in. */
  devices: z.array(z.object({ role: VirtualRole, plugged: z.boolean() })),
  /**
   * null where the lane's printer is none of the virtual ones. `drawerHeld`: something keeps the drawer as it is.
   * `answers`: it says how it is when it is asked.
   */
  printer: z
    .object({
      paper: z.enum(['ok', 'out']),
      cover: z.enum(['open', 'closed']),
      drawer: z.enum(['open', 'closed']),
      drawerHeld: z.boolean(),
      answers: z.boolean(),
    })
    .nullable(),
  /** null where the lane's centre is none that can be played with. */
  central: CentralCondition.nullable(),
  /** Whether the customer's phone can be played. */
  phone: z.boolean(),
  /**
   * null without a simulated card terminal. `faults`: what it can play; `customerWaits`: it waits for a card to be
   * presented.
   */
  cardTerminal: z
    .object({ faults: z.array(CardFault), next: CardFault.nullable(), customerWaits: z.boolean() })
    .nullable(),
  /** What this lane's devices can play, and what of it waits for the next receipt. */
  oneTimeScenarios: z.array(OneTimeScenario),
  waiting: z.array(OneTimeScenario),
  /** Twenty characters a line; null without a virtual line display. */
  display: z.tuple([z.string(), z.string()]).nullable(),
  /** The last paper that was cut, without what belongs on paper alone (specification 3 §4.5 rule 4). */
  lastPaper: z.string().nullable(),
})
export type TrainingPanel = z.infer<typeof TrainingPanel>
/** POST /api/training/swipe */
export const TrainingSwipe = z.object({
  cardId: z.string().regex(/^\S{1,40}$/),
  as: z.enum(['swipe', 'scan']).default('swipe'),
})
/** POST /api/training/scan */
export const TrainingScan = z.object({ code: scannedText({ max: 80 }) })
/** POST /api/training/central answers the panel as it then is. */
export const TrainingCentral = z.object({ condition: CentralCondition })
/** POST /api/training/phone answers the panel; what becomes of the sign-in is told by the event `member-session`. */
export const TrainingPhoneAct = z.object({ does: TrainingPhone })
/** POST /api/training/card-terminal: what happens to the next transaction, or a card for the one that waits. */
export const TrainingCardTerminal = z.object({ does: z.union([CardFault, z.literal('present'), z.literal('approve')]) })
/** POST /api/training/play answers the panel as it then is; `training-changed` tells of everything later. */
export const TrainingPlay = z.object({ scenario: Scenario })
