import './core/program/engine-settings.ts'

// Loaded behind them: what is imported here would be bundled, and run, before them.
const { runProgram } = await import('./program.ts')

runProgram()
