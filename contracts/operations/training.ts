import { z } from 'zod'
import { scannedText } from '../core/text.ts'
import { Names } from '../core/locales.ts'

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
  'scale-unplugged',
  'scale-plugged',
  'swipe-unreadable',
  'card-reader-noise',
  'card-reader-unplugged-during-swipe',
  'scanner-unplugged-during-scan',
  'scanner-chatters',
  'all-well',
])
export type Scenario = z.infer<typeof Scenario>

/**
 * Scenarios that happen once, or wait for the next receipt; the panel has a button for each. All others stay on until
 * switched off.
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

export const VirtualRole = z.enum(['card-reader', 'scanner', 'printer', 'line-display', 'scale'])
export type VirtualRole = z.infer<typeof VirtualRole>

/** Faults of the virtual scale. split: each byte of a reply comes alone; the weight is nevertheless read. */
export const ScaleFault = z.enum(['unstable', 'over', 'negative', 'not-zeroed', 'split', 'garbage', 'silent'])
export type ScaleFault = z.infer<typeof ScaleFault>

/**
 * How the reference services behave. `silent`: no answer, but the request is carried out; `wrong`: an answer with the
 * fields of another request; `away`: a planned outage; `answer-lost`: the next redemption is carried out and its answer
 * is lost.
 */
export const CentralCondition = z.enum(['well', 'slow', 'silent', 'wrong', 'away', 'answer-lost'])
export type CentralCondition = z.infer<typeof CentralCondition>

/** Outcome of the next payment or refund at the card terminal; it approves by default. */
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

/** Reaction of the customer's phone to a code for a member's sign-in. */
export const TrainingPhone = z.enum(['sign-in', 'someone-else', 'decline'])
export type TrainingPhone = z.infer<typeof TrainingPhone>

export const TrainingPanel = z.object({
  cards: z.array(z.object({ id: z.string(), label: Names })),
  devices: z.array(z.object({ role: VirtualRole, plugged: z.boolean() })),
  /**
   * State of the virtual printer; null without one. `drawerHeld`: the drawer is blocked in its position. `answers`: the
   * printer answers status requests.
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
  central: CentralCondition.nullable(),
  phone: z.boolean(),
  /**
   * State of the simulated card terminal; null without one. `faults`: possible outcomes; `customerWaits`: it waits for
   * a card.
   */
  cardTerminal: z
    .object({ faults: z.array(CardFault), next: CardFault.nullable(), customerWaits: z.boolean() })
    .nullable(),
  /** State of the virtual scale, in thousandths of its unit; null without one. */
  scale: z.object({ unit: z.enum(['kg', 'lb']), loadThousandths: z.int(), fault: ScaleFault.nullable() }).nullable(),
  /** The one-time scenarios that this lane's devices offer; `waiting`: those that wait for the next receipt. */
  oneTimeScenarios: z.array(OneTimeScenario),
  waiting: z.array(OneTimeScenario),
  display: z.tuple([z.string(), z.string()]).nullable(),
  /**
   * The last paper that the printer cut, without the blocks that may only be on paper (specification 3 §4.5 rule 4).
   */
  lastPaper: z.string().nullable(),
})
export type TrainingPanel = z.infer<typeof TrainingPanel>
export const TrainingSwipe = z.object({
  cardId: z.string().regex(/^\S{1,40}$/),
  as: z.enum(['swipe', 'scan']).default('swipe'),
})
export const TrainingScan = z.object({ code: scannedText({ max: 80 }) })
export const TrainingCentral = z.object({ condition: CentralCondition })
/**
 * Body of POST /api/training/phone, which returns the training panel; the event `member-session` reports the sign-in.
 */
export const TrainingPhoneAct = z.object({ does: TrainingPhone })
/** Body of POST /api/training/card-terminal: sets the outcome of the next transaction, or presents a card. */
export const TrainingCardTerminal = z.object({ does: z.union([CardFault, z.literal('present'), z.literal('approve')]) })
/** Body of POST /api/training/scale: puts a load on the virtual scale, and sets its fault. */
export const TrainingScale = z.object({
  loadThousandths: z.int().min(0).max(99_999).optional(),
  fault: ScaleFault.nullable().optional(),
})
/**
 * Body of POST /api/training/play, which starts a device scenario and returns the updated training panel; the event
 * `training-changed` reports later changes.
 */
export const TrainingPlay = z.object({ scenario: Scenario })
