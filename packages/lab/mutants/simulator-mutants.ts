import type { Mutant } from './mutant.ts'

/**
 * Mutants of the sale and loyalty engine with typical errors of such an engine. Each breaks one rule at the place that
 * enforces it.
 */
export const SIMULATOR_MUTANTS: readonly Mutant[] = [
  {
    name: 'retry-before-commit',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'the retry is sent before its commit',
    find: `const facts = { outcome: 'retrying', ...(first.mismatched ? mismatchFacts(first.mismatched) : {}) }
const retrying = ctx.transact((tx) =>
  ctx.outbox.journal.move(tx, operation.id, 'retry', { sending: 'redeem', facts, ...takenChange(first.mismatched) }),
)
return settleSecond(
  ctx,
  retrying,
  first,
  await cashClientOf(ctx).sendStored(ctx.outbox.journal.call(retrying.id, 'redeem'), first.again),
)`,
    put: `const { transact, outbox } = ctx
const facts = { outcome: 'retrying', ...(first.mismatched ? mismatchFacts(first.mismatched) : {}) }
const answer = await cashClientOf(ctx).sendStored(outbox.journal.call(operation.id, 'redeem'), first.again)
const retrying = transact((tx) =>
  outbox.journal.move(tx, operation.id, 'retry', { sending: 'redeem', facts, ...takenChange(first.mismatched) }),
)
return settleSecond(ctx, retrying, first, answer)`,
  },
  {
    name: 'retry-new-key',
    file: 'backend/loyalty/services/cash.ts',
    breaks: 'the retry has a new key',
    find: "{ 'idempotency-key': idempotencyKey }",
    put: "{ 'idempotency-key': `${idempotencyKey.slice(0, 30)}${Math.random().toString().slice(2, 8)}` }",
  },
  {
    name: 'retry-rebuilt',
    file: 'backend/loyalty/services/cash.ts',
    breaks: 'the retry is a new request with the current time',
    find: 'call.request',
    put:
      'encode({ ...JSON.parse(new TextDecoder().decode($NODE)) as object, dateTime: zonedIso(Date.now(), ' +
      'ctx.profile.timeZone) })',
  },
  {
    name: 'restart-third-send',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'a restart retries a redemption after its second send',
    find: "if (operation.state !== 'intent' || !saleIsOpen(ctx, operation.saleId)) return false",
    put: 'if (!saleIsOpen(ctx, operation.saleId)) return false',
  },
  {
    name: 'ambiguous-is-refusal',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'an ambiguous response counts as a refusal',
    find: `return retry(ctx, operation, {
  mismatched: meaning?.mismatched ?? null,
  wasNeverSent: answer.kind === 'never-sent',
  again: againAfter(answer),
})`,
    put: "return decline(ctx, operation, { outcome: 'unreachable' })",
  },
  {
    name: 'second-ambiguous-is-refusal',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'an ambiguous second response counts as a refusal',
    find:
      "return escalate(ctx, operation, answer.kind === 'answer' ? { responseCode } : { detail: " + 'answer.reason })',
    put: "return decline(ctx, operation, { responseCode, outcome: 'refused' })",
  },
  {
    name: 'reversal-sent-is-done',
    file: 'backend/loyalty/calls/reverse.ts',
    breaks: 'a sent reversal counts as done',
    find: "const failures = before.failures + (received.kind === 'unknown' ? 1 : 0)",
    put: `if (received.kind !== 'unknown') {
      ctx.transact((tx) => ctx.outbox.journal.move(tx, id, 'reversed', { facts: { outcome: 'reversed' } }))
      return
    }
    $NODE`,
  },
  {
    name: 'reversal-not-listed',
    file: 'backend/loyalty/calls/reverse.ts',
    breaks: 'an unanswered reversal is on no list',
    find: 'outcome: REVERSAL_UNANSWERED',
    put: '...{}',
  },
  {
    name: 'mismatch-only-logged',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'an approval that cannot be applied is shown as not applied, but not reversed',
    find: `if (mismatch)
  return reverseMismatch(ctx, operation, { ...mismatchFacts(mismatch), responseCode }, mismatch)`,
    put: 'if (operation.sends > 2) $NODE',
  },
  {
    name: 'cancel-keeps-redemption',
    file: 'backend/payments/tenders/tenders.ts',
    breaks: 'a cancelled sale keeps its redemption',
    find: "if (now.redemption?.state === 'approved') giveMilesBack(ctx, tx, now.redemption)",
    put: ';',
  },
  {
    name: 'tender-after-approval',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'the tender commits after the approval, not with it',
    find: "redemptionsStateOf(ctx).events.emit('redemption.approved', tx, approved, meaning.response)",
    put: `queueMicrotask(() => {
              try {
                ctx.transact((later) => {
                  redemptionsStateOf(ctx).events.emit('redemption.approved', later, approved, meaning.response)
                })
              } catch {
                // too late
              }
            })`,
  },
  {
    name: 'echo-ignored',
    file: 'backend/loyalty/services/answers.ts',
    breaks: 'the echoed fields of a response are not checked',
    find: "['traceId', 'collectorNumber', 'deviceId', 'storeId', 'sponsorCode'] as const",
    put: "['storeId'] as const",
  },
  {
    name: 'more-than-asked',
    file: 'backend/loyalty/services/answers.ts',
    breaks: 'more is applied than was requested',
    find: 'amount > askedCents',
    put: 'amount > 2 * askedCents',
  },
  {
    name: 'accepted-sent-again',
    file: 'backend/loyalty/calls/settlement.ts',
    breaks: 'a 202 is sent again',
    find: "return final('accepted', factsOf(meaning), answerFactsOf(meaning, sent))",
    put: "return noCentral('pending')",
  },
  {
    name: 'dead-sent-again',
    file: 'backend/loyalty/calls/settlement.ts',
    breaks: 'a 400 is sent again',
    find: `return final('dead', {
  responseCode: meaning.code,
  detail: meaning.message,
  outcome: expectedRefusal(operation, meaning.code) ? EXPECTED_REFUSAL : null,
})`,
    put: "return noCentral('refused')",
  },
  {
    name: 'mutex-unlocked',
    file: 'backend/core/outbox/keyed-mutex.ts',
    breaks: 'the lock of the collector is dropped',
    find: 'return await queueOf(collector).add(work, { priority: PRIORITY[urgency] })',
    put: 'return await work()',
  },
  {
    name: 'newest-first',
    file: 'backend/core/outbox/operation-lists.ts',
    breaks: 'the newest call of a collector is sent first',
    find: "`${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid LIMIT 1`",
    put: "`${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid DESC LIMIT 1`",
  },
  {
    name: 'send-not-counted',
    file: 'backend/core/outbox/journal.ts',
    breaks: 'a send is not counted before it leaves',
    find: 'sends: before.sends + (sending ? 1 : 0)',
    put: 'sends: before.sends',
  },
  {
    name: 'sends-final',
    file: 'backend/core/outbox/operation-lists.ts',
    breaks: 'the queue sends final operations',
    find: "`${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid LIMIT 1`",
    put:
      "`${SELECT} WHERE collector_hash = +? AND state IN ('queued', 'sent', 'accepted') AND kind = 'issuance' " +
      'ORDER BY rowid LIMIT 1`',
  },
  {
    name: 'continues-after-failed-commit',
    file: 'backend/core/db/transact.ts',
    breaks: 'the terminal continues after a failed commit',
    find: 'reason = why',
    put: ';',
  },
  {
    name: 'mark-before-commit',
    file: 'backend/core/outbox/chain.ts',
    breaks: 'the mark runs ahead of the commit',
    find: 'appended = true',
    put: "$NODE\n      mark?.note({ ...end(), seq: entry.seq, hash: hash.toString('hex') })",
  },
  {
    name: 'screen-before-commit',
    file: 'backend/core/context.ts',
    breaks: 'a screen receives a sale before its commit',
    find: `transact.afterCommit(() => {
  publish(event, stream)
})`,
    put: 'publish(event, stream)',
  },
  {
    name: 'private-balances-stored',
    file: 'backend/loyalty/member/balances.ts',
    breaks: 'private balances are stored with the sale',
    find: 'if (hidesBalances(response.responseCode)) return null',
    put: ';',
  },
  {
    name: 'queue-by-wall-clock',
    file: 'backend/loyalty/calls/queue-scheduler.ts',
    breaks: 'a waiting queue uses the wall clock',
    find: `cancelPump = clock.after(waitMs, () => {
  cancelPump = null
  pump()
})`,
    put: `const due = clock.now() + waitMs
const look = (): void => {
  if (clock.now() < due) cancelPump = clock.after(1_000, look)
  else {
    cancelPump = null
    pump()
  }
}
cancelPump = clock.after(waitMs, look)`,
  },
  {
    name: 'notified-before-commit',
    file: 'backend/core/outbox/group-commit.ts',
    breaks: 'operations in a group commit are notified before it is on disk',
    find: 'for (const notify of transact(() => these.map(alone))) notify()',
    put: 'transact(() => { for (const one of these) alone(one)() })',
  },
  {
    name: 'older-approval-rejected',
    file: 'backend/loyalty/services/answers.ts',
    breaks: 'an approval dated before its redemption is rejected',
    find: `echoedCents !== askedCents ||
confirmationNumber === ''`,
    put: `echoedCents !== askedCents ||
(confirmationNumber === '' ||
  Date.parse(response.transDateTime ?? request.dateTime) < Date.parse(request.dateTime) - 60_000)`,
  },
  {
    name: 'recovery-skips-escalation',
    file: 'backend/loyalty/calls/redeem.ts',
    breaks: 'a recovered sale ignores the outcome of its redemption',
    find: 'escalateAll(ctx, escalating)',
    put: ';',
  },
  {
    name: 'key-after-effect',
    file: 'backend/core/command-channel.ts',
    breaks: 'the key of a command is stored after its effect',
    find: `return transact((tx) => {
  const answer = work.run()
  store(tx, asked, answer)
  return answer
})`,
    put: `const answer = transact(() => work.run())
transact((tx) => {
  store(tx, asked, answer)
})
return answer`,
  },
  {
    name: 'shift-in-two-zs',
    file: 'backend/day/day-end/day-end.ts',
    breaks: 'a shift is in two Zs',
    find: 'for (const { id } of rows) shifts.setZ(tx, id, number)',
    put: 'for (const { id } of rows.slice(1)) shifts.setZ(tx, id, number)',
  },
  {
    name: 'totals-before-tax',
    file: 'backend/payments/tenders/tenders.ts',
    breaks: 'a sale stores its total without tax for the reports',
    find: 'totals: storedTotals(now, view.totals)',
    put: 'totals: storedTotals(now, { ...view.totals, totalCents: view.totals.subtotalCents })',
  },
  {
    name: 'float-omitted',
    file: 'backend/day/shifts.ts',
    breaks: 'the expected cash of a drawer omits its float',
    find: 'const expected = { cashCents: row.floatCents + cashCents, ...papers }',
    put: 'const expected = { cashCents, ...papers }',
  },
  {
    name: 'z-sums-open-shifts',
    file: 'backend/day/day-end/day-end.ts',
    breaks: 'a sale after the count is in the sums of two Zs',
    find: 'const totals = totalsOf(ctx, rows, before, lastAudit)',
    put: 'const totals = totalsOf(ctx, all, before, lastAudit)',
  },
  {
    name: 'offer-state-not-counted',
    file: 'backend/loyalty/member/offer-states.ts',
    breaks: 'a change of an offer is sent before the journal records it',
    find: "const sent = await ctx.outbox.journal.moveSoon(next.id, 'sent', { sending: 'offer-state' })",
    put: "const sent = await ctx.outbox.journal.moveSoon(next.id, 'sent')",
  },
  {
    name: 'offer-state-timeout-is-done',
    file: 'backend/loyalty/member/offer-states.ts',
    breaks: 'an unanswered change of an offer counts as done',
    find: `if (answer.kind === 'ok') {
  await settle(ctx, sent, saleId, requested, 'confirmed')
  return 0
}`,
    put: `if (answer.kind !== 'ok' && answer.cause === 'timeout') {
      await settle(ctx, sent, saleId, requested, 'confirmed')
      return 0
    }
    $NODE`,
  },
  {
    name: 'rounding-omitted',
    file: 'backend/day/day-end/day-end.ts',
    breaks: 'a Z omits cash rounding',
    find: 'roundingCents: cents((paid?.roundingCents ?? 0) - (back?.roundingCents ?? 0))',
    put: 'roundingCents: cents(0)',
  },
]
