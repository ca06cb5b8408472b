import type { Mutant } from './marks.ts'

/** What an engine like this one gets wrong in the field. Each breaks one promise, in the place where it is kept. */
export const SIMULATOR_MUTANTS: readonly Mutant[] = [
  {
    mark: 'retry-before-commit',
    breaks: 'the retry leaves before its commit',
    put: `async function retry(ctx: Ctx, operation: Operation, first: FirstSend): Promise<Operation> {
    const { transact, outbox } = ctx
    const facts = { outcome: 'retrying', ...(first.mismatched ? kept(first.mismatched) : {}) }
    const answer = await cashClientOf(ctx).sendStored(outbox.journal.call(operation.id, 'redeem'), first.again)
    const retrying = transact((tx) =>
      outbox.journal.move(tx, operation.id, 'retry', { sending: 'redeem', facts, ...withTaken(first.mismatched) }),
    )
    return settleSecond(ctx, retrying, first, answer)
  }`,
  },
  {
    mark: 'retry-new-key',
    breaks: 'the retry has a new key',
    put: "{ 'idempotency-key': `${idempotencyKey.slice(0, 30)}${Math.random().toString().slice(2, 8)}` }",
  },
  {
    mark: 'retry-made-anew',
    breaks: 'the retry is made anew, with the time of now',
    put:
      'encode({ ...JSON.parse(new TextDecoder().decode($NODE)) as object, dateTime: zonedIso(Date.now(), ' +
      'ctx.profile.timeZone) })',
  },
  {
    mark: 'restart-third-send',
    breaks: 'a restart retries what had its second send',
    put: 'if (!saleIsOpen(ctx, operation.saleId)) return false',
  },
  {
    mark: 'doubt-is-refusal',
    breaks: 'a doubtful answer counts as a refusal',
    put: "return decline(ctx, operation, { outcome: 'unreachable' })",
  },
  {
    mark: 'second-doubt-is-refusal',
    breaks: 'a doubtful second answer counts as a refusal',
    put: "return decline(ctx, operation, { responseCode, outcome: 'refused' })",
  },
  {
    mark: 'reversal-sent-is-done',
    breaks: 'a reversal that was sent counts as done',
    put: `if (received.kind !== 'unknown') {
      ctx.transact((tx) => ctx.outbox.journal.move(tx, id, 'reversed', { facts: { outcome: 'reversed' } }))
      return
    }
    $NODE`,
  },
  {
    mark: 'reversal-on-no-list',
    breaks: 'a reversal that stays unanswered is on no list',
    put: '...{}',
  },
  {
    mark: 'mismatch-only-logged',
    breaks: 'an approval that cannot be applied is only said not to be',
    put: 'if (operation.sends > 2) $NODE',
  },
  { mark: 'cancel-keeps-redemption', breaks: 'a cancelled sale keeps its redemption', put: ';' },
  {
    mark: 'tender-after-approval',
    breaks: 'the tender commits after the approval, not with it',
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
  { mark: 'echo-ignored', breaks: 'the echo of an answer is not looked at', put: "['storeId'] as const" },
  { mark: 'more-than-asked', breaks: 'more is applied than was asked', put: 'amount > 2 * askedCents' },
  { mark: 'accepted-sent-again', breaks: 'a 202 is sent again', put: "return noCentral('pending')" },
  { mark: 'dead-sent-again', breaks: 'a 400 is sent again', put: "return noCentral('refused')" },
  {
    mark: 'mutex-unlocked',
    breaks: 'the lock of the lane is dropped',
    put: 'return await work()',
  },
  {
    mark: 'newest-first',
    breaks: 'the newest of a collector goes first',
    put: "`${SELECT} WHERE collector_hash = +? AND open = 1 AND kind = 'issuance' ORDER BY rowid DESC LIMIT 1`",
  },
  { mark: 'send-not-counted', breaks: 'a send is not counted before it leaves', put: 'sends: before.sends' },
  {
    mark: 'takes-up-final',
    breaks: 'the queue takes up what is final',
    put:
      "`${SELECT} WHERE collector_hash = +? AND state IN ('queued', 'sent', 'accepted') AND kind = 'issuance' " +
      'ORDER BY rowid LIMIT 1`',
  },
  { mark: 'goes-on-after-failed-commit', breaks: 'after a failed commit the terminal goes on', put: ';' },
  {
    mark: 'mark-before-commit',
    breaks: 'the mark runs ahead of the commit',
    put: "$NODE\n      mark?.note({ ...end(), seq: entry.seq, hash: hash.toString('hex') })",
  },
  {
    mark: 'screen-before-commit',
    breaks: 'a screen hears of a sale before its commit',
    put: 'tell(event, stream)',
  },
  { mark: 'private-balances-kept', breaks: 'private balances are kept with the sale', put: ';' },
  {
    mark: 'queue-by-wall-clock',
    breaks: 'a waiting queue goes by the wall clock',
    put: `const due = clock.now() + waitMs
    const look = (): void => {
      if (clock.now() < due) callOffLook = clock.after(1_000, look)
      else {
        callOffLook = null
        pump()
      }
    }
    callOffLook = clock.after(waitMs, look)`,
  },
  {
    mark: 'told-before-commit',
    breaks: 'what shares a commit hears of it before it is on disk',
    put: 'transact(() => { for (const one of these) alone(one)() })',
  },
  {
    mark: 'older-approval-refused',
    breaks: 'an approval that seems older than its redemption is not believed',
    put: '($NODE || Date.parse(response.transDateTime ?? request.dateTime) < Date.parse(request.dateTime) - 60_000)',
  },
  { mark: 'recovery-forgets', breaks: 'a recovered sale forgets what its redemption became', put: ';' },
  {
    mark: 'key-after-effect',
    breaks: 'the key of a command is kept after its effect',
    put: `const answer = transact(() => work.run())
    transact((tx) => {
      store(tx, asked, answer)
    })
    return answer`,
  },
  {
    mark: 'z-takes-in-twice',
    breaks: 'a shift is taken in by a second Z',
    put: 'for (const { id } of rows.slice(1)) shifts.setZ(tx, id, number)',
  },
  {
    mark: 'totals-before-tax',
    breaks: 'a sale keeps its total without tax for the reports',
    put: 'totals: storedTotals(now, { ...view.totals, totalCents: view.totals.subtotalCents })',
  },
  {
    mark: 'float-forgotten',
    breaks: 'what a drawer should hold leaves out its float',
    put: 'const expected = { cashCents, ...papers }',
  },
  {
    mark: 'z-adds-up-open-shifts',
    breaks: 'a sale after the count is in the sums of two Zs',
    put: 'const totals = totalsOf(ctx, all, before, lastAudit)',
  },
  {
    mark: 'offer-state-not-counted',
    breaks: 'a change of an offer leaves before the journal says so',
    put: "const sent = await ctx.outbox.journal.moveSoon(next.id, 'sent')",
  },
  {
    mark: 'offer-state-silence-is-done',
    breaks: 'a change of an offer that nobody answered counts as done',
    put: `if (answer.kind !== 'ok' && answer.cause === 'timeout') {
      await settle(ctx, sent, saleId, wanted, 'confirmed')
      return 0
    }
    $NODE`,
  },
  { mark: 'rounding-left-out', breaks: 'a Z leaves out what cash was rounded by', put: 'roundingCents: cents(0)' },
]
