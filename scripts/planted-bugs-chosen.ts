import type { Mutation } from './tree-copy.ts'

const REDEMPTIONS = 'backend/journal/redemptions.ts'
const REVERSALS = 'backend/journal/reversals.ts'
const ISSUANCES = 'backend/journal/issuances.ts'
const SETTLEMENT = 'backend/journal/settlement.ts'
const STORE = 'backend/journal/store.ts'

/** What an engine like this one gets wrong in the field. Each breaks one promise, in the place where it is kept. */
export const PLANTED_BUGS: readonly Mutation[] = [
  {
    name: 'the retry leaves before its commit',
    file: REDEMPTIONS,
    find: "    const retrying = moved(journal.move(operation.id, 'retry', { sending: 'redeem', facts, ...withTaken(first?.misapplied) }))\n    return settleSecond(retrying, first?.misapplied ?? null, await send(retrying, 'redeem'))",
    put: "    const answer = await send(operation, 'redeem')\n    const retrying = moved(journal.move(operation.id, 'retry', { sending: 'redeem', facts, ...withTaken(first?.misapplied) }))\n    return settleSecond(retrying, first?.misapplied ?? null, answer)",
  },
  {
    name: 'the retry has a new key',
    file: 'backend/central/cash.ts',
    find: "{ 'idempotency-key': idempotencyKey }",
    put: "{ 'idempotency-key': `${idempotencyKey.slice(0, 30)}${Math.random().toString().slice(2, 8)}` }",
  },
  {
    name: 'the retry is made anew, with the time of now',
    file: 'backend/central/cash.ts',
    find: 'transport.send(cashCall(call.path, call.request, keyHeader(call), profile.limits.cashTimeoutMs))',
    put: 'transport.send(cashCall(call.path, encode({ ...JSON.parse(new TextDecoder().decode(call.request)) as object, dateTime: zonedIso(Date.now(), profile.timeZone) }), keyHeader(call), profile.limits.cashTimeoutMs))',
  },
  {
    name: 'a restart retries what had its second send',
    file: REDEMPTIONS,
    find: "if (operation.state !== 'intent' || !options.saleIsOpen(operation.saleId)) return false",
    put: 'if (!options.saleIsOpen(operation.saleId)) return false',
  },
  {
    name: 'a doubtful answer counts as a refusal',
    file: REDEMPTIONS,
    find: '    return retry(operation, meaning)\n',
    put: "    return decline(operation, { outcome: 'unreachable' })\n",
  },
  {
    name: 'a doubtful second answer counts as a refusal',
    file: REDEMPTIONS,
    find: "    return escalate(operation, answer.kind === 'answer' ? { responseCode } : { detail: answer.reason })",
    put: "    return decline(operation, { responseCode, outcome: 'refused' })",
  },
  {
    name: 'a reversal that was sent counts as done',
    file: REVERSALS,
    find: '    // No connection, no answer and an outage use up no round.\n',
    put: "    if (said.kind !== 'unknown') {\n      moved(journal.move(id, 'reversed', { facts: { outcome: 'reversed' } }))\n      return\n    }\n",
  },
  {
    name: 'a reversal that stays unanswered is on no list',
    file: REVERSALS,
    find: 'responseCode: said.responseCode, outcome: REVERSAL_UNANSWERED } })',
    put: 'responseCode: said.responseCode } })',
  },
  {
    name: 'an approval that cannot be applied is only said not to be',
    file: REDEMPTIONS,
    find: '    if (given) return giveBack(',
    put: '    if (given && operation.sends > 2) return giveBack(',
  },
  {
    name: 'a cancelled sale keeps its redemption',
    file: 'backend/features/tenders/service.ts',
    find: "        if (now.redemption?.state === 'approved') reversing = giveMilesBack(now.redemption)\n",
    put: '',
  },
  {
    name: 'the tender commits after the approval, not with it',
    file: REDEMPTIONS,
    find: '          const approved = record()\n          options.onApproved(approved, meaning.response)\n          return approved\n        }))',
    put: '          const approved = record()\n          queueMicrotask(() => { try { transact(() => { options.onApproved(approved, meaning.response) }) } catch { /* too late */ } })\n          return approved\n        }))',
  },
  {
    name: 'the echo of an answer is not looked at',
    file: 'backend/domain/answers.ts',
    find: "const ECHOED = ['traceId', 'collectorNumber', 'deviceId', 'storeId', 'sponsorCode'] as const",
    put: "const ECHOED = ['storeId'] as const",
  },
  {
    name: 'more is applied than was asked',
    file: 'backend/domain/answers.ts',
    find: 'amount > askedCents',
    put: 'amount > 2 * askedCents',
  },
  {
    name: 'a 202 is sent again',
    file: SETTLEMENT,
    find: "      return final('accepted', factsOf(meaning), toldOf(meaning, sent))",
    put: "      return noCentre('pending')",
  },
  {
    name: 'a 400 is sent again',
    file: SETTLEMENT,
    find: "      return final('dead', { responseCode: meaning.code, detail: meaning.message, outcome: foretold(operation, meaning.code) ? FORETOLD : null })",
    put: "      return noCentre('refused')",
  },
  {
    name: 'the lock of the lane is dropped',
    file: 'backend/journal/lanes.ts',
    find: '      if (waiting) await new Promise<void>((start) => waiting.push({ urgency, start }))\n',
    put: "      if (waiting && urgency === 'none' as string) await new Promise<void>((start) => waiting.push({ urgency, start }))\n",
  },
  {
    name: 'the newest of a collector goes first',
    file: STORE,
    find: "open = 1 AND kind = 'issuance' ORDER BY rowid LIMIT 1",
    put: "open = 1 AND kind = 'issuance' ORDER BY rowid DESC LIMIT 1",
  },
  {
    name: 'a send is not counted before it leaves',
    file: STORE,
    find: 'sends: before.sends + (sending ? 1 : 0)',
    put: 'sends: before.sends',
  },
  {
    name: 'the queue takes up what is final',
    file: STORE,
    find: "collector_hash = +? AND open = 1 AND kind = 'issuance'",
    put: "collector_hash = +? AND state IN ('queued', 'sent', 'accepted') AND kind = 'issuance'",
  },
  {
    name: 'after a failed commit the terminal goes on',
    file: 'backend/db/transact.ts',
    find: '      reason = why\n',
    put: '',
  },
  {
    name: 'the mark runs ahead of the commit',
    file: 'backend/journal/chain.ts',
    find: '      appended = true\n',
    put: "      appended = true\n      mark?.note({ seq: entry.seq, hash: hashOf(entry).toString('hex'), counter: 0 })\n",
  },
  {
    name: 'a screen hears of a sale before its commit',
    file: 'backend/features/sales/service.ts',
    find: '      changedBy(id, change)\n    })\n    return publish',
    put: '      changedBy(id, change)\n      publish(id, cause)\n    })\n    return publish',
  },
  {
    name: 'private balances are kept with the sale',
    file: 'backend/domain/balances.ts',
    find: '  if (hidesBalances(response.responseCode)) return null\n',
    put: '',
  },
  {
    name: 'a waiting queue goes by the wall clock',
    file: ISSUANCES,
    find: '    endPause = clock.after(ms, () => {',
    put: '    const due = clock.now() + ms\n    const look = (): void => {\n      if (clock.now() < due) endPause = clock.after(1_000, look)\n      else {\n        endPause = null\n        pump()\n      }\n    }\n    endPause = clock.after(ms, look)\n    void ((): void => {',
  },
  {
    name: 'what shares a commit hears of it before it is on disk',
    file: 'backend/journal/together.ts',
    find: '      for (const tell of transact(() => these.map(alone))) tell()\n',
    put: '      transact(() => { for (const one of these) alone(one)() })\n',
  },
  {
    name: 'an approval that seems older than its redemption is not believed',
    file: 'backend/domain/answers.ts',
    find: "confirmationNumber === '' ||",
    put: "confirmationNumber === '' || Date.parse(response.transDateTime ?? request.dateTime) < Date.parse(request.dateTime) - 60_000 ||",
  },
  {
    name: 'a recovered sale forgets what its redemption became',
    file: REDEMPTIONS,
    find: '      escalateAll(escalating)\n',
    put: '',
  },
  {
    name: 'the key of a command is kept after its effect',
    file: 'backend/commands/channel.ts',
    find: 'return transact(() => { const answer = work.run() store(key, fingerprint, answer) return answer })',
    put: 'const answer = transact(() => work.run())\n    transact(() => { store(key, fingerprint, answer) })\n    return answer',
  },
]
