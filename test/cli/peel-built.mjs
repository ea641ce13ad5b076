// The command line as built, without looking whether that is current: a process that starts soon, to be interrupted or killed.
import { main } from '../../dist/cli/main.js'

process.exitCode = await main(process.argv.slice(2))
