/**
 * Of ways that do the same (a language, a hand), a run that every change waits for plays one for each scenario, in
 * turn, so that each way is played; with `MILEPOST_CAMPAIGN=1` every scenario is played in all of them.
 */
export const inTurn = <Way>(ways: readonly Way[], turn: number): readonly Way[] =>
  process.env['MILEPOST_CAMPAIGN'] === '1' ? ways : ways.slice(turn % ways.length, (turn % ways.length) + 1)
