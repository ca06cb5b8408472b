import { z } from 'zod'

/**
 * An answer of the issuance service as the lane reads it: what decides (who, which transaction, how many miles, what
 * became of them) is read as it is meant, and nothing else can make an answer unreadable, since the miles were issued
 * all the same. "Null or empty data elements are left out" (specification 3 §1): null is absent.
 */
const Text = z
  .string()
  .nullish()
  .transform((value) => value ?? undefined)
/** What only describes: of another type it is as good as absent. */
const Descriptive = Text.catch(undefined)
const Code = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value) => (value == null ? undefined : String(value)))
  .catch(undefined)

const Errors = z
  .array(z.object({ errorCode: Code, errorReason: Descriptive }))
  .nullish()
  .transform((value) => value ?? undefined)
  .catch(undefined)

/** One entry (§2.3). Everything but its miles and its status is optional to a reader. */
export const AnsweredEntry = z.object({
  issuanceOfferCode: Descriptive,
  offerId: Descriptive,
  offerDescription: Descriptive,
  milesAmount: z
    .int()
    .nullish()
    .transform((value) => value ?? undefined),
  contributingItemIds: z
    .array(z.string())
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined),
  /** PENDING, CONFIRMED or REJECTED; "response values are case-insensitive" (§1). */
  status: Text.transform((value) => value?.trim().toUpperCase() || undefined),
  errors: Errors,
})
export type AnsweredEntry = z.infer<typeof AnsweredEntry>

const reason = { responseCode: Code, message: Descriptive, errors: Errors }

export const AnsweredIssuance = z.object({
  transactionId: Text.transform((value) => value?.trim() || undefined),
  checkoutTransactionId: Text,
  clientTransactionId: Text,
  collectorNumber: Text,
  issuances: z
    .array(AnsweredEntry)
    .nullish()
    .transform((value) => value ?? undefined),
  ...reason,
})
export type AnsweredIssuance = z.infer<typeof AnsweredIssuance>

/** What a body says of a refusal, whatever else stands in it. */
export const RefusedIssuance = z.object({
  ...reason,
  issuances: z
    .array(z.object({ errors: Errors }))
    .nullish()
    .transform((value) => value ?? undefined)
    .catch(undefined),
})
export type RefusedIssuance = z.infer<typeof RefusedIssuance>
